#include "formats/numbers.h"
#include <algorithm>
#include <array>

void append_numbers(const Append& append, NumberType type, std::span<const float> values) {
    constexpr std::size_t kBlock = 4096;
    std::array<std::byte, kBlock * sizeof(float)> bytes;
    const auto size = std::size_t(bytes_of(type));
    while (!values.empty()) {
        const auto block = values.first(std::min(values.size(), kBlock));
        for (std::size_t i = 0; i < block.size(); ++i) narrow(type, block[i], &bytes[i * size]);
        append(std::span(bytes).first(block.size() * size));
        values = values.subspan(block.size());
    }
}
