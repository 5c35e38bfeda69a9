#include "tools/convert/ggml_types.h"
#include <algorithm>
#include "base/error.h"

// Every product and sum below is one of floats, rounded, in the order in which ggml has it.
namespace convert {
namespace {

float f16(const std::byte* p) { return widen(NumberType::f16, p); }
int u8(const std::byte* p) { return int(*p); }
int i8(const std::byte* p) { return static_cast<signed char>(*p); }

template <NumberType type>
void decode_plain(const std::byte* block, float* y) {
    *y = widen(type, block);
}

// 32 numbers: a scale, the least number where `has_least`, the numbers' fifth bits where there are
// five, and 16 bytes of the numbers' low bits: j in the low half, j + 16 in the high half.
template <int bits, bool has_least>
void decode_32(const std::byte* block, float* y) {
    const float scale = f16(block), least = has_least ? f16(block + 2) : 0;
    block += has_least ? 4 : 2;
    const std::uint32_t fifth = bits == 5 ? load_little_endian<std::uint32_t>(block) : 0;
    block += bits == 5 ? 4 : 0;
    for (int j = 0; j < 32; ++j) {
        const int low = u8(block + j % 16) >> (j < 16 ? 0 : 4) & 15;
        const int q = low | int(fifth >> j & 1) << 4;
        y[j] = has_least ? float(q) * scale + least : float(q - (1 << (bits - 1))) * scale;
    }
}

void decode_q8_0(const std::byte* block, float* y) {
    for (int j = 0; j < 32; ++j) y[j] = float(i8(block + 2 + j)) * f16(block);
}

// Scale and least number of eight groups of 32 in 12 bytes, six bits each: those of the last four
// have their upper two bits above the six of the first four.
int scale_of(const std::byte* packed, int group) {
    if (group < 4) return u8(packed + group) & 63;
    return (u8(packed + group + 4) & 15) | u8(packed + group - 4) >> 6 << 4;
}
int least_of(const std::byte* packed, int group) {
    if (group < 4) return u8(packed + group + 4) & 63;
    return u8(packed + group + 4) >> 4 | u8(packed + group) >> 6 << 4;
}

// 256 numbers: the scales' scale and that of the least numbers, these for each group, the fifth
// bits (group g's are bit g) where there are five, and the low bits of two groups in 32 bytes.
template <int bits>
void decode_k(const std::byte* block, float* y) {
    const float scale = f16(block), least = f16(block + 2);
    const std::byte *const packed = block + 4, *const fifth = block + 16;
    const std::byte* const low = block + (bits == 5 ? 48 : 16);
    for (int group = 0; group < 8; ++group) {
        const float d = scale * float(scale_of(packed, group));
        const float m = least * float(least_of(packed, group));
        for (int j = 0; j < 32; ++j) {
            int q = u8(low + group / 2 * 32 + j) >> group % 2 * 4 & 15;
            if (bits == 5) q |= (u8(fifth + j) >> group & 1) << 4;
            y[group * 32 + j] = d * float(q) - m;
        }
    }
}

// 256 numbers of six bits: four low bits each, in two halves of 64 bytes; two high bits each, in
// two halves of 32 bytes; 16 scales; the scales' scale.
void decode_q6_k(const std::byte* block, float* y) {
    const std::byte *const low = block, *const high = block + 128, *const scales = block + 192;
    const float scale = f16(block + 208);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, quarter = i % 128 / 32, j = i % 32;
        const int bits = u8(low + half * 64 + quarter % 2 * 32 + j) >> quarter / 2 * 4 & 15;
        const int top = u8(high + half * 32 + j) >> quarter * 2 & 3;
        y[i] = scale * float(i8(scales + i / 16)) * float((bits | top << 4) - 32);
    }
}

constexpr auto f32 = NumberType::f32;
constexpr GgmlType kTypes[] = {
    {0, "F32", 1, 4, f32, decode_plain<f32>},
    {1, "F16", 1, 2, NumberType::f16, decode_plain<NumberType::f16>},
    {30, "BF16", 1, 2, NumberType::bf16, decode_plain<NumberType::bf16>},
    {2, "Q4_0", 32, 18, f32, decode_32<4, false>},
    {3, "Q4_1", 32, 20, f32, decode_32<4, true>},
    {6, "Q5_0", 32, 22, f32, decode_32<5, false>},
    {7, "Q5_1", 32, 24, f32, decode_32<5, true>},
    {8, "Q8_0", 32, 34, f32, decode_q8_0},
    {12, "Q4_K", 256, 144, f32, decode_k<4>},
    {13, "Q5_K", 256, 176, f32, decode_k<5>},
    {14, "Q6_K", 256, 210, f32, decode_q6_k},
};

}  // namespace

const GgmlType& ggml_type(std::uint32_t id) {
    std::string known;
    for (const GgmlType& type : kTypes) {
        if (type.id == id) return type;
        known += cat(known.empty() ? "" : ", ", type.id, " ", type.name);
    }
    throw Error(cat("type ", id, " is not read; those that are: ", known));
}

std::vector<float> decode(const GgmlType& type, std::span<const std::byte> blocks) {
    const std::size_t count = blocks.size() / type.bytes;
    std::vector<float> values(count * type.numbers);
    for (std::size_t b = 0; b < count; ++b)
        type.decode(&blocks[b * type.bytes], &values[b * type.numbers]);
    return values;
}

}  // namespace convert
