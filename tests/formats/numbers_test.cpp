#include "formats/numbers.h"
#include <doctest/doctest.h>
#include <vector>

namespace {

std::vector<int> appended(NumberType type, std::span<const float> values) {
    std::vector<int> bytes;
    append_numbers(
        [&](std::span<const std::byte> some) {
            for (const std::byte b : some) bytes.push_back(int(b));
        },
        type, values);
    return bytes;
}

}  // namespace

TEST_CASE("numbers are appended little-endian, rounded to the type's nearest") {
    const std::vector<float> values = {1.0f, -2.5f, 1.0009765f};
    CHECK(appended(NumberType::f32, values) ==
          std::vector<int>{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0, 0xff, 0x1f, 0x80, 0x3f});
    CHECK(appended(NumberType::f16, values) == std::vector<int>{0, 0x3c, 0, 0xc1, 0x01, 0x3c});
    CHECK(appended(NumberType::bf16, values) ==
          std::vector<int>{0x80, 0x3f, 0x20, 0xc0, 0x80, 0x3f});
}

TEST_CASE("no number is lost or moved, however many there are") {
    for (const int n : {0, 1, 4095, 4096, 4097, 10000}) {
        std::vector<float> values;
        for (int i = 0; i < n; ++i) values.push_back(float(i));
        const auto bytes = appended(NumberType::f16, values);
        REQUIRE(bytes.size() == std::size_t(2 * n));
        for (std::size_t i = 0; i < 2048 && i < values.size(); ++i)  // exact in f16
            CHECK(f16_to_float(std::uint16_t(bytes[2 * i] | bytes[2 * i + 1] << 8)) == values[i]);
        if (n == 10000) CHECK(bytes[2 * 4096 + 1] == 0x6c);  // 4096 = 2^12
    }
}
