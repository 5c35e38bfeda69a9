#include "kernels/limits.h"
#include <algorithm>
#include <atomic>
#include "base/stopwatch.h"
#include "base/threads.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace {

using Flag = std::atomic<bool>;

// Units a second that the threads of a team work off, where round(over) returns the units that it
// did. None waits for one that something else slows down, and all end together, which a long round
// sees by `over`: the last one alone would have all of the memory.
template <typename Round>
double rate(int threads, Round round) {
    Flag over = false;
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        double units = 0;
        const Stopwatch watch;
        while (!over) {
            for (int i = 0; i < 4; ++i) units += round(over);
            if (watch.seconds() >= kMeasured) over = true;
        }
        sum += units / watch.seconds();
    }
    return sum;
}

// Keeps what was computed for nothing, every byte of it, from being left out.
template <typename V>
void keep(V v) {
    asm volatile("" : : "m"(v));
}

double multiply_adds(const Flag&) {
    constexpr int kChains = 12, kRounds = 20000;  // chains to hide the latency of each
    const volatile float half = 0.5f;
    const Vec a = broadcast(half), b = broadcast(half);
    Vec sum[kChains];
    unroll<kChains>([&](auto c) { sum[c] = broadcast(float(c)); });  // none the same as another
    for (int i = 0; i < kRounds; ++i)
        unroll<kChains>([&](auto c) IN_PLACE { sum[c] = fma(sum[c], a, b); });
    unroll<kChains>([&](auto c) { keep(sum[c]); });
    return 2.0 * kLanes * kChains * kRounds;
}

// Several long streams side by side keep more of the memory busy than one. Eight read large weights
// a little faster than six, and weights that stay in a cache slower.
constexpr std::size_t kStreams = 6;

std::size_t read_block(const std::byte* first, std::size_t bytes) {
    constexpr std::size_t kStep = 2 * sizeof(IntVec);
    const std::size_t length = bytes / kStreams / kStep * kStep;
    IntVec sum[kStreams][2] = {};
    for (std::size_t at = 0; at < length; at += kStep)
        unroll<int(kStreams)>([&](auto s) IN_PLACE {
            const std::byte* const from = first + std::size_t(s) * length + at;
            sum[s][0] ^= load_as<IntVec>(from);
            sum[s][1] ^= load_as<IntVec>(from + sizeof(IntVec));
        });
    std::size_t at = kStreams * length;
    for (; at + sizeof(IntVec) <= bytes; at += sizeof(IntVec))
        sum[0][0] ^= load_as<IntVec>(first + at);
    IntVec all{};
    unroll<int(kStreams)>([&](auto s) { all ^= sum[s][0] ^ sum[s][1]; });
    keep(all);
    return at;
}

std::size_t read(const std::byte* first, std::size_t bytes, const Flag& over) {
    constexpr std::size_t kBlock = kStreams << 17;
    std::size_t done = 0;
    for (std::size_t at = 0; at < bytes && !over; at += kBlock)
        done += read_block(first + at, std::min(kBlock, bytes - at));
    return done;
}

}  // namespace

double multiply_add_rate(int threads) { return rate(threads, multiply_adds); }

double read_rate(const std::vector<std::span<const std::byte>>& parts, int threads) {
    return rate(threads, [&](const Flag& over) {
        std::size_t bytes = 0;
        for (const auto part : parts) {
            const auto [first, last] = my_share(int(part.size() / 64));
            bytes +=
                read(part.data() + std::size_t(first) * 64, std::size_t(last - first) * 64, over);
        }
        return double(bytes);
    });
}
