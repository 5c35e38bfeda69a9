#include "tools/convert/torch_file.h"
#include <algorithm>
#include <memory>
#include <optional>
#include "tools/convert/zip.h"

namespace convert {
namespace {

using Kind = PickleValue::Kind;

// The number 0x1950a86a20f9469cfc6c as a pickle of protocol 2.
constexpr std::string_view kStreamMagic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 15);

constexpr std::string_view kRebuildTensor[] = {"torch._utils._rebuild_tensor",
                                               "torch._utils._rebuild_tensor_v2"};
constexpr std::string_view kRebuildParameter[] = {"torch._utils._rebuild_parameter",
                                                  "torch._utils._rebuild_parameter_with_state"};
struct StorageType {
    std::string_view name;
    std::size_t size;  // of a number, in bytes
    std::optional<NumberType> type;
};
constexpr StorageType kStorageTypes[] = {{"torch.FloatStorage", 4, NumberType::f32},
                                         {"torch.HalfStorage", 2, NumberType::f16},
                                         {"torch.BFloat16Storage", 2, NumberType::bf16},
                                         {"torch.DoubleStorage", 8, {}},
                                         {"torch.BoolStorage", 1, {}},
                                         {"torch.ByteStorage", 1, {}},
                                         {"torch.CharStorage", 1, {}},
                                         {"torch.ShortStorage", 2, {}},
                                         {"torch.IntStorage", 4, {}},
                                         {"torch.LongStorage", 8, {}}};

// Every global that a pickle may name.
std::vector<std::string_view> known_globals() {
    std::vector<std::string_view> known = {"collections.OrderedDict"};
    known.insert(known.end(), std::begin(kRebuildTensor), std::end(kRebuildTensor));
    known.insert(known.end(), std::begin(kRebuildParameter), std::end(kRebuildParameter));
    for (const StorageType& type : kStorageTypes) known.push_back(type.name);
    return known;
}

template <std::size_t n>
bool calls(const PickleValue& value, const std::string_view (&names)[n]) {
    return value.is(Kind::call) && std::find(names, names + n, value.callee().text()) != names + n;
}

const StorageType& storage_type(const PickleValue& value) {
    for (const StorageType& type : kStorageTypes)
        if (type.name == value.text()) return type;
    throw Error(cat(value.text(), " is no type of storage"));
}

// What a tensor's pickle says of its storage: ("storage", type, key, device, count).
struct Storage {
    const StorageType& type;
    std::string key;
    std::uint64_t count;
};

Storage read_storage(const PickleValue& value) {
    const PickleValue::Items& parts = value.referred().items();
    if (parts.size() < 5 || parts[0]->text() != "storage")
        throw Error("refers to what is no storage");
    if (parts.size() > 5 && !parts[5]->is(Kind::none)) throw Error("is a view of another storage");
    return {storage_type(*parts[1]), std::string(parts[2]->text()),
            std::uint64_t(parts[4]->integer())};
}

// How many bytes a number has in each storage that the pickle refers to.
std::map<std::string, std::size_t, std::less<>> number_sizes(const Pickle& pickle) {
    std::map<std::string, std::size_t, std::less<>> sizes;
    for (const PickleValue& value : pickle.values())
        if (value.is(Kind::reference)) {
            const Storage storage = read_storage(value);
            sizes[storage.key] = storage.type.size;
        }
    return sizes;
}

struct Layout {
    std::vector<std::int64_t> shape, stride;
};

Layout read_layout(const PickleValue& shape, const PickleValue& stride) {
    Layout layout;
    for (const auto* value : shape.items()) layout.shape.push_back(value->integer());
    for (const auto* value : stride.items()) layout.stride.push_back(value->integer());
    const auto fits = [](std::int64_t n) { return n >= 0; };
    if (layout.shape.size() != layout.stride.size() || layout.shape.size() > 4 ||
        !std::all_of(layout.shape.begin(), layout.shape.end(), fits) ||
        !std::all_of(layout.stride.begin(), layout.stride.end(), fits))
        throw Error(cat("has the shape ", shape_text(layout.shape), " and the strides ",
                        shape_text(layout.stride)));
    return layout;
}

// Refuses what would not lie within `count` numbers, or be more than they are.
void check_within(const Layout& layout, std::uint64_t first, std::uint64_t count) {
    std::uint64_t elements = 1, last = first;
    bool fits = first < count;
    for (std::size_t i = 0; i < layout.shape.size(); ++i) {
        const auto size = std::uint64_t(layout.shape[i]), stride = std::uint64_t(layout.stride[i]);
        if (size == 0) throw Error("is empty");
        fits = fits && elements <= count / size && (stride == 0 || size - 1 <= count / stride);
        if (!fits) break;
        elements *= size;
        last += (size - 1) * stride;
    }
    if (!fits || last >= count)
        throw Error(cat("with the shape ", shape_text(layout.shape), " and the strides ",
                        shape_text(layout.stride), " from number ", first,
                        " on goes beyond its storage of ", count, " numbers"));
}

// The numbers in the order of the shape, from wherever the strides say.
std::vector<float> gather(NumberType type, const std::byte* first, const Layout& layout) {
    const std::size_t rank = layout.shape.size();
    const std::int64_t cols = rank ? layout.shape[rank - 1] : 1;
    // A dimension of one may have any stride, which then does not count.
    const std::int64_t step = cols > 1 ? layout.stride[rank - 1] * bytes_of(type) : 0;
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < rank; ++i) rows *= layout.shape[i];
    std::vector<float> values;
    values.reserve(std::size_t(rows * cols));
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t offset = 0, index = row;
        for (std::size_t i = rank - 1; rank && i-- > 0; index /= layout.shape[i])
            offset += index % layout.shape[i] * layout.stride[i];
        const std::byte* const numbers = first + offset * bytes_of(type);
        for (std::int64_t col = 0; col < cols; ++col)
            values.push_back(widen(type, numbers + col * step));
    }
    return values;
}

}  // namespace

bool TorchFile::is_one(std::string_view bytes) {
    return bytes.starts_with("PK\3\4") || bytes.starts_with(kStreamMagic);
}

TorchFile::TorchFile(const File& file)
    : TorchFile(file.text().starts_with(kStreamMagic) ? open_stream(file) : open_archive(file)) {}

TorchFile TorchFile::open_archive(const File& file) {
    const auto zip = std::make_shared<ZipArchive>(file.bytes());
    const std::string folder = zip->folder_of("data.pkl");
    if (zip->has(folder + "byteorder")) {
        const auto order = zip->open(folder + "byteorder");
        if (ByteReader(order).text(order.size()) != "little")
            throw Error("was written on a big-endian machine");
    }
    ByteReader reader(zip->open(folder + "data.pkl"));
    return {"zip archive", Pickle(reader, known_globals()),
            [=](const std::string& key) { return zip->open(folder + "data/" + key); }};
}

TorchFile TorchFile::open_stream(const File& file) {
    const auto known = known_globals();
    ByteReader reader(file.bytes(), kStreamMagic.size());
    const Pickle version(reader, known), system(reader, known);
    if (version.root().integer() != 1001)
        throw Error(cat("PyTorch's protocol ", version.root().integer(), ", expected 1001"));
    const PickleValue* const little = system.root().find("little_endian");
    if (!little || !little->integer()) throw Error("was written on a big-endian machine");
    Pickle pickle(reader, known);
    const Pickle keys(reader, known);
    // The storages follow in the order of their keys: how many numbers, and these.
    const auto sizes = number_sizes(pickle);
    std::map<std::string, std::span<const std::byte>> storages;
    for (const auto* key : keys.root().items()) {
        const auto size = sizes.find(key->text());
        if (size == sizes.end()) throw Error(cat("no tensor has the storage ", key->text()));
        const auto count = reader.number<std::uint64_t>();
        if (count > reader.left()) throw Error(cat("is cut short in storage ", key->text()));
        storages[std::string(key->text())] = reader.take(count * size->second);
    }
    return {"stream of before PyTorch 1.6", std::move(pickle), [=](const std::string& key) {
                const auto found = storages.find(key);
                if (found == storages.end()) throw Error(cat("holds no storage ", key));
                return found->second;
            }};
}

StoredTensor TorchFile::tensor(const PickleValue& value) const {
    const bool parameter = calls(value, kRebuildParameter);
    const PickleValue& call = parameter ? value.argument(0) : value;
    if (!calls(call, kRebuildTensor)) throw Error("is no tensor");
    const Storage storage = read_storage(call.argument(0));
    const Layout layout = read_layout(call.argument(2), call.argument(3));
    const auto first = std::uint64_t(call.argument(1).integer());
    const auto bytes = storages_(storage.key);
    const auto& [type_name, size, type] = storage.type;
    if (bytes.size() / size != storage.count || bytes.size() % size != 0)
        throw Error(cat("its storage ", storage.key, " has ", bytes.size(), " bytes, expected ",
                        storage.count, " numbers of ", size));
    check_within(layout, first, storage.count);
    StoredTensor tensor{"", std::string(type_name), type, layout.shape, {}};
    if (type)
        tensor.values = [number = *type, start = bytes.data() + first * size, layout] {
            return gather(number, start, layout);
        };
    return tensor;
}

void add_tensors(const TorchFile& torch, const PickleValue& dict, Checkpoint& checkpoint) {
    if (!dict.is(Kind::dict)) throw Error("its pickle is no dict of tensors");
    const auto& items = dict.items();
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const std::string_view name = items[i]->text();
        StoredTensor tensor = in_file(name, [&] { return torch.tensor(*items[i + 1]); });
        tensor.name = name;
        add_tensor(checkpoint, name, std::move(tensor));
    }
}

}  // namespace convert
