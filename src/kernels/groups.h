// Weights of 8 and 4 bits. Along `in` they are cut into groups of 32, and each group of each column
// has a scale of its own, in bf16, which spans all that a float does. The scale is rounded first,
// then the weights to multiples of the rounded scale.
#pragma once
#include <cstddef>
#include "kernels/byte_dot.h"

inline constexpr int kGroup = 32;
inline constexpr int kQuads = kGroup / 4;  // four weights of a column share a lane of a vector

// A panel's row of bf16, as load_pair takes it apart: columns l and l + kLanes share lane l.
void store_bf16_row(std::byte* to, const float* row);  // of kPanel, rounded to nearest even
float bf16_of_row(const std::byte* row, int c);

constexpr int groups_of(int in) { return (in + kGroup - 1) / kGroup; }

// w = scale n, |n| <= 127. One group of one panel: scales [kPanel], then [kQuads][kPanel] lanes of
// four bytes n + ByteDot::kOffset.
struct Q8 {
    static constexpr std::size_t kBytes = kPanel * (2 + kGroup);  // of one group of one panel
    static void pack(std::byte* group, const float* w);           // from w [kGroup][kPanel]
    static float at(const std::byte* group, int k, int c);
};

// w = minimum + scale n, 0 <= n <= 15. One group of one panel: scales [kPanel], minima [kPanel],
// then [kQuads / 2][kPanel] lanes of four bytes: the n of a quad in their low halves, those of the
// next quad in their high halves.
struct Q4 {
    static constexpr std::size_t kBytes = kPanel * (2 + 2 + kGroup / 2);
    static void pack(std::byte* group, const float* w);
    static float at(const std::byte* group, int k, int c);
};
