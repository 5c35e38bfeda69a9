// The safetensors format: a header of JSON that names every tensor, then their numbers.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "base/file.h"
#include "base/number.h"

// What a safetensors file holds, nothing of it copied. As strict as the format's own library: the
// tensors fill the file, side by side, without a gap.
class SafeTensors {
public:
    struct Entry {
        std::string name, dtype;  // dtype as in the file, such as "BF16", known or not
        std::vector<std::int64_t> shape;
        std::span<const std::byte> bytes;  // shape times dtype long, where the dtype is known
    };

    // Throws Error, naming the file and the tensor, where anything is not as the format demands.
    static SafeTensors open(File file);

    const std::vector<Entry>& entries() const { return entries_; }  // in the order of their names
    const Entry* find(std::string_view name) const;                 // null where there is none
    const File& file() const { return file_; }
    // Hands the file over, whose bytes the entries point into.
    File release() && { return std::move(file_); }

private:
    explicit SafeTensors(File file) : file_(std::move(file)) {}

    File file_;
    std::vector<Entry> entries_;
};

// The number type that a dtype means; nothing for types that are not among the three.
std::optional<NumberType> number_type(std::string_view dtype);

// A shape as text: [2,3].
std::string shape_text(std::span<const std::int64_t> shape);

struct TensorSource {
    std::string name;
    NumberType type;  // what the file shall hold
    std::vector<std::int64_t> shape;
    // Called once, when the tensor's turn comes, so that no two need to be in memory.
    std::function<std::vector<float>()> values;
};
// Writes the tensors in that order: the whole file, or none. Refuses a number that is finite and
// would not be in its type. Errors in the numbers get `source` before them: what these come from.
void write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                       std::string_view source = "");
