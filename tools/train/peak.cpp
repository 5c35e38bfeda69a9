#include "tools/train/peak.h"
#include <algorithm>
#include <chrono>
#include "kernels/simd.h"

namespace {

constexpr int kChains = 12;  // sums that do not wait for one another, enough to fill the pipelines

float multiply_and_add(int rounds) {
    Vec sum[kChains]{};
    const Vec shrink = broadcast(0.5f), one = broadcast(1);
    for (int i = 0; i < rounds; ++i)
        unroll<kChains>([&](auto c) { sum[c] = fma(sum[c], shrink, one); });
    float total = 0;
    for (const Vec& v : sum) total += v[0];
    return total;
}

}  // namespace

double multiply_add_peak(int threads) {
    constexpr int kRounds = 2'000'000, kTries = 3;
    double best = 0;
    for (int i = 0; i < kTries; ++i) {
        const auto start = std::chrono::steady_clock::now();
        float used = 0;  // keeps the work from being optimised away
#pragma omp parallel num_threads(threads) reduction(+ : used)
        used += multiply_and_add(kRounds);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (used > 0)
            best = std::max(best, 2.0 * kRounds * kChains * kLanes * threads / time.count());
    }
    return best;
}
