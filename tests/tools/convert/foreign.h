// Writes the tiny models of tests/model_folder.h as other programs would: for tests of the
// converter, and as what fuzzing starts from.
#pragma once
#include <bit>
#include <string>
#include <utility>
#include <vector>
#include "tests/model_folder.h"
#include "tools/convert/crc32.h"

namespace foreign {

// --- bytes ---

template <typename Unsigned>
std::string little(Unsigned value) {
    std::string bytes(sizeof value, '\0');
    store_little_endian(bytes.data(), value);
    return bytes;
}
inline std::string u16(std::size_t value) { return little(std::uint16_t(value)); }
inline std::string u32(std::size_t value) { return little(std::uint32_t(value)); }
inline std::string u64(std::size_t value) { return little(std::uint64_t(value)); }

inline std::string number_bytes(NumberType type, const std::vector<float>& values) {
    std::string bytes;
    for (const float v : values)
        bytes += type == NumberType::f32   ? u32(std::bit_cast<std::uint32_t>(v))
                 : type == NumberType::f16 ? u16(float_to_f16(v))
                                           : u16(float_to_bf16(v));
    return bytes;
}

// The tensor as programs have it that write y = W x: projections are [out,in].
inline TensorSource out_by_in(TensorSource tensor) {
    const bool projection = tensor.name.find(".attn.") != tensor.name.npos ||
                            tensor.name.find(".mlp.") != tensor.name.npos;
    if (!projection || tensor.shape.size() != 2) return tensor;
    const std::size_t rows = std::size_t(tensor.shape[0]), cols = std::size_t(tensor.shape[1]);
    std::swap(tensor.shape[0], tensor.shape[1]);
    tensor.values = [=, values = tensor.values] {
        const auto x = values();
        std::vector<float> y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) y[i % cols * rows + i / cols] = x[i];
        return y;
    };
    return tensor;
}

// --- zip ---

using Entries = std::vector<std::pair<std::string, std::string>>;

struct ZipOptions {
    bool zip64 = false;
    int method = 0, flags = 0x808;
};

inline std::string zip(const Entries& entries, const ZipOptions& options = {}) {
    std::string file, directory;
    for (const auto& [name, content] : entries) {
        const std::string size = u32(content.size());
        const std::string how = u16(std::size_t(options.flags)) + u16(std::size_t(options.method)) +
                                u32(0) + u32(convert::crc32(std::as_bytes(std::span(content))));
        const std::string wide =
            u16(1) + u16(24) + u64(content.size()) + u64(content.size()) + u64(file.size());
        const std::string zip64 = options.zip64 ? wide : "", in64 = u32(0xffffffff);
        directory += "PK\1\2" + u32(0) + how + (options.zip64 ? in64 + in64 : size + size) +
                     u16(name.size()) + u16(zip64.size()) + u16(0) + std::string(8, '\0') +
                     (options.zip64 ? in64 : u32(file.size())) + name + zip64;
        file += "PK\3\4" + u16(0) + how + size + size + u16(name.size()) + u16(3) + name + "pad" +
                content;
    }
    const std::size_t at = file.size(), count = entries.size();
    std::string end = directory;
    if (options.zip64)
        end += "PK\6\6" + u64(44) + u32(0) + u64(0) + u64(count) + u64(count) +
               u64(directory.size()) + u64(at) + "PK\6\7" + u32(0) + u64(at + directory.size()) +
               u32(1);
    return file + end + "PK\5\6" + u32(0) + u16(count) + u16(count) + u32(directory.size()) +
           u32(options.zip64 ? 0xffffffff : at) + u16(0);
}

// The archive with its checksums left out, so that what is changed in it is read.
inline std::string without_checksums(std::string archive) {
    for (std::size_t at = 0; (at = archive.find("PK\1\2", at)) != archive.npos; at += 4)
        if (at + 20 <= archive.size()) archive.replace(at + 16, 4, u32(0));
    return archive;
}

// --- pickle ---

namespace pickle {

inline std::string text(std::string_view value) {
    return "X" + u32(value.size()) + std::string(value);
}
inline std::string whole(std::int64_t value) {
    const bool fits = value == std::int32_t(value);
    return fits ? "J" + u32(std::size_t(value)) : "\x8a\x08" + u64(std::size_t(value));
}
inline std::string global(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::string>& values) {
    std::string all = "(";
    for (const auto& value : values) all += value;
    return all + "t";
}
inline std::string wholes(const std::vector<std::int64_t>& values) {
    std::vector<std::string> all;
    for (const auto value : values) all.push_back(whole(value));
    return tuple(all);
}
inline std::string dict(const Entries& members) {
    std::string all = "}(";
    for (const auto& [key, value] : members) all += key + value;
    return all + "u";
}
inline std::string whole_pickle(const std::string& value) { return "\x80\x02" + value + "."; }

inline std::string storage(const std::string& type, const std::string& key, std::size_t count) {
    return tuple({text("storage"), global("torch", type), text(key), text("cpu"),
                  whole(std::int64_t(count))}) +
           "Q";
}
inline std::string tensor(const std::string& storage, std::int64_t first,
                          const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& stride) {
    return global("torch._utils", "_rebuild_tensor_v2") +
           tuple({storage, whole(first), wholes(shape), wholes(stride), "\x89",
                  global("collections", "OrderedDict") + ")R"}) +
           "R";
}

}  // namespace pickle

// --- PyTorch ---

inline std::string storage_type(NumberType type) {
    return type == NumberType::f32   ? "FloatStorage"
           : type == NumberType::f16 ? "HalfStorage"
                                     : "BFloat16Storage";
}

// A state dict, each tensor in a storage of its own, and the entries of these storages.
inline std::pair<std::string, Entries> state_dict(const std::vector<TensorSource>& tensors,
                                                  const std::string& prefix = "") {
    std::string members;
    Entries storages;
    for (const TensorSource& tensor : tensors) {
        const std::string key = std::to_string(storages.size());
        std::vector<std::int64_t> stride(tensor.shape.size(), 1);
        for (std::size_t i = stride.size(); i-- > 1;) stride[i - 1] = stride[i] * tensor.shape[i];
        const auto values = tensor.values();
        storages.emplace_back("ckpt/data/" + key, number_bytes(tensor.type, values));
        const std::string storage = pickle::storage(storage_type(tensor.type), key, values.size());
        members +=
            pickle::text(prefix + tensor.name) + pickle::tensor(storage, 0, tensor.shape, stride);
    }
    return {pickle::global("collections", "OrderedDict") + ")R(" + members + "u", storages};
}

inline std::string torch_archive(const std::string& value, const Entries& storages,
                                 const ZipOptions& options = {}) {
    Entries entries = {{"ckpt/data.pkl", pickle::whole_pickle(value)},
                       {"ckpt/byteorder", "little"}};
    entries.insert(entries.end(), storages.begin(), storages.end());
    entries.emplace_back("ckpt/version", "3\n");
    return zip(entries, options);
}

// nanoGPT's ckpt.pt, its names with `prefix` before them.
inline std::string nanogpt(const TinyModel& m, const std::string& prefix = "transformer.") {
    using namespace pickle;
    std::vector<TensorSource> tensors;
    for (const TensorSource& tensor : tiny_tensors(m)) tensors.push_back(out_by_in(tensor));
    const auto [model, storages] = state_dict(tensors, prefix);
    const Entries args = {{text("n_layer"), whole(m.n_layer)},
                          {text("n_head"), whole(m.n_head)},
                          {text("n_embd"), whole(m.n_embd)},
                          {text("block_size"), whole(m.n_positions)},
                          {text("bias"), m.biases ? "\x88" : "\x89"},
                          {text("vocab_size"), whole(m.vocab_size)},
                          {text("dropout"), std::string("G\0\0\0\0\0\0\0\0", 9)}};
    return torch_archive(dict({{text("model"), model},
                               {text("model_args"), dict(args)},
                               {text("iter_num"), whole(5)},
                               {text("nothing"), "N"}}),
                         storages);
}

inline std::string meta_pickle(const std::vector<std::string>& pieces) {
    using namespace pickle;
    Entries itos;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        itos.emplace_back(whole(std::int64_t(i)), text(pieces[i]));
    return whole_pickle(dict(
        {{text("vocab_size"), whole(std::int64_t(pieces.size()))}, {text("itos"), dict(itos)}}));
}

}  // namespace foreign
