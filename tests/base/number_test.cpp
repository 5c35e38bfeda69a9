#include "base/number.h"
#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include "base/random.h"

namespace {

// A half by its definition: sign, 5 bits of exponent, 10 of fraction.
double f16_by_definition(unsigned bits) {
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign *
           (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

}  // namespace

TEST_CASE("every half and every bfloat16 widens exactly and narrows back to itself") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto half = std::uint16_t(bits);
        const double wanted = f16_by_definition(bits);
        const float f = f16_to_float(half), b = bf16_to_float(half);
        if (std::isnan(wanted)) {
            CHECK(std::isnan(f));
            CHECK(std::isnan(f16_to_float(float_to_f16(f))));
        } else {
            CHECK(f == wanted);
            CHECK(float_to_f16(f) == half);
        }
        if (std::isnan(b))
            CHECK(std::isnan(bf16_to_float(float_to_bf16(b))));
        else
            CHECK(float_to_bf16(b) == half);
    }
}

TEST_CASE("narrowing takes the nearest value, the even one of two equally near") {
    CHECK(float_to_f16(1 + 0x1p-11f) == 0x3c00);
    CHECK(float_to_f16(1 + 3 * 0x1p-11f) == 0x3c02);
    CHECK(float_to_f16(65519.996f) == 0x7bff);
    CHECK(float_to_f16(65520) == 0x7c00);
    CHECK(float_to_f16(0x1p-25f) == 0);
    CHECK(float_to_f16(0x1.8p-25f) == 1);
    CHECK(float_to_bf16(1 + 0x1p-8f) == 0x3f80);
    CHECK(float_to_bf16(1 + 3 * 0x1p-8f) == 0x3f82);
    Random random(1);
    for (int i = 0; i < 10000; ++i) {
        const auto x = float(std::ldexp(random.normal(), int(random.next() % 40) - 30));
        const std::uint16_t half = float_to_f16(x);
        if (std::fabs(x) >= 65504) continue;
        const double error = std::fabs(f16_to_float(half) - x);
        CHECK(error <= std::fabs(f16_by_definition(half + 1u) - x));
        if ((half & 0x7fff) != 0) CHECK(error <= std::fabs(f16_by_definition(half - 1u) - x));
    }
}

TEST_CASE("integers are stored with the lowest byte first") {
    unsigned char bytes[9] = {};
    store_little_endian<std::uint64_t>(bytes + 1, 0x0102030405060708);
    CHECK(bytes[1] == 8);
    CHECK(bytes[8] == 1);
    CHECK(load_little_endian<std::uint64_t>(bytes + 1) == 0x0102030405060708);
    CHECK(load_little_endian<std::uint16_t>(bytes + 1) == 0x0708);
}
