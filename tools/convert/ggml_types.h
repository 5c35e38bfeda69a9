// The number types of ggml's tensors: blocks of quantised numbers that share scales, and what they
// stand for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include "base/number.h"

namespace convert {

struct GgmlType {
    std::uint32_t id;  // in the file
    std::string_view name;
    std::size_t numbers, bytes;  // of a block
    NumberType kept_as;          // holds every value of it
    void (*decode)(const std::byte* block, float* numbers);
};

// Refuses, by its number, a type that is not read here.
const GgmlType& ggml_type(std::uint32_t id);

// All numbers of whole blocks.
std::vector<float> decode(const GgmlType& type, std::span<const std::byte> blocks);

}  // namespace convert
