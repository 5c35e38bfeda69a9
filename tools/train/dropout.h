// Dropout (Srivastava et al. 2014): each number is zeroed with probability `rate`, the others
// grow by 1 / (1 - rate) so that the mean stays. Which ones is a function of the seed, the step,
// the place in the model and the index, so that the backward pass sees the same choice and the
// threads none.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include "base/random.h"

struct Mask {
    std::uint32_t key = 0, second_key = 0, threshold = 0;
    float scale = 1;

    bool all() const { return threshold == 0; }

    // What number `index` is multiplied by: 0, or 1 / (1 - rate). The hash is Wellons' lowbias32
    // with a key before and in the middle.
    float operator()(std::uint32_t index) const {
        std::uint32_t x = index + key;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15 ^ second_key) * 0x846ca68bu;
        x ^= x >> 16;
        return x < threshold ? 0.0f : scale;
    }
};

// y = x times the mask, whose first index is `first`.
inline void drop(float* y, const float* x, int n, std::size_t first, Mask mask) {
    const auto index = std::uint32_t(first);
    if (mask.all())
        std::copy_n(x, n, y);
    else
        for (int i = 0; i < n; ++i) y[i] = x[i] * mask(index + std::uint32_t(i));
}

// What is dropped in one block.
struct BlockMasks {
    Mask attention_weights, attention_output, mlp_output;
};

struct Dropout {
    double rate = 0;
    std::uint64_t seed = 0, step = 0;

    Mask embedding() const { return mask(0); }
    BlockMasks block(int l) const { return {mask(3 * l + 1), mask(3 * l + 2), mask(3 * l + 3)}; }

    // The mask of one place in the model.
    Mask mask(int place) const {
        if (rate == 0) return {};
        Random random(Random(seed ^ step << 20 ^ std::uint64_t(place)).next() + seed);
        const std::uint64_t keys = random.next();
        return {std::uint32_t(keys), std::uint32_t(keys >> 32), std::uint32_t(rate * 0x1p32),
                float(1 / (1 - rate))};
    }
};
