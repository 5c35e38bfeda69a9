#include "tools/convert/gguf.h"
#include <algorithm>
#include <bit>
#include <limits>

namespace convert {
namespace {

// The types of values, by their number: bytes, whether a whole number, whether signed. (A boolean
// is no number.)
struct ValueType {
    const char* name;
    int size;
    bool whole, has_sign;
};
constexpr ValueType kTypes[] = {
    {"uint8", 1, true, false},  {"int8", 1, true, true},      {"uint16", 2, true, false},
    {"int16", 2, true, true},   {"uint32", 4, true, false},   {"int32", 4, true, true},
    {"float", 4, false, false}, {"boolean", 1, false, false}, {"text", 0, false, false},
    {"array", 0, false, false}, {"uint64", 8, true, false},   {"int64", 8, true, true},
    {"double", 8, false, false}};
constexpr std::uint32_t kText = 8, kArray = 9, kFloat = 6, kDouble = 12;

std::string_view read_text(ByteReader& reader) {
    return reader.text(reader.number<std::uint64_t>());
}

int size_of(std::uint32_t type) {
    if (type >= std::size(kTypes)) throw Error(cat("has the unknown type ", type));
    return kTypes[type].size;
}

// Moves the reader past `count` values of a type that is no array.
void skip(ByteReader& reader, std::uint32_t type, std::uint64_t count) {
    if (type == kArray) throw Error("is an array of arrays");
    if (type == kText)
        for (std::uint64_t i = 0; i < count; ++i) read_text(reader);
    else if (count > reader.left())  // so that the product below cannot wrap
        throw Error(cat("has ", count, " values, and the file ends before"));
    else
        reader.take(count * std::uint64_t(size_of(type)));
}

GgufValue read_value(ByteReader& reader, std::span<const std::byte> file) {
    GgufValue value{reader.number<std::uint32_t>(), 0, 1, {}};
    value.element_type = value.type;
    if (value.type == kArray) {
        value.element_type = reader.number<std::uint32_t>();
        value.count = reader.number<std::uint64_t>();
    }
    const std::size_t first = reader.at();
    skip(reader, value.element_type, value.count);
    value.bytes = file.subspan(first, reader.at() - first);
    return value;
}

// The shape and the type; the offset of its bytes behind the header goes to `offset`.
GgufTensor read_tensor(ByteReader& reader, std::uint64_t& offset) {
    GgufTensor tensor;
    const auto rank = reader.number<std::uint32_t>();
    if (rank > 4) throw Error(cat("has ", rank, " dimensions, at most 4 are known"));
    for (std::uint32_t i = 0; i < rank; ++i) {
        constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
        const auto dim = reader.number<std::uint64_t>();
        if (dim < 1 || dim > kMost)
            throw Error(cat("has a dimension of ", dim, ", expected 1 to ", kMost));
        tensor.shape.insert(tensor.shape.begin(), std::int64_t(dim));
    }
    tensor.type = &ggml_type(reader.number<std::uint32_t>());
    offset = reader.number<std::uint64_t>();
    return tensor;
}

// How many bytes the tensor has, where that is at most `limit`.
std::uint64_t size_within(const GgufTensor& tensor, std::uint64_t limit) {
    const auto cols = std::uint64_t(tensor.shape.empty() ? 1 : tensor.shape.back());
    if (cols % tensor.type->numbers != 0)
        throw Error(cat("has rows of ", cols, ", no multiple of the ", tensor.type->numbers,
                        " numbers of a block of ", tensor.type->name));
    std::uint64_t size = cols / tensor.type->numbers * tensor.type->bytes;
    for (std::size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
        const auto dim = std::uint64_t(tensor.shape[i]);
        if (size > limit / dim) throw Error("goes beyond the file's end");
        size *= dim;
    }
    if (size > limit) throw Error("goes beyond the file's end");
    return size;
}

// The next multiple of the alignment.
std::size_t round_up(std::size_t at, std::int64_t unit) {
    if (unit < 8 || unit > 1 << 20 || unit % 8 != 0)
        throw Error(
            cat("general.alignment is ", unit, ", expected a multiple of 8 from 8 to ", 1 << 20));
    return (at + std::size_t(unit) - 1) / std::size_t(unit) * std::size_t(unit);
}

std::int64_t integer_at(std::uint32_t type, const std::byte* p) {
    const int size = kTypes[type].size;
    std::uint64_t bits = 0;
    for (int i = size; i-- > 0;) bits = bits << 8 | std::uint64_t(p[i]);
    const int unused = 64 - 8 * size;
    if (kTypes[type].has_sign) return std::int64_t(bits << unused) >> unused;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (bits > kMost) throw Error(cat("expected at most ", kMost, ", found ", bits));
    return std::int64_t(bits);
}

}  // namespace

void GgufValue::require(bool fits, const char* expected) const {
    if (fits) return;
    throw Error(cat("expected ", expected, ", found ", type == kArray ? "an array of " : "",
                    kTypes[element_type].name));
}

std::int64_t GgufValue::integer() const {
    require(kTypes[type].whole, "a whole number");
    return integers()[0];
}

std::vector<std::int64_t> GgufValue::integers() const {
    require(kTypes[element_type].whole, "whole numbers");
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    const auto size = std::size_t(kTypes[element_type].size);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = integer_at(element_type, &bytes[i * size]);
    return values;
}

double GgufValue::real() const {
    if (type == kFloat)
        return std::bit_cast<float>(load_little_endian<std::uint32_t>(bytes.data()));
    if (type == kDouble)
        return std::bit_cast<double>(load_little_endian<std::uint64_t>(bytes.data()));
    require(kTypes[type].whole, "a number");
    return double(integer());
}

std::string_view GgufValue::text() const {
    require(type == kText, "a text");
    return texts()[0];
}

std::vector<std::string_view> GgufValue::texts() const {
    require(element_type == kText, "texts");
    std::vector<std::string_view> values;
    for (ByteReader reader(bytes); reader.left() > 0;) values.push_back(read_text(reader));
    return values;
}

const GgufValue& Gguf::at(std::string_view key) const {
    const auto found = values.find(key);
    if (found == values.end()) throw Error("is not there");
    return found->second;
}

Gguf Gguf::parse(std::span<const std::byte> bytes) {
    Gguf gguf;
    ByteReader reader(bytes, 4);
    gguf.version = reader.number<std::uint32_t>();
    if (gguf.version != 0 && gguf.version % 0x10000 == 0) throw Error("is a big-endian GGUF file");
    if (gguf.version != 2 && gguf.version != 3)
        throw Error(cat("is of GGUF version ", gguf.version, "; known are 2 and 3"));
    const auto tensor_count = reader.number<std::uint64_t>();
    const auto value_count = reader.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < value_count; ++i) {
        const std::string key(read_text(reader));
        const GgufValue value = in_file(key, [&] { return read_value(reader, bytes); });
        if (!gguf.values.insert({key, value}).second) throw Error(cat("has ", key, " twice"));
    }
    std::map<std::string, std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < tensor_count; ++i) {
        const std::string name(read_text(reader));
        const GgufTensor tensor = in_file(name, [&] { return read_tensor(reader, offsets[name]); });
        if (!gguf.tensors.insert({name, tensor}).second) throw Error(cat("has ", name, " twice"));
    }
    const std::size_t start =
        round_up(reader.at(), gguf.read_or("general.alignment", &GgufValue::integer, 32));
    const auto data = bytes.subspan(std::min(bytes.size(), start));
    for (auto& entry : gguf.tensors)
        in_file(entry.first, [&] {
            const std::uint64_t offset = std::min<std::uint64_t>(offsets[entry.first], data.size());
            const std::uint64_t size = size_within(entry.second, data.size() - offset);
            entry.second.bytes = data.subspan(std::size_t(offset), std::size_t(size));
        });
    return gguf;
}

}  // namespace convert
