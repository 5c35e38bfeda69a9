// The checksum of zip archives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace convert {

std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace convert
