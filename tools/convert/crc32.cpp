#include "tools/convert/crc32.h"
#include <array>
#include "base/number.h"

namespace convert {
namespace {

// Row j: what a byte does to the checksum when j more bytes follow it, so that eight go at once.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    constexpr std::uint32_t kPolynomial = 0xedb88320;
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
        tables[0][byte] = crc;
    }
    for (std::size_t j = 1; j < 8; ++j)
        for (std::size_t byte = 0; byte < 256; ++byte)
            tables[j][byte] = tables[j - 1][byte] >> 8 ^ tables[0][tables[j - 1][byte] & 0xff];
    return tables;
}
constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xffffffff;
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        const auto eight = load_little_endian<std::uint64_t>(bytes.data()) ^ crc;
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][eight >> 8 * i & 0xff];
    }
    for (const std::byte byte : bytes)
        crc = crc >> 8 ^ kTables[0][(crc ^ std::uint32_t(byte)) & 0xff];
    return ~crc;
}

}  // namespace convert
