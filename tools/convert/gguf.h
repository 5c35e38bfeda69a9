// The GGUF format, versions 2 and 3: values under keys, then tensors.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#include "tools/convert/byte_reader.h"
#include "tools/convert/ggml_types.h"

namespace convert {

// A value, still as the file has it. Each reading throws Error where the value is of another type.
struct GgufValue {
    std::uint32_t type, element_type;  // the latter of arrays
    std::uint64_t count;               // of an array's elements, 1 for what is none
    std::span<const std::byte> bytes;

    std::int64_t integer() const;
    double real() const;
    std::string_view text() const;
    std::vector<std::int64_t> integers() const;
    std::vector<std::string_view> texts() const;

private:
    void require(bool fits, const char* expected) const;
};

struct GgufTensor {
    std::vector<std::int64_t> shape;  // outermost first; the file has it the other way round
    const GgmlType* type = nullptr;
    std::span<const std::byte> bytes;
};

struct Gguf {
    std::uint32_t version = 0;
    std::map<std::string, GgufValue, std::less<>> values;
    std::map<std::string, GgufTensor, std::less<>> tensors;

    static bool is_one(std::string_view bytes) { return bytes.starts_with("GGUF"); }

    // Throws Error where anything lies outside the bytes, which must outlive it.
    static Gguf parse(std::span<const std::byte> bytes);

    bool has(std::string_view key) const { return values.contains(key); }
    // That key's value in one of GgufValue's readings. Throws Error, with the key, where it is not
    // there or of another type.
    template <typename T>
    T read(std::string_view key, T (GgufValue::*reading)() const) const {
        return in_file(key, [&] { return (at(key).*reading)(); });
    }
    // The same of a key that need not be there.
    template <typename T>
    T read_or(std::string_view key, T (GgufValue::*reading)() const,
              std::type_identity_t<T> otherwise) const {
        return has(key) ? read(key, reading) : otherwise;
    }

private:
    const GgufValue& at(std::string_view key) const;
};

}  // namespace convert
