#include "tests/commands/table_model.h"
#include <fstream>
#include <functional>
#include "base/error.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "formats/safetensors.h"

namespace {

// GPT-2's alphabet for bytes: printable ones stand for themselves, the others
// for U+0100 and on.
std::string in_alphabet(std::string_view bytes) {
    const auto printable = [](unsigned c) {
        return (c > 0x20 && c < 0x7f) || (c > 0xa0 && c != 0xad);
    };
    std::string text;
    for (const char c : bytes) {
        const unsigned byte = static_cast<unsigned char>(c);
        unsigned others = 0;
        for (unsigned i = 0; i < byte; ++i) others += !printable(i);
        append_utf8(text, printable(byte) ? byte : 0x100 + others);
    }
    return text;
}

TensorSource constant(const std::string& name, std::vector<std::int64_t> shape, float value) {
    std::size_t size = 1;
    for (const std::int64_t n : shape) size *= std::size_t(n);
    return {name, NumberType::f32, std::move(shape),
            [=] { return std::vector<float>(size, value); }};
}

// [V,V] with `value` in every column i, at row row_of(i).
TensorSource one_in_each_column(const std::string& name, int V, float value,
                                const std::function<int(int)>& row_of) {
    std::vector<float> values(std::size_t(V) * std::size_t(V));
    for (int i = 0; i < V; ++i) values[std::size_t(row_of(i) * V + i)] = value;
    return {name, NumberType::f32, {V, V}, [=] { return values; }};
}

}  // namespace

TableModel TableModel::of_letters(int count) {
    TableModel model;
    for (int i = 0; i < count; ++i) {
        model.pieces.emplace_back(1, char('a' + i));
        model.next.push_back((i + 1) % count);
    }
    return model;
}

void TableModel::write(const ScratchFolder& folder) const {
    const int V = int(next.size());
    std::ofstream(folder.path("config.json"))
        << cat("{\"model_type\":\"gpt2\",\"n_layer\":1,\"n_head\":1,\"n_embd\":", V,
               ",\"n_positions\":", n_positions, ",\"vocab_size\":", V,
               ",\"tie_word_embeddings\":false,\"eos_token_id\":", end_of_text, "}");
    const std::vector<TensorSource> tensors = {
        one_in_each_column("wte.weight", V, 1, [](int id) { return id; }),
        constant("wpe.weight", {n_positions, V}, 0),
        constant("h.0.ln_1.weight", {V}, 0),
        constant("h.0.attn.c_attn.weight", {V, 3 * V}, 0),
        constant("h.0.attn.c_proj.weight", {V, V}, 0),
        constant("h.0.ln_2.weight", {V}, 0),
        constant("h.0.mlp.c_fc.weight", {V, 4 * V}, 0),
        constant("h.0.mlp.c_proj.weight", {4 * V, V}, 0),
        constant("ln_f.weight", {V}, 1),
        one_in_each_column("lm_head.weight", V, strength,
                           [&](int id) { return next[std::size_t(id)]; })};
    write_safetensors(folder.path("model.safetensors"), tensors);
    if (pieces.empty()) return;
    std::ofstream vocab(folder.path("vocab.json"), std::ios::binary);
    for (std::size_t id = 0; id < pieces.size(); ++id)
        vocab << (id ? ",\n" : "{")
              << json_quote(pieces[id] == "<|endoftext|>" ? pieces[id] : in_alphabet(pieces[id]))
              << ":" << id;
    vocab << "}\n";
    std::ofstream merges_file(folder.path("merges.txt"), std::ios::binary);
    merges_file << "#version: 0.2\n";
    for (const std::string& merge : merges) merges_file << merge << "\n";
}
