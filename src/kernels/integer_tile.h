// The register tile for weights of 8 and 4 bits: x in groups of 32 signed bytes with a scale each,
// integer sums inside a group, and the groups added to float sums in sequence.
#pragma once
#include "kernels/groups.h"
#include "kernels/tile.h"

// How the tile reads each kind of weights.
struct Q8Tile : Q8 {
    using Dot = ByteDot;
    static constexpr std::size_t kHead = kPanel * 2;  // scales in front of the lanes

    static constexpr int kQuadsPerLane = 1;

    template <int i>
    static IntVec quad(IntVec lane) {
        return lane;  // bytes n + 128
    }
    static IntVec start(std::int32_t sum_of_x) { return broadcast_int(-128 * sum_of_x); }
    static Vec add(Vec sum, Vec product, const std::byte* head, int v, float x_scale, float) {
        const auto* scales = reinterpret_cast<const Bf16*>(head) + v * kLanes;
        return fma(product, load(scales) * x_scale, sum);
    }
};

struct Q4Tile : Q4 {
    using Dot = NibbleDot;
    static constexpr std::size_t kHead = kPanel * 4;  // scales and minima

    static constexpr int kQuadsPerLane = 2;

    template <int i>
    static IntVec quad(IntVec lane) {
        return IntVec(UintVec(lane) >> (4 * i)) & 0x0f0f0f0f;
    }
    static IntVec start(std::int32_t) { return IntVec{}; }
    static Vec add(Vec sum, Vec product, const std::byte* head, int v, float x_scale, float x_sum) {
        const auto* scales = reinterpret_cast<const Bf16*>(head) + v * kLanes;
        sum = fma(product, load(scales) * x_scale, sum);
        return fma(load(scales + kPanel), broadcast(x_sum), sum);
    }
};

// A group of 32 numbers of R rows of x, laid out for the tile: scales [R], sums of the bytes [R],
// then [kQuads][R] times four bytes, as ByteDot and NibbleDot want them. Sums and bytes are
// integers where floats could lie.
template <typename Tile>
struct QuantisedRows {
    static constexpr int kQuad = Tile::Dot::kWords;
    static constexpr int kRow = 2 + kQuads * kQuad;
    static_assert(kRow <= kGroup);  // so that a Workspace has the room

    // Puts `count` numbers, and zeroes behind them, into row r of a group: x = scale n with
    // |n| <= 127, rounded to nearest.
    static void store(float* group, int r, int R, const float* x, int count) {
        float padded[kGroup] = {};
        if (count < kGroup) x = std::copy_n(x, count, padded) - count;
        Vec largest{}, nan_unless_finite{};
        for (int i = 0; i < kGroup; i += kLanes) {
            largest = max(largest, abs(load(x + i)));
            nan_unless_finite = nan_unless_finite + load(x + i) * 0.0f;
        }
        const float scale = reduce(largest, [](float a, float b) { return std::max(a, b); }) / 127;
        std::int8_t n[kGroup];
        IntVec sums{};
        for (int i = 0; i < kGroup; i += kLanes) {
            const Vec quotient = load(x + i) / (scale > 0 ? scale : 1.0f);
            const IntVec rounded = to_int(nearest(quotient, -127, 127));
            sums += rounded;
            store_bytes(n + i, rounded);
        }
        const auto add = [](auto a, auto b) { return a + b; };
        group[r] = scale + reduce(nan_unless_finite, add);
        const std::int32_t sum = reduce(sums, add);
        std::memcpy(group + R + r, &sum, sizeof sum);
        for (int q = 0; q < kQuads; ++q)
            Tile::Dot::store_x(group + 2 * R + (q * R + r) * kQuad, n + 4 * q);
    }
};

// sum[p][r] += x[r] w[p], over `groups` groups in sequence.
template <typename Tile, int R, int P>
[[gnu::always_inline]] inline void multiply_groups(TileSums<R, P>& sum, const float* x,
                                                   const std::byte* w, std::size_t panel_bytes,
                                                   int groups) {
    using Rows = QuantisedRows<Tile>;
    using Dot = typename Tile::Dot;
    for (int g = 0; g < groups; ++g, x += R * Rows::kRow, w += Tile::kBytes) {
        IntVec n[P][R][2];
        unroll<P>([&](auto p) IN_PLACE {
            unroll<R>([&](auto r) IN_PLACE {
                n[p][r][0] = n[p][r][1] = Tile::start(load_as<std::int32_t>(x + R + r));
            });
        });
        const float* quad = x + 2 * R;
        for (int lane = 0; lane < kQuads / Tile::kQuadsPerLane; ++lane)
            unroll<Tile::kQuadsPerLane>([&](auto i) IN_PLACE {
                unroll<P>([&](auto p) IN_PLACE {
                    const std::byte* lanes = w + p * panel_bytes + Tile::kHead + lane * kPanel * 4;
                    const auto w0 = Dot::split(Tile::template quad<i>(load_as<IntVec>(lanes)));
                    const auto w1 =
                        Dot::split(Tile::template quad<i>(load_as<IntVec>(lanes + kLanes * 4)));
                    unroll<R>([&](auto r) IN_PLACE {
                        n[p][r][0] = Dot::add(n[p][r][0], w0, quad + r * Rows::kQuad);
                        n[p][r][1] = Dot::add(n[p][r][1], w1, quad + r * Rows::kQuad);
                    });
                });
                quad += R * Rows::kQuad;
            });
        unroll<P>([&](auto p) IN_PLACE {
            unroll<R>([&](auto r) IN_PLACE {
                unroll<2>([&](auto v) IN_PLACE {
                    const Vec product = to_float(Dot::finish(n[p][r][v]));
                    const float x_sum = x[r] * float(load_as<std::int32_t>(x + R + r));
                    sum[p][r][v] =
                        Tile::add(sum[p][r][v], product, w + p * panel_bytes, v, x[r], x_sum);
                });
            });
        });
    }
}
