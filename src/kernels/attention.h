// Causal attention over cached keys and values. Equals reference:: scores, add_mask, softmax and
// mix to rounding, and never uses the future: a query at position t sums over keys 0 .. t in
// sequence.
#pragma once
#include <span>
#include "base/tensor.h"
#include "kernels/simd.h"
#include "kernels/workspace.h"

// Positions whose keys and values lie together: so many that each panel is read in long runs, so
// few that short sequences need little memory.
inline constexpr int kBlock = 128;
static_assert(kBlock % kPanel == 0);

// One layer's keys and values of one sequence, in blocks of positions: for each block and head the
// keys as panels of positions, [kBlock / kPanel][D][kPanel], then the values as panels of D, padded
// with zeroes, [padded(D) / kPanel][kBlock][kPanel].
struct KeyValues {
    float* data;
    std::ptrdiff_t block_step;  // from one block of positions to the next
    int H, D;

    static int padded(int D) { return (D + kPanel - 1) / kPanel * kPanel; }
    static std::size_t head_size(int D) { return std::size_t(kBlock) * std::size_t(D + padded(D)); }

    float* keys(int block, int h) const {
        return data + block * block_step + std::ptrdiff_t(head_size(D)) * h;
    }
    float* values(int block, int h) const { return keys(block, h) + kBlock * std::ptrdiff_t(D); }
};

// New positions of one sequence, the first of them at position `start`.
struct Attending {
    Matrix y;         // [T,C]: heads merged
    ConstMatrix qkv;  // [T,3C]
    KeyValues cache;
    int start;
};

// Puts the new keys and values behind those that the caches hold; then y = softmax(scale q kT) v
// over the positions up to each query's own. The team shares sequences, heads and tiles of queries.
void attention(std::span<const Attending> sequences, float scale, Workspace& workspace);

// The room that attention needs for sequences of up to S positions on `threads` threads.
void reserve_for_attention(Workspace& workspace, int S, int threads);
