// Makes tiny GPT-2 folders with random weights, in any of the layouts met in the wild, for tests to
// load, change and break.
#pragma once
#include <fstream>
#include <string>
#include <utility>
#include <vector>
#include "base/error.h"
#include "formats/safetensors.h"
#include "model/folder.h"
#include "model/weights.h"
#include "tests/support.h"

inline void write_text(const std::string& path, std::string_view text) {
    std::ofstream out(path, std::ios::binary);
    out.write(text.data(), std::streamsize(text.size()));
    if (!out.flush()) throw Error(cat(path, ": cannot be written"));
}

struct TinyModel {
    int n_layer = 2, n_head = 2, n_embd = 8, n_inner = 32, n_positions = 16, vocab_size = 21;
    std::string more_config = "";  // further members: R"(,"tie_word_embeddings":false)"
    std::string prefix = "";       // of tensor names: "" or "transformer."
    NumberType type = NumberType::f32;
    bool biases = true;  // of projections and norms
    bool head = false;   // an lm_head.weight of its own
    std::uint64_t seed = 1;
};

inline std::string tiny_config(const TinyModel& m) {
    return cat("{\"model_type\":\"gpt2\",\"n_layer\":", m.n_layer, ",\"n_head\":", m.n_head,
               ",\"n_embd\":", m.n_embd, ",\"n_inner\":", m.n_inner,
               ",\"n_positions\":", m.n_positions, ",\"vocab_size\":", m.vocab_size, m.more_config,
               "}");
}

// Normal numbers with mean `mean` and deviation 0.2; the same for the same name and seed.
inline TensorSource random_tensor(const TinyModel& m, const std::string& name,
                                  std::vector<std::int64_t> shape, float mean = 0) {
    std::uint64_t seed = m.seed;
    for (const char c : name) seed = seed * 31 + std::uint64_t(c);
    std::size_t n = 1;
    for (const auto dim : shape) n *= std::size_t(dim);
    const auto values = [=] {
        auto result = random_floats(n, seed, 0.2);
        for (float& v : result) v += mean;
        return result;
    };
    return {m.prefix + name, m.type, std::move(shape), values};
}

inline std::vector<TensorSource> tiny_tensors(const TinyModel& m) {
    const std::int64_t C = m.n_embd, inner = m.n_inner;
    std::vector<TensorSource> tensors = {
        random_tensor(m, "wte.weight", {m.vocab_size, C}),
        random_tensor(m, "wpe.weight", {m.n_positions, C}),
    };
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape, float mean) {
        const std::int64_t out = shape.back();
        tensors.push_back(random_tensor(m, name + ".weight", std::move(shape), mean));
        if (m.biases) tensors.push_back(random_tensor(m, name + ".bias", {out}));
    };
    for (int l = 0; l < m.n_layer; ++l) {
        const std::string h = cat("h.", l, ".");
        add(h + "ln_1", {C}, 1);
        add(h + "attn.c_attn", {C, 3 * C}, 0);
        add(h + "attn.c_proj", {C, C}, 0);
        add(h + "ln_2", {C}, 1);
        add(h + "mlp.c_fc", {C, inner}, 0);
        add(h + "mlp.c_proj", {inner, C}, 0);
    }
    add("ln_f", {C}, 1);
    if (m.head) {
        tensors.push_back(random_tensor(m, "lm_head.weight", {m.vocab_size, C}));
        tensors.back().name = "lm_head.weight";
    }
    return tensors;
}

// config.json and model.safetensors in the folder `path`, which must exist.
inline void write_table_model(const std::string& path, const TinyModel& m = {}) {
    write_text(path + "/config.json", tiny_config(m));
    write_safetensors(path + "/model.safetensors", tiny_tensors(m));
}

// A tiny model to change before it is written and loaded. Its folder is gone with it.
struct ModelFolder {
    ScratchFolder scratch;
    TinyModel model;
    std::vector<TensorSource> tensors;
    std::string config;

    explicit ModelFolder(const TinyModel& m = {})
        : model(m), tensors(tiny_tensors(m)), config(tiny_config(m)) {}

    TensorSource& named(const std::string& name) {
        for (TensorSource& tensor : tensors)
            if (tensor.name == name) return tensor;
        throw Error(cat("no tensor ", name));
    }
    void remove(const std::string& name) {
        tensors.erase(tensors.begin() + (&named(name) - tensors.data()));
    }
    void add(const std::string& name, std::vector<std::int64_t> shape) {
        tensors.push_back(random_tensor(model, name, std::move(shape)));
    }
    void replace_in_config(const std::string& text, const std::string& by) {
        config.replace(config.find(text), text.size(), by);
    }

    Weights load() const {
        write_text(scratch.path("config.json"), config);
        write_safetensors(scratch.path("model.safetensors"), tensors);
        return load_weights(Folder::at(scratch.path()));
    }
    // What is wrong with it, without the folder's path.
    std::string error() const {
        try {
            load();
        } catch (const Error& e) {
            const std::string what = e.what();
            const std::size_t at = what.find(scratch.path());
            return at == std::string::npos ? what
                                           : std::string(what).erase(at, scratch.path().size());
        }
        return "none";
    }
};

// Writes the tensors into `shards` files with an index, and config.json.
inline void write_shards(const ModelFolder& m, std::size_t shards) {
    std::string map;
    for (std::size_t s = 0; s < shards; ++s) {
        std::vector<TensorSource> part;
        const std::string file = cat("model-", s, ".safetensors");
        for (std::size_t i = s; i < m.tensors.size(); i += shards) {
            part.push_back(m.tensors[i]);
            map += cat(map.empty() ? "" : ",", "\"", m.tensors[i].name, "\":\"", file, "\"");
        }
        write_safetensors(m.scratch.path(file), part);
    }
    write_text(m.scratch.path("model.safetensors.index.json"),
               cat("{\"metadata\":{},\"weight_map\":{", map, "}}"));
    write_text(m.scratch.path("config.json"), m.config);
}

// A safetensors file as raw bytes: the header's length, the header, the data.
inline std::string raw_safetensors(std::string_view header, std::string_view data = "") {
    std::string bytes(8, '\0');
    store_little_endian(bytes.data(), std::uint64_t(header.size()));
    return bytes.append(header).append(data);
}

// The bytes as a file that is nowhere on disk. They must outlive it.
inline File file_of(std::string name, std::string_view bytes) {
    return File::view(std::move(name), std::as_bytes(std::span(bytes)));
}
