// Writes the tiny models of tests/model_folder.h as llm.c and llama.cpp would.
#pragma once
#include <bit>
#include <string>
#include <utility>
#include <vector>
#include "tests/tools/convert/foreign.h"

namespace foreign {

// --- llm.c ---

inline std::string llmc(const TinyModel& m, int padding = 3) {
    std::string bytes;
    for (const int n : {20240326, m.type == NumberType::f32 ? 3 : 5, m.n_positions, m.vocab_size,
                        m.n_layer, m.n_head, m.n_embd, m.vocab_size + padding})
        bytes += u32(std::size_t(n));
    bytes.resize(1024);
    const auto tensors = tiny_tensors(m);
    const auto add = [&](const std::string& name) {
        for (const TensorSource& tensor : tensors)
            if (tensor.name == name) bytes += number_bytes(m.type, out_by_in(tensor).values());
    };
    add("wte.weight");
    bytes += number_bytes(m.type, std::vector<float>(std::size_t(padding * m.n_embd), 9.f));
    add("wpe.weight");
    for (const char* part :
         {"ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"})
        for (const char* kind : {".weight", ".bias"})
            for (int layer = 0; layer < m.n_layer; ++layer) add(cat("h.", layer, ".", part, kind));
    add("ln_f.weight");
    add("ln_f.bias");
    return bytes;
}

inline std::string llmc_tokenizer(const std::vector<std::string>& pieces, std::size_t end,
                                  std::size_t version = 2) {
    std::string bytes = u32(20240328) + u32(version) + u32(pieces.size()) + u32(end);
    bytes.resize(1024);
    for (const std::string& piece : pieces) bytes += char(piece.size()) + piece;
    return bytes;
}

// --- GGUF ---

namespace gguf {

inline std::string text(std::string_view value) { return u64(value.size()) + std::string(value); }
inline std::string text_value(std::string_view value) { return u32(8) + text(value); }
inline std::string whole_value(std::size_t value) { return u32(4) + u32(value); }
inline std::string float_value(float value) {
    return u32(6) + u32(std::bit_cast<std::uint32_t>(value));
}
inline std::string texts_value(const std::vector<std::string>& values) {
    std::string all = u32(9) + u32(8) + u64(values.size());
    for (const auto& value : values) all += text(value);
    return all;
}
inline std::string wholes_value(const std::vector<int>& values) {
    std::string all = u32(9) + u32(5) + u64(values.size());
    for (const int value : values) all += u32(std::size_t(value));
    return all;
}

struct Block {
    std::string name;
    std::vector<std::int64_t> shape;  // outermost first
    std::uint32_t type;
    std::string bytes;
};

inline std::string file(const Entries& values, const std::vector<Block>& tensors,
                        std::size_t version = 3) {
    std::string head = "GGUF" + u32(version) + u64(tensors.size()) + u64(values.size());
    for (const auto& [key, value] : values) head += text(key) + value;
    std::string data;
    for (const Block& tensor : tensors) {
        head += text(tensor.name) + u32(tensor.shape.size());
        for (std::size_t i = tensor.shape.size(); i-- > 0;)
            head += u64(std::size_t(tensor.shape[i]));
        head += u32(tensor.type) + u64(data.size());
        data += tensor.bytes;
        data.resize((data.size() + 31) / 32 * 32);
    }
    head.resize((head.size() + 31) / 32 * 32);
    return head + data;
}

inline std::string their_name(std::string name) {
    const std::pair<const char*, const char*> kNames[] = {{"wte", "token_embd"},
                                                          {"wpe", "position_embd"},
                                                          {"ln_f", "output_norm"},
                                                          {"lm_head", "output"},
                                                          {"h.", "blk."},
                                                          {"ln_1", "attn_norm"},
                                                          {"attn.c_attn", "attn_qkv"},
                                                          {"attn.c_proj", "attn_output"},
                                                          {"ln_2", "ffn_norm"},
                                                          {"mlp.c_fc", "ffn_up"},
                                                          {"mlp.c_proj", "ffn_down"}};
    for (const auto& [ours, theirs] : kNames)
        if (const auto at = name.find(ours); at != name.npos)
            name.replace(at, std::string(ours).size(), theirs);
    return name;
}

inline Entries model_values(const TinyModel& m) {
    return {{"general.architecture", text_value("gpt2")},
            {"gpt2.block_count", whole_value(std::size_t(m.n_layer))},
            {"gpt2.context_length", whole_value(std::size_t(m.n_positions))},
            {"gpt2.embedding_length", whole_value(std::size_t(m.n_embd))},
            {"gpt2.feed_forward_length", whole_value(std::size_t(m.n_inner))},
            {"gpt2.attention.head_count", whole_value(std::size_t(m.n_head))},
            {"gpt2.attention.layer_norm_epsilon", float_value(1e-5f)}};
}

inline std::vector<Block> model_tensors(const TinyModel& m) {
    const std::uint32_t type = m.type == NumberType::f32 ? 0 : m.type == NumberType::f16 ? 1 : 30;
    std::vector<Block> blocks;
    for (const TensorSource& tensor : tiny_tensors(m)) {
        const TensorSource theirs = out_by_in(tensor);
        blocks.push_back(
            {their_name(tensor.name), theirs.shape, type, number_bytes(m.type, theirs.values())});
    }
    return blocks;
}

}  // namespace gguf
}  // namespace foreign
