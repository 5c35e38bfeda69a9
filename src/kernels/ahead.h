// What a tile does beside multiplying: it asks for what it or the next one will read, or keeps what
// others can use. No sum depends on it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include "kernels/simd.h"

// Brings the cache line at p into the second level of cache, or the one so many bytes beyond it
// into the first, without waiting for it. (GCC leaves out calls of what does nothing else.)
[[gnu::always_inline]] inline void prefetch_into_l2(const void* p) { __builtin_prefetch(p, 0, 2); }
[[gnu::always_inline]] inline void prefetch_into_l1(const void* p, std::ptrdiff_t bytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(std::intptr_t(p) + bytes), 0, 3);
}

inline constexpr std::ptrdiff_t kLine = 64;  // bytes that memory gives at once

// What a tile calls beside multiplying, its `Next`: go() once a turn of its loop, or a group of
// integers, to bring near what comes after w; read(p, bytes) before it reads these bytes of w;
// keep(pair) with each row of w, as the tile multiplies by it. This one does nothing.
struct NothingAhead {
    void go() {}
    void read(const void*, std::ptrdiff_t) {}
    void keep(Pair) {}
};

// Asks for what comes after w: a little every turn, as all at once would keep the tile waiting. One
// run of memory alone keeps too little of it busy: the bytes are cut into `runs`, which begin
// `apart` bytes from one another, and each turn asks for the next line of every run.
struct Ahead : NothingAhead {
    const std::byte* data;
    int runs;
    std::ptrdiff_t apart, step;

    // `size` bytes from `first` on, in so many turns.
    Ahead(const std::byte* first, std::ptrdiff_t size, std::ptrdiff_t turns)
        : data(first),
          runs(int(up(size, turns * kLine))),
          apart(up(size, std::max(runs, 1))),
          step(up(apart, turns)) {}

    [[gnu::always_inline]] void go() {
        prefetch_into_l2(data);
        for (int i = 1; i < runs; ++i) prefetch_into_l2(data + i * apart);
        data += step;
    }
    void skip(std::ptrdiff_t turns) { data += step * turns; }

private:
    static std::ptrdiff_t up(std::ptrdiff_t n, std::ptrdiff_t part) {
        return (n + part - 1) / part;
    }
};

// What follows in w, kFar bytes on, where w comes from memory faster than the processor reads ahead
// itself. Every line: a processor that finds some of them near no longer sees a sequence.
template <std::ptrdiff_t kFar>
struct Following : NothingAhead {
    [[gnu::always_inline]] void read(const void* from, std::ptrdiff_t bytes) {
        for (std::ptrdiff_t i = 0; i < bytes; i += kLine) prefetch_into_l1(from, kFar + i);
    }
};

// Ahead that also writes down what it is given to keep, for other tiles to read.
struct Keeping : Ahead {
    float* to;

    Keeping(const Ahead& ahead, std::byte* room)
        : Ahead(ahead), to(reinterpret_cast<float*>(room)) {}
    [[gnu::always_inline]] void keep(Pair pair) {
        store(to, pair.first);
        store(to + kLanes, pair.second);
        to += kPanel;
    }
};
