// The register tile for weights of 8 and 4 bits: x in groups of 32 signed bytes with a scale each,
// integer sums inside a group, and the groups added to float sums in sequence.
#pragma once
#include "kernels/groups.h"
#include "kernels/tile.h"

// How the tile reads each kind of weights.
struct Q8Tile : Q8 {
    using Dot = ByteDot;
    static constexpr std::size_t kHead = kPanel * 2;  // scales in front of the lanes

    // Bytes n + 128 of quad 2 pair + half.
    template <int half>
    static IntVec quad(const std::byte* lanes, int pair, int v) {
        return load_as<IntVec>(lanes + ((2 * pair + half) * kPanel + v * kLanes) * 4);
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

    template <int half>
    static IntVec quad(const std::byte* lanes, int pair, int v) {
        const auto both = load_as<UintVec>(lanes + (pair * kPanel + v * kLanes) * 4);
        return IntVec(both >> (4 * half)) & 0x0f0f0f0f;
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
        std::copy_n(x, count, padded);
        Vec largest{}, nan_unless_finite{};
        for (int i = 0; i < kGroup; i += kLanes) {
            largest = max(largest, abs(load(padded + i)));
            nan_unless_finite = nan_unless_finite + load(padded + i) * 0.0f;
        }
        float scale = 0;
        for (int l = 0; l < kLanes; ++l) scale = std::max(scale, largest[l]);
        scale /= 127;
        std::int8_t n[kGroup];
        std::int32_t sum = 0;
        for (int i = 0; i < kGroup; i += kLanes) {
            const Vec quotient = load(padded + i) / (scale > 0 ? scale : 1.0f);
            const IntVec rounded = to_int(nearest(quotient, -127, 127));
            for (int l = 0; l < kLanes; ++l) sum += n[i + l] = std::int8_t(rounded[l]);
        }
        for (int l = 0; l < kLanes; ++l) scale += nan_unless_finite[l];
        group[r] = scale;
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
        unroll<P>([&](auto p) {
            unroll<R>([&](auto r) {
                n[p][r][0] = n[p][r][1] = Tile::start(load_as<std::int32_t>(x + R + r));
            });
        });
        for (int pair = 0; pair < kQuads / 2; ++pair)
            unroll<2 * P>([&](auto i) {
                constexpr int p = i / 2, half = i % 2;
                const std::byte* lanes = w + p * panel_bytes + Tile::kHead;
                const auto w0 = Dot::split(Tile::template quad<half>(lanes, pair, 0));
                const auto w1 = Dot::split(Tile::template quad<half>(lanes, pair, 1));
                unroll<R>([&](auto r) {
                    const float* quad = x + 2 * R + ((2 * pair + half) * R + r) * Rows::kQuad;
                    n[p][r][0] = Dot::add(n[p][r][0], w0, quad);
                    n[p][r][1] = Dot::add(n[p][r][1], w1, quad);
                });
            });
        unroll<P>([&](auto p) {
            unroll<R>([&](auto r) {
                unroll<2>([&](auto v) {
                    const Vec product = to_float(Dot::finish(n[p][r][v]));
                    const float x_sum = x[r] * float(load_as<std::int32_t>(x + R + r));
                    sum[p][r][v] =
                        Tile::add(sum[p][r][v], product, w + p * panel_bytes, v, x[r], x_sum);
                });
            });
        });
    }
}
