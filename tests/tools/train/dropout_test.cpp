#include "tools/train/dropout.h"
#include <doctest/doctest.h>
#include <cmath>
#include <vector>

TEST_CASE("a mask drops the share that was asked for and keeps the mean") {
    const Mask mask = Dropout{.rate = 0.3, .seed = 1, .step = 2}.embedding();
    const int n = 100000;
    int dropped = 0;
    for (int i = 0; i < n; ++i) {
        const float factor = mask(std::uint32_t(i));
        CHECK((factor == 0.0f || factor == float(1 / 0.7)));
        dropped += factor == 0.0f;
    }
    CHECK(std::abs(dropped - 0.3 * n) < 4 * std::sqrt(n * 0.3 * 0.7));
}

TEST_CASE("masks of other places, steps and seeds agree no more often than chance") {
    const Dropout dropout{.rate = 0.5, .seed = 1, .step = 2};
    Dropout next = dropout, other = dropout;
    next.step = 3;
    other.seed = 2;
    const Mask mask = dropout.block(1).mlp_output;
    for (const Mask& different :
         {dropout.block(2).mlp_output, dropout.block(1).attention_weights, dropout.embedding(),
          next.block(1).mlp_output, other.block(1).mlp_output}) {
        const int n = 40000;
        int equal = 0;
        for (std::uint32_t i = 0; i < n; ++i) equal += mask(i) == different(i);
        CHECK(std::abs(equal - n / 2) < 4 * std::sqrt(n) / 2);
    }
}

TEST_CASE("without dropout all stays") {
    const std::vector<float> x{1, 2, 3};
    std::vector<float> y(3);
    const Mask mask = Dropout{}.embedding();
    CHECK(mask.all());
    drop(y.data(), x.data(), 3, 5, mask);
    CHECK(y == x);
}
