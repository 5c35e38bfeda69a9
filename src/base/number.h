// The number types of weight files, and how each widens to float: exactly, on any byte order.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

enum class NumberType { f32, f16, bf16 };

constexpr int bytes_of(NumberType type) { return type == NumberType::f32 ? 4 : 2; }
constexpr const char* name_of(NumberType type) {
    return type == NumberType::f32 ? "f32" : type == NumberType::f16 ? "f16" : "bf16";
}

// The integer stored little-endian at p (which need not be aligned).
template <typename Unsigned>
Unsigned load_little_endian(const void* p) {
    Unsigned value;
    std::memcpy(&value, p, sizeof value);
    if constexpr (std::endian::native == std::endian::big) {
        Unsigned swapped = 0;
        for (std::size_t i = 0; i < sizeof value; ++i, value = Unsigned(value >> 8))
            swapped = Unsigned(swapped << 8 | (value & 0xff));
        value = swapped;
    }
    return value;
}

// Writes value little-endian at p.
template <typename Unsigned>
void store_little_endian(void* p, Unsigned value) {
    value = load_little_endian<Unsigned>(&value);
    std::memcpy(p, &value, sizeof value);
}

inline float bf16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

// Rounds to nearest even; NaN stays NaN.
inline std::uint16_t float_to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (value != value) return std::uint16_t(bits >> 16 | 0x40);
    return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float f16_to_float(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    // Below the exponent bias of 112 = 127 - 15 a product with 2^112 is exact, subnormals included.
    return std::bit_cast<float>(
        sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest << 13) * 0x1p112f));
}

// Rounds to nearest even; overflow is infinite, NaN stays NaN.
inline std::uint16_t float_to_f16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return std::uint16_t(sign | 0x7e00);
    if (rest >= 0x477ff000) return std::uint16_t(sign | 0x7c00);
    if (rest <
        0x38800000)  // subnormal: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits
        return std::uint16_t(
            sign | (std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000));
    return std::uint16_t(sign | (rest + 0xfff + (rest >> 13 & 1) - 0x38000000) >> 13);
}

// The number of that type at p, as a float.
inline float widen(NumberType type, const void* p) {
    if (type == NumberType::f32) return std::bit_cast<float>(load_little_endian<std::uint32_t>(p));
    const auto bits = load_little_endian<std::uint16_t>(p);
    return type == NumberType::f16 ? f16_to_float(bits) : bf16_to_float(bits);
}

// Writes the value at p as a number of that type, rounded to the nearest.
inline void narrow(NumberType type, float value, void* p) {
    if (type == NumberType::f32)
        store_little_endian(p, std::bit_cast<std::uint32_t>(value));
    else
        store_little_endian(p,
                            type == NumberType::f16 ? float_to_f16(value) : float_to_bf16(value));
}
