// The register tile under every product of floats: rows of x times panels of w, summed over k in
// sequence. Linear, the head, q kT and p v all end here, so that each output element is one sum in
// one order. (Weights of 8 and 4 bits have a tile of their own, integer_tile.h.)
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include "base/threads.h"
#include "kernels/ahead.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

// Rows of x in a tile: as many as leave registers for two vectors of w and one of x. (Where
// multiply-adds are not fused, their products need registers too.)
inline constexpr int kTileRows = kLanes == 16 ? 12 : kLanes == 8 ? 6 : 5;

// Where x[r][k] lies: data[r * row + k * step].
struct TileRows {
    const float* data;
    std::ptrdiff_t row, step;
};

// Where w[k][c] lies, panel after panel: data[c / kPanel * panel + k * step + c % kPanel].
template <typename Number>
struct TilePanels {
    const Number* data;
    std::ptrdiff_t panel, step;
};

// Those of packed floats or 16-bit numbers, `panel_bytes` apart.
template <typename Number>
TilePanels<Number> packed_panels(const std::byte* w, std::size_t panel_bytes) {
    return {reinterpret_cast<const Number*>(w), std::ptrdiff_t(panel_bytes / sizeof(Number)),
            kPanel};
}

// Steps of k in one turn of the loop, whose own instructions then count little beside the
// multiply-adds. Eight spill more registers on SSE; where a vector takes several, GCC needs minutes
// for four, and so does clang with its sanitizers for eight: -DGPT_MOST_STEPS=2 is for them.
#if !defined(GPT_MOST_STEPS)
#define GPT_MOST_STEPS 8
#endif
inline constexpr int kTurn = !GPT_ONE_REGISTER ? 1 : std::min(kLanes == 4 ? 4 : 8, GPT_MOST_STEPS);
constexpr int turns(int depth) {  // the last ones shorter
    return depth / kTurn + std::popcount(unsigned(depth % kTurn));
}

// The sums of P panels for R rows.
template <int R, int P>
using TileSums = Vec[P][R][2];

// The rows of a tile. On x86 an address may add a register, once or twice, for nothing: so three
// rows share a pointer, at p, p + row and p + 2 row.
template <int R>
struct RowPointers {
    static constexpr int kThirds = (R + 2) / 3;
    const float* third[kThirds];
    std::ptrdiff_t row;

    explicit RowPointers(TileRows x) : row(x.row) {
        unroll<kThirds>([&](auto i) IN_PLACE { third[i] = x.data + i * 3 * row; });
    }
    const float* operator[](int r) const { return third[r / 3] + r % 3 * row; }
    void advance(std::ptrdiff_t n) {
        unroll<kThirds>([&](auto i) IN_PLACE { third[i] = hold(third[i] + n); });
        row = hold(row);
    }
};

// sum[p][r] += x[r][k] w[p][k], for k = 0, 1 .. depth - 1 in this order.
template <int R, int P, typename Number, typename Next = NothingAhead>
[[gnu::always_inline]] inline void multiply_tile(TileSums<R, P>& sum, TileRows x,
                                                 TilePanels<Number> w, int depth, Next next = {}) {
    constexpr bool kFull = R > 2;  // the sums leave few registers
    TileSums<R, P> s;              // a copy that lives in registers
    std::memcpy(s, sum, sizeof s);
    RowPointers<R> rows(x);
    const auto step = [&](auto i) IN_PLACE {
        unroll<P>([&](auto p) IN_PLACE {
            const Number* const row = w.data + p * w.panel + i * w.step;
            next.read(row, kPanel * sizeof *row);
            Pair wk = load_pair(row);
            if constexpr (kFull) wk = {hold(wk.first), hold(wk.second)};
            next.keep(wk);
            unroll<R>([&](auto r) IN_PLACE {
                const Vec xk = broadcast(rows[r][i * x.step]);
                const auto add = [&](Vec& sums, Vec weights) IN_PLACE {
                    sums = kFull ? fma_in_place(xk, weights, sums) : fma(xk, weights, sums);
                };
                add(s[p][r][0], wk.first);
                add(s[p][r][1], wk.second);
            });
        });
    };
    const auto turn = [&](auto steps) IN_PLACE {
        unroll<steps>(step);
        next.go();
        rows.advance(steps * x.step);
        w.data += steps * w.step;
    };
    for (int n = depth / kTurn; n > 0; --n) turn(std::integral_constant<int, kTurn>{});
    unroll<3>([&](auto i) IN_PLACE {  // of 4, 2 and 1 what remains
        constexpr int kSteps = 4 >> i;
        if constexpr (kSteps < kTurn)
            if (depth % kTurn & kSteps) turn(std::integral_constant<int, kSteps>{});
    });
    std::memcpy(sum, s, sizeof s);
}

// How many panels to take on with R rows: enough sums under way to hide the latency of each, and
// no more than there are registers for.
inline constexpr int kFewRows = kLanes == 16 ? 3 : 2;  // that leave some for two panels
constexpr int panels_for(int R) { return R == 1 ? 4 : R <= kFewRows ? 2 : 1; }

// Calls f(panel, apart, integral_constant P) for the panels first .. last - 1, P at a time: panel,
// panel + apart and so on. Of 12 by four these are 0 3 6 9, then 1 4 7 10, then 2 5 8 11: each of
// the P runs goes on in memory where it ended, as the processor reads ahead in long runs only.
// Panels that P does not divide follow by P / 2. Of several pieces, each has its part of every run,
// and the last what remains beside them.
template <int P, typename F>
void for_panels(int first, int last, F f, int piece = 0, int pieces = 1) {
    const int apart = (last - first) / P;
    const Range part = share(apart, piece, pieces);
    for (int i = part.first; i < part.last; ++i)
        f(first + i, apart, std::integral_constant<int, P>{});
    if constexpr (P > 1)
        if (piece + 1 == pieces) for_panels<P / 2>(first + P * apart, last, f);
}

// The `count` columns of a panel in R rows of y, `stride` apart, zero behind them.
template <int R>
[[gnu::always_inline]] inline void load_rows(Vec (&v)[R][2], const float* y, std::ptrdiff_t stride,
                                             int count) {
    unroll<R>([&](auto r) IN_PLACE {
        const float* from = y + r * stride;
        if (count < kPanel) {
            float padded[kPanel] = {};
            std::copy_n(from, count, padded);
            v[r][0] = load(padded);
            v[r][1] = load(padded + kLanes);
        } else {
            v[r][0] = load(from);
            v[r][1] = load(from + kLanes);
        }
    });
}

template <int R>
[[gnu::always_inline]] inline void store_rows(float* y, std::ptrdiff_t stride, int count,
                                              const Vec (&v)[R][2]) {
    unroll<R>([&](auto r) IN_PLACE {
        float padded[kPanel];
        float* to = count < kPanel ? padded : y + r * stride;
        store(to, v[r][0]);
        store(to + kLanes, v[r][1]);
        if (count < kPanel) std::copy_n(padded, count, y + r * stride);
    });
}

// Calls f(integral_constant n), 1 <= n <= most: a size that is known when compiling.
template <int most, typename F>
void with_constant(int n, F&& f) {
    if constexpr (most > 1)
        if (n != most) return with_constant<most - 1>(n, f);
    f(std::integral_constant<int, most>{});
}

// N rows in as few tiles as can hold them, of nearly equal height.
struct Tiling {
    int tiles, least, higher;  // `higher` tiles of least + 1 rows, then the others of `least`

    explicit Tiling(int n, int most = kTileRows)
        : tiles((n + most - 1) / most),
          least(n / std::max(tiles, 1)),
          higher(n % std::max(tiles, 1)) {}
    int first(int tile) const { return tile * least + std::min(tile, higher); }
    int height(int tile) const { return least + (tile < higher); }
};
