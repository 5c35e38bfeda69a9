#include "formats/safetensors.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include "base/in_file.h"
#include "formats/json.h"
#include "formats/numbers.h"

namespace {

using Entry = SafeTensors::Entry;

constexpr std::size_t kLengthBytes = 8;                          // of the header's length
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;          // as in the format's own library
constexpr std::int64_t kMostSize = (std::int64_t(1) << 53) - 1;  // a double holds all up to it

struct Dtype {
    std::string_view name;
    int bytes;
};
constexpr Dtype kDtypes[] = {{"F32", 4},     {"F16", 2},    {"BF16", 2}, {"F64", 8}, {"I64", 8},
                             {"I32", 4},     {"I16", 2},    {"I8", 1},   {"U64", 8}, {"U32", 4},
                             {"U16", 2},     {"U8", 1},     {"BOOL", 1}, {"C64", 8}, {"F8_E4M3", 1},
                             {"F8_E5M2", 1}, {"F8_E8M0", 1}};

// Where a tensor's bytes are, counted from the end of the header.
struct Range {
    std::uint64_t begin, end;
};
struct Placed {
    Entry entry;
    Range range;
};

const char* dtype_name(NumberType type) {
    return type == NumberType::f32 ? "F32" : type == NumberType::f16 ? "F16" : "BF16";
}

// a * b, or the largest number where that overflows.
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    return b != 0 && a > kMost / b ? kMost : a * b;
}

// The JSON text of the header.
std::string_view header_of(const File& file) {
    const std::string_view text = file.text();
    if (text.size() < kLengthBytes)
        throw Error(cat("cut off: ", text.size(),
                        " bytes, and a safetensors file "
                        "starts with the 8 bytes of its header's length"));
    const auto length = load_little_endian<std::uint64_t>(text.data());
    if (length > kMostHeaderBytes)
        throw Error(cat("not a safetensors file: a header of ", length,
                        " bytes, and the format allows ", kMostHeaderBytes));
    const std::size_t rest = text.size() - kLengthBytes;
    if (length > rest)
        throw Error(cat("cut off, or not a safetensors file: a header of ", length,
                        " bytes in a file of ", text.size(), ": ", length - rest,
                        " bytes are missing"));
    return text.substr(kLengthBytes, std::size_t(length));
}

Range read_range(const Json& offsets) {
    const auto& pair = offsets.array();
    if (pair.size() != 2) throw Error(cat("expected 2 numbers, found ", pair.size()));
    const auto begin = pair[0].integer(0, kMostSize), end = pair[1].integer(0, kMostSize);
    if (begin > end) throw Error(cat("[", begin, ",", end, "] end before they begin"));
    return {std::uint64_t(begin), std::uint64_t(end)};
}

// Refuses a shape that does not fill the range exactly. Tensors of unknown dtype may have any size.
void check_size(const Entry& entry, const Range& range) {
    const auto* const dtype = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                           [&](const Dtype& d) { return d.name == entry.dtype; });
    if (dtype == std::end(kDtypes)) return;
    auto bytes = std::uint64_t(dtype->bytes);
    for (const auto dim : entry.shape) bytes = saturating_product(bytes, std::uint64_t(dim));
    if (bytes != range.end - range.begin)
        throw Error(cat("data_offsets [", range.begin, ",", range.end, "] are not the size of ",
                        shape_text(entry.shape), " of ", json_quote(entry.dtype)));
}

Placed read_tensor(const std::string& name, const Json& tensor) {
    Placed placed{{name, tensor.require("dtype", &Json::string), {}, {}}, {}};
    tensor.require("shape", [&](const Json& shape) {
        for (const Json& dim : shape.array())
            placed.entry.shape.push_back(dim.integer(0, kMostSize));
    });
    placed.range = tensor.require("data_offsets", read_range);
    check_size(placed.entry, placed.range);
    return placed;
}

// What programs note about the file: any keys, each with a text.
void check_metadata(const Json& metadata) {
    for (const auto& member : metadata.object())
        in_file(json_quote(member.first), [&] { member.second.string(); });
}

std::vector<Placed> read_header(const Json& header) {
    if (header.find("__metadata__")) header.require("__metadata__", check_metadata);
    std::vector<Placed> tensors;
    for (const auto& member : header.object())
        if (member.first != "__metadata__")
            tensors.push_back(in_file(cat("tensor ", json_quote(member.first)),
                                      [&] { return read_tensor(member.first, member.second); }));
    return tensors;
}

// Sorts by place, and refuses overlaps, gaps, and an end that is not the file's.
void check_layout(std::vector<Placed>& tensors, std::uint64_t data_bytes) {
    std::sort(tensors.begin(), tensors.end(), [](const Placed& a, const Placed& b) {
        return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
    });
    std::uint64_t end = 0;
    for (const auto& [entry, range] : tensors) {
        if (range.begin != end)
            throw Error(cat("tensor ", json_quote(entry.name), " starts at byte ", range.begin,
                            " of the data, and what is before it ends at ", end));
        end = range.end;
    }
    if (end > data_bytes)
        throw Error(
            cat("cut off: ", end - data_bytes, " of ", end, " bytes of tensors are missing"));
    if (end < data_bytes) throw Error(cat("bytes after the last tensor: ", data_bytes - end));
}

// One tensor's place in a header that is being written.
std::string describe(const TensorSource& tensor, std::uint64_t begin, std::uint64_t end) {
    return cat(json_quote(tensor.name), ":{\"dtype\":\"", dtype_name(tensor.type),
               "\",\"shape\":", shape_text(tensor.shape), ",\"data_offsets\":[", begin, ",", end,
               "]}");
}

// Refuses a number that would become infinite in the tensor's type.
void check_range(const TensorSource& tensor, std::span<const float> values) {
    if (tensor.type == NumberType::f32) return;
    for (const float value : values) {
        std::byte narrowed[4];
        narrow(tensor.type, value, narrowed);
        if (std::isfinite(value) && std::isinf(widen(tensor.type, narrowed)))
            throw Error(
                cat(tensor.name, ": holds ", value, ", which ", name_of(tensor.type), " cannot"));
    }
}

std::size_t elements(const TensorSource& tensor) {
    std::size_t n = 1;
    for (const auto dim : tensor.shape) n *= std::size_t(dim);
    return n;
}

// Its numbers, each of which its type can hold.
std::vector<float> values_of(const TensorSource& tensor) {
    std::vector<float> values = tensor.values();
    if (values.size() != elements(tensor))
        throw std::logic_error(
            cat(tensor.name, ": ", values.size(), " values for shape ", shape_text(tensor.shape)));
    check_range(tensor, values);
    return values;
}

}  // namespace

SafeTensors SafeTensors::open(File file) {
    const std::string name = file.name();
    return in_file(name, [&] {
        SafeTensors result(std::move(file));
        const std::string_view header = header_of(result.file_);
        auto tensors = read_header(parse_json(header, "header"));
        const auto data = result.file_.bytes().subspan(kLengthBytes + header.size());
        check_layout(tensors, data.size());
        for (auto& [entry, range] : tensors) {
            entry.bytes =
                data.subspan(std::size_t(range.begin), std::size_t(range.end - range.begin));
            result.entries_.push_back(std::move(entry));
        }
        std::sort(result.entries_.begin(), result.entries_.end(),
                  [](const Entry& a, const Entry& b) { return a.name < b.name; });
        return result;
    });
}

const Entry* SafeTensors::find(std::string_view name) const {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), name,
                         [](const Entry& entry, std::string_view n) { return entry.name < n; });
    return found != entries_.end() && found->name == name ? &*found : nullptr;
}

std::optional<NumberType> number_type(std::string_view dtype) {
    for (const auto type : {NumberType::f32, NumberType::f16, NumberType::bf16})
        if (dtype == dtype_name(type)) return type;
    return std::nullopt;
}

std::string shape_text(std::span<const std::int64_t> shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += cat(i ? "," : "", shape[i]);
    return text + "]";
}

void write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                       std::string_view source) {
    // Other readers ask for the format that the tensors were made for, and know "pt".
    std::string header = R"({"__metadata__":{"format":"pt"})";
    std::uint64_t end = 0;
    for (const TensorSource& tensor : tensors) {
        const std::uint64_t begin = end;
        end += elements(tensor) * std::size_t(bytes_of(tensor.type));
        header += cat(",", describe(tensor, begin, end));
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned
    std::array<std::byte, kLengthBytes> length;
    store_little_endian(length.data(), std::uint64_t(header.size()));
    write_file(path, [&](const Append& append) {
        append(length);
        append(std::as_bytes(std::span(header)));
        for (const TensorSource& tensor : tensors) {
            const auto values = in_file(source, [&] { return values_of(tensor); });
            append_numbers(append, tensor.type, values);
        }
    });
}
