// The register tile for weights of 8 and 4 bits: x in groups of 32 signed bytes with a scale each,
// integer sums inside a group, and the groups added to float sums in sequence.
//
// Within a group x = sx nx and w = sw nw, of 4 bits minimum + sw nw, with whole numbers n. So its
// sum of x w is sx sw sum(nx nw), of 4 bits plus minimum sx sum(nx), and sum(nx nw) is exact
// (byte_dot.h). Beside a row's scale sx lies what only x decides: of 4 bits sx sum(nx); of 8 bits
// what its integer sums begin as, less what weights stored as nw + kOffset add to them.
#pragma once
#include "kernels/groups.h"
#include "kernels/tile.h"

// How the tile reads each kind of weights.
struct Q8Tile : Q8 {
    using Dot = ByteDot;
    static constexpr std::size_t kHead = kPanel * 2;  // scales in front of the lanes

    static constexpr int kQuadsPerLane = 1, kQuadsPerTurn = 1;
    static constexpr bool kHasMinima = false;
    using Kept = Q8Tile;

    template <int i>
    static IntVec quad(IntVec lane) {
        return lane;
    }
    static std::int32_t beside(float, std::int32_t sum) { return Dot::kStart - Dot::kOffset * sum; }
    static IntVec start(const float* beside) {
        return broadcast_int(load_as<std::int32_t>(beside));
    }
    static Pair minima(const std::byte*) { return {Vec{}, Vec{}}; }
};

struct Q4Bytes;

struct Q4Tile : Q4 {
    using Dot = NibbleDot;
    static constexpr std::size_t kHead = kPanel * 4;  // scales and minima

    static constexpr int kQuadsPerLane = 2, kQuadsPerTurn = 2;
    static constexpr bool kHasMinima = true;
    using Kept = Q4Bytes;

    template <int i>
    static IntVec quad(IntVec lane) {
        return IntVec(UintVec(lane) >> (4 * i)) & 0x0f0f0f0f;
    }
    static float beside(float scale, std::int32_t sum) { return scale * float(sum); }
    static IntVec start(const float*) { return broadcast_int(Dot::kStart); }
    static Pair minima(const std::byte* head) {
        return load_pair(reinterpret_cast<const Bf16*>(head) + kPanel);
    }
};

// The same with a byte for each weight: what a tile of Q4 keeps.
struct Q4Bytes : Q4Tile {
    static constexpr std::size_t kBytes = kHead + kPanel * kGroup;
    static constexpr int kQuadsPerLane = 1;

    template <int i>
    static IntVec quad(IntVec lane) {
        return lane;
    }
};

// A group of 32 numbers of R rows of x, laid out for the tile: scales [R], in the Dot's units, what
// Tile wants beside them [R], then [kQuads][R] times four bytes, as ByteDot and NibbleDot want
// them. (Integers lie where floats could.)
template <typename Tile>
struct QuantisedRows {
    static constexpr int kQuadWords = Tile::Dot::kWords;
    static constexpr int kRow = 2 + kQuads * kQuadWords;
    static_assert(kRow <= kGroup);              // so that a Workspace has the room
    static constexpr float kLeast = 0x1p-119f;  // a 127th of which is no subnormal number

    // Puts `count` numbers, and zeroes behind them, into row r of a group: x = scale n with
    // |n| <= 127, the nearest n or, where two are about as near, either. (Beyond 2e34 a scale may
    // be infinite.)
    static void store(float* group, int r, int R, const float* x, int count) {
        float padded[kGroup];
        if (count < kGroup) {
            std::fill(std::copy_n(x, count, padded), padded + kGroup, 0.0f);
            x = padded;
        }
        IntVec sizes{};  // as bits, in the order of the numbers, infinity and NaN above them
        for (int i = 0; i < kGroup; i += kLanes) {
            const IntVec size = std::bit_cast<IntVec>(abs(load(x + i)));
            sizes = size > sizes ? size : sizes;
        }
        const auto larger = [](IntVec a, IntVec b) { return a > b ? a : b; };
        const float largest = std::max(std::bit_cast<float>(reduce(sizes, larger)), kLeast);
        const float scale = largest / 127, inverse = 127 / largest;
        std::int8_t n[kGroup];
        IntVec sums{};
        for (int i = 0; i < kGroup; i += kLanes) {
            const IntVec rounded = to_int(nearest(load(x + i) * inverse, -127, 127));
            sums += rounded;
            store_bytes(n + i, rounded);
        }
        const float checked = scale + scale * 0.0f;  // NaN where not every number is finite
        group[r] = checked / Tile::Dot::kUnit;
        const auto beside =
            Tile::beside(checked, reduce(sums, [](IntVec a, IntVec b) { return a + b; }));
        std::memcpy(group + R + r, &beside, sizeof beside);
        Tile::Dot::store_x(group + 2 * R + r * kQuadWords, R * kQuadWords, n);
    }
};

// n[p][r] = the products of one group's integers, summed, as Tile::Dot has them.
template <typename Tile, int R, int P, typename Next>
[[gnu::always_inline]] inline void multiply_group(IntVec (&n)[P][R][2], const float* x,
                                                  const std::byte* w, std::size_t panel_bytes,
                                                  Next& next) {
    using Dot = typename Tile::Dot;
    constexpr int kWords = QuantisedRows<Tile>::kQuadWords;
    constexpr bool kKeeps = !std::is_same_v<Tile, typename Tile::Kept>;
    unroll<P>([&](auto p) IN_PLACE {
        unroll<R>([&](auto r) IN_PLACE { n[p][r][0] = n[p][r][1] = Tile::start(x + R + r); });
    });
    const float* quad = x + 2 * R;
    unroll<P>([&](auto p) IN_PLACE {
        const std::byte* head = w + p * panel_bytes;
        next.read(head, Tile::kHead);
        if constexpr (kKeeps) next.keep(load_as<Pair>(head));
    });
    w += Tile::kHead;
    repeat(kQuads / Tile::kQuadsPerTurn, [&](int) IN_PLACE {
        unroll<Tile::kQuadsPerTurn>([&](auto turn) IN_PLACE {
            constexpr int i = turn % Tile::kQuadsPerLane;
            unroll<P>([&](auto p) IN_PLACE {
                const std::byte* lanes = w + p * panel_bytes;
                if constexpr (i == 0) next.read(lanes, kPanel * 4);
                const IntVec quad0 = Tile::template quad<i>(load_as<IntVec>(lanes));
                const IntVec quad1 = Tile::template quad<i>(load_as<IntVec>(lanes + kLanes * 4));
                if constexpr (kKeeps)
                    next.keep({std::bit_cast<Vec>(quad0), std::bit_cast<Vec>(quad1)});
                const auto w0 = Dot::split(quad0), w1 = Dot::split(quad1);
                unroll<R>([&](auto r) IN_PLACE {
                    n[p][r][0] = Dot::add(n[p][r][0], w0, quad + r * kWords);
                    n[p][r][1] = Dot::add(n[p][r][1], w1, quad + r * kWords);
                });
            });
            quad += R * kWords;
            if constexpr (i + 1 == Tile::kQuadsPerLane) w += kPanel * 4;
        });
    });
}

// Rows times panels whose float sums stay in registers beside those of integers: faster than more
// rows that leave them in memory.
inline constexpr int kRowsHeld = kLanes == 16 ? 6 : 0;

// sum[p][r] += x[r] w[p], over `groups` groups in sequence.
template <typename Tile, int R, int P, typename Next>
[[gnu::always_inline]] inline void multiply_groups(TileSums<R, P>& sum, const float* x,
                                                   const std::byte* w, std::size_t panel_bytes,
                                                   int groups, Next next) {
    using Rows = QuantisedRows<Tile>;
    constexpr bool kHeld = R * P <= kRowsHeld;
    TileSums<R, P> held;
    if constexpr (kHeld) std::memcpy(held, sum, sizeof held);
    for (int g = 0; g < groups; ++g, x += R * Rows::kRow, w += Tile::kBytes) {
        next.go();
        IntVec n[P][R][2];
        multiply_group<Tile, R, P>(n, x, w, panel_bytes, next);
        // Not held, they are left in memory till here: n takes the registers.
        auto* const sums = kHeld ? &held[0] : hold(&sum[0]);
        unroll<P>([&](auto p) IN_PLACE {
            const std::byte* head = w + p * panel_bytes;
            const Pair scales = load_pair(reinterpret_cast<const Bf16*>(head));
            const Pair minima = Tile::minima(head);
            const Vec scale[] = {scales.first, scales.second};
            const Vec base[] = {Tile::Dot::base(scale[0]), Tile::Dot::base(scale[1])};
            const Vec minimum[] = {minima.first, minima.second};
            unroll<R>([&](auto r) IN_PLACE {
                unroll<2>([&](auto v) IN_PLACE {
                    Vec& s = sums[p][r][v];
                    s = fma(Tile::Dot::scaled(n[p][r][v], scale[v], base[v]), broadcast(x[r]), s);
                    if constexpr (Tile::kHasMinima) s = fma(minimum[v], broadcast(x[R + r]), s);
                });
            });
        });
    }
    if constexpr (kHeld) std::memcpy(sum, held, sizeof held);
}
