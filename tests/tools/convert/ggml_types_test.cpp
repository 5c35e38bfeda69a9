#include "tools/convert/ggml_types.h"
#include <doctest/doctest.h>
#include <bit>
#include "tests/tools/convert/foreign_formats.h"

using namespace foreign;

namespace {

std::string half(float value) { return u16(float_to_f16(value)); }

std::vector<float> decoded(std::uint32_t id, const std::string& bytes) {
    const auto& type = convert::ggml_type(id);
    CHECK(bytes.size() % type.bytes == 0);
    return convert::decode(type, std::as_bytes(std::span(bytes)));
}

// n whole numbers of so many bits.
std::vector<int> random_bits(std::size_t n, int bits, std::uint64_t seed) {
    Random random(seed);
    std::vector<int> values(n);
    for (int& v : values) v = int(random.next() >> (64 - bits));
    return values;
}

// The low four bits of 32 numbers: j with j + 16 in a byte.
std::string low_32(const std::vector<int>& q) {
    std::string bytes;
    for (std::size_t j = 0; j < 16; ++j) bytes += char((q[j] & 15) | (q[j + 16] & 15) << 4);
    return bytes;
}
std::string fifth_32(const std::vector<int>& q) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 32; ++j) bits |= std::uint32_t(q[j] >> 4 & 1) << j;
    return u32(bits);
}

}  // namespace

TEST_CASE("plain numbers are what they are, and kept as their type") {
    const std::vector<float> values = {1, -2.5f, 0.0999755859375f, 65504};
    CHECK(decoded(0, number_bytes(NumberType::f32, values)) == values);
    CHECK(decoded(1, number_bytes(NumberType::f16, values)) == values);
    CHECK(convert::ggml_type(1).kept_as == NumberType::f16);
    CHECK(decoded(30, number_bytes(NumberType::bf16, {1, -2.5f})) == std::vector<float>{1, -2.5f});
    CHECK(convert::ggml_type(30).kept_as == NumberType::bf16);
}

TEST_CASE("blocks of 32 are a scale times whole numbers, from a least number or around zero") {
    const auto q4 = random_bits(32, 4, 1), q5 = random_bits(32, 5, 2), q8 = random_bits(32, 8, 3);
    const float d = 0.0999755859375f, m = -1.5f;
    std::string bytes8 = half(d);
    for (const int q : q8) bytes8 += char(q - 128);
    const auto v4_0 = decoded(2, half(d) + low_32(q4));
    const auto v4_1 = decoded(3, half(d) + half(m) + low_32(q4));
    const auto v5_0 = decoded(6, half(d) + fifth_32(q5) + low_32(q5));
    const auto v5_1 = decoded(7, half(d) + half(m) + fifth_32(q5) + low_32(q5));
    const auto v8_0 = decoded(8, bytes8);
    for (std::size_t j = 0; j < 32; ++j) {
        CHECK(v4_0[j] == float(q4[j] - 8) * d);
        CHECK(v4_1[j] == float(q4[j]) * d + m);
        CHECK(v5_0[j] == float(q5[j] - 16) * d);
        CHECK(v5_1[j] == float(q5[j]) * d + m);
        CHECK(v8_0[j] == float(q8[j] - 128) * d);
    }
}

TEST_CASE("Q4_K and Q5_K have a scale and a least number of six bits for each 32") {
    const float d = 0.0999755859375f, least = 0.25f;
    const auto scales = random_bits(8, 6, 4), mins = random_bits(8, 6, 5);
    std::string packed;
    for (std::size_t g = 0; g < 4; ++g) packed += char(scales[g] | scales[g + 4] >> 4 << 6);
    for (std::size_t g = 0; g < 4; ++g) packed += char(mins[g] | mins[g + 4] >> 4 << 6);
    for (std::size_t g = 4; g < 8; ++g) packed += char((scales[g] & 15) | (mins[g] & 15) << 4);
    for (const int bits : {4, 5}) {
        const auto q = random_bits(256, bits, 6);
        std::string fifth(bits == 5 ? 32 : 0, '\0'), low;
        for (std::size_t g = 0; bits == 5 && g < 8; ++g)
            for (std::size_t j = 0; j < 32; ++j) fifth[j] |= char((q[g * 32 + j] >> 4) << g);
        for (std::size_t g = 0; g < 8; g += 2)
            for (std::size_t j = 0; j < 32; ++j)
                low += char((q[g * 32 + j] & 15) | (q[g * 32 + 32 + j] & 15) << 4);
        const auto values =
            decoded(bits == 4 ? 12 : 13, half(d) + half(least) + packed + fifth + low);
        for (std::size_t i = 0; i < 256; ++i)
            CHECK(values[i] ==
                  d * float(scales[i / 32]) * float(q[i]) - least * float(mins[i / 32]));
    }
}

TEST_CASE("Q6_K has a signed scale for each 16") {
    const float d = 0.0999755859375f;
    const auto q = random_bits(256, 6, 7), scales = random_bits(16, 8, 8);
    std::string low(128, '\0'), high(64, '\0'), tail;
    for (std::size_t i = 0; i < 256; ++i) {
        const std::size_t half_of = i / 128, quarter = i % 128 / 32, j = i % 32;
        low[half_of * 64 + quarter % 2 * 32 + j] |= char((q[i] & 15) << (quarter < 2 ? 0 : 4));
        high[half_of * 32 + j] |= char((q[i] >> 4) << 2 * quarter);
    }
    for (const int scale : scales) tail += char(scale - 128);
    const auto values = decoded(14, low + high + tail + half(d));
    for (std::size_t i = 0; i < 256; ++i)
        CHECK(values[i] == d * float(scales[i / 16] - 128) * float(q[i] - 32));
}

TEST_CASE("a type that is not read is refused by its number") {
    CHECK_THROWS_WITH_AS(
        convert::ggml_type(10),
        "type 10 is not read; those that are: 0 F32, 1 F16, 30 BF16, 2 Q4_0, 3 Q4_1, "
        "6 Q5_0, 7 Q5_1, 8 Q8_0, 12 Q4_K, 13 Q5_K, 14 Q6_K",
        Error);
}
