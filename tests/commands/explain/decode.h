// Reads the tensors of a page's JSON.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <vector>
#include "base/number.h"
#include "formats/json.h"

inline std::vector<float> floats(const Json& base64_text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : base64_text.string()) {
        if (c == '=') break;
        bits = bits << 6 | std::uint32_t(kDigits.find(c));
        if ((count += 6) < 8) continue;
        count -= 8;
        bytes += char(bits >> count & 0xff);
    }
    std::vector<float> values(bytes.size() / 4);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::bit_cast<float>(load_little_endian<std::uint32_t>(&bytes[4 * i]));
    return values;
}
