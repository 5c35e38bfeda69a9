#include "kernels/simd.h"
#include <doctest/doctest.h>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include "base/number.h"
#include "tests/support.h"

TEST_CASE("16-bit floats widen exactly, all of them") {
    for (std::uint32_t bits = 0; bits < 0x10000; bits += std::uint32_t(kLanes)) {
        F16 f16[kLanes];
        Bf16 bf16[kLanes];
        for (int l = 0; l < kLanes; ++l) {
            f16[l] = {std::uint16_t(bits + std::uint32_t(l))};
            bf16[l] = {std::uint16_t(bits + std::uint32_t(l))};
        }
        const Vec a = load(f16), b = load(bf16);
        for (int l = 0; l < kLanes; ++l) {
            const float x = f16_to_float(f16[l].bits), y = bf16_to_float(bf16[l].bits);
            if (std::isnan(x) || std::isnan(y)) {
                CHECK(std::isnan(a[l]) == std::isnan(x));
                CHECK(std::isnan(b[l]) == std::isnan(y));
            } else {
                REQUIRE(std::bit_cast<std::uint32_t>(float(a[l])) ==
                        std::bit_cast<std::uint32_t>(x));
                REQUIRE(std::bit_cast<std::uint32_t>(float(b[l])) ==
                        std::bit_cast<std::uint32_t>(y));
            }
        }
    }
}

TEST_CASE("broadcast keeps the sign of zero") {
    CHECK(std::signbit(float(broadcast(-0.0f)[0])));
    CHECK_FALSE(std::signbit(float(broadcast(0.0f)[kLanes - 1])));
}

TEST_CASE("of two the larger or smaller; the second where either is no number or both are zero") {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    for (const auto& [a, b] : {std::pair(1.0f, 2.0f),
                               {2.0f, -3.0f},
                               {kNaN, 1.0f},
                               {1.0f, kNaN},
                               {0.0f, -0.0f},
                               {-0.0f, 0.0f}}) {
        CHECK(bits(max(broadcast(a), broadcast(b))[0]) == bits(a > b ? a : b));
        CHECK(bits(min(broadcast(a), broadcast(b))[0]) == bits(a < b ? a : b));
    }
}

TEST_CASE("bytes are stored in order, with their signs") {
    IntVec v{};
    for (int i = 0; i < kLanes; ++i) v[i] = i % 2 ? 127 - i : i - 127;
    std::int8_t bytes[kLanes];
    store_bytes(bytes, v);
    for (int i = 0; i < kLanes; ++i) CHECK(int(bytes[i]) == int(v[i]));
}

TEST_CASE("map covers every length and writes nothing behind it") {
    const auto x = random_floats(40, 1), z = random_floats(40, 2);
    for (int n = 0; n <= 35; ++n) {
        std::vector<float> y(40, -7.0f);
        map(
            y.data(), n, [](Vec a, Vec b) { return a - b; }, x.data(), z.data());
        for (int i = 0; i < 40; ++i) {
            const auto at = std::size_t(i);
            REQUIRE(y[at] == (i < n ? x[at] - z[at] : -7.0f));
        }
    }
}

TEST_CASE("a row is reduced over sixteen lanes in one order on every machine") {
    const auto x = random_floats(100, 3);
    for (const int n : {1, 15, 16, 17, 31, 32, 100}) {
        float lanes[16] = {};
        for (int j = 0; j < n; ++j) lanes[j % 16] += x[std::size_t(j)];
        for (int half = 8; half > 0; half /= 2)
            for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
        Sixteen total{};
        for_sixteens(x.data(), n, 0, [&](auto part, Vec v) {
            total[std::size_t(part)] = total[std::size_t(part)] + v;
        });
        CHECK(fold(total, [](Vec a, Vec b) { return a + b; }) == lanes[0]);
    }
}

TEST_CASE("a pair of vectors of bf16 shares its lanes") {
    std::uint32_t lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) lanes[l] = std::uint32_t(0x4000 + l) << 16 | (0xbf80u + l);
    const Pair pair = load_pair(reinterpret_cast<const Bf16*>(lanes));
    for (int l = 0; l < kLanes; ++l) {
        CHECK(float(pair.first[l]) == bf16_to_float(std::uint16_t(0xbf80 + l)));
        CHECK(float(pair.second[l]) == bf16_to_float(std::uint16_t(0x4000 + l)));
    }
}
