#include "tools/convert/gguf_checkpoint.h"
#include <algorithm>
#include <cmath>
#include "model/vocabulary_draft.h"
#include "text/byte_characters.h"
#include "tools/convert/gguf.h"

namespace convert {
namespace {

struct Renaming {
    std::string_view theirs, ours;
};
constexpr Renaming kOutside[] = {{"token_embd", "wte"},
                                 {"position_embd", "wpe"},
                                 {"output_norm", "ln_f"},
                                 {"output", "lm_head"}};
constexpr Renaming kInBlock[] = {{"attn_norm", "ln_1"},          {"attn_qkv", "attn.c_attn"},
                                 {"attn_output", "attn.c_proj"}, {"ffn_norm", "ln_2"},
                                 {"ffn_up", "mlp.c_fc"},         {"ffn_down", "mlp.c_proj"}};

// "blk.3.attn_qkv.weight" -> "h.3.attn.c_attn.weight"; a name of no part of GPT-2 stays.
std::string gpt2_name(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos) return name;
    const bool in_block = name.starts_with("blk.");
    const std::size_t start = in_block ? name.find('.', 4) + 1 : 0;
    const std::string_view part =
        std::string_view(name).substr(0, dot).substr(std::min(start, dot));
    const auto rename = [&](const auto& table) {
        for (const auto& [theirs, ours] : table)
            if (part == theirs)
                return cat(in_block ? "h." + name.substr(4, start - 4) : "", ours,
                           name.substr(dot));
        return name;
    };
    return in_block ? rename(kInBlock) : rename(kOutside);
}

int size_at(const Gguf& gguf, std::string_view key) {
    constexpr int kMost = 0x7fffffff / 4;
    const std::int64_t size = gguf.read(key, &GgufValue::integer);
    if (size < 1 || size > kMost) throw Error(cat(key, " is ", size, ", expected 1 to ", kMost));
    return int(size);
}

Config read_config(const Gguf& gguf) {
    const auto architecture = gguf.read("general.architecture", &GgufValue::text);
    if (architecture != "gpt2")
        throw Error(cat("is of architecture '", architecture, "', expected 'gpt2'"));
    Config config;
    config.n_layer = size_at(gguf, "gpt2.block_count");
    config.n_head = size_at(gguf, "gpt2.attention.head_count");
    config.n_embd = size_at(gguf, "gpt2.embedding_length");
    config.n_inner = size_at(gguf, "gpt2.feed_forward_length");
    config.n_positions = size_at(gguf, "gpt2.context_length");
    const double epsilon = gguf.read("gpt2.attention.layer_norm_epsilon", &GgufValue::real);
    if (!(epsilon >= 0 && epsilon <= 1))
        throw Error(cat("gpt2.attention.layer_norm_epsilon is ",
                        std::isnan(epsilon) ? "nan" : cat(epsilon),  // without a sign
                        ", expected 0 to 1"));
    config.layer_norm_epsilon = float(epsilon);
    if (config.n_embd % config.n_head != 0)
        throw Error(
            cat("has ", config.n_embd, " channels, no multiple of ", config.n_head, " heads"));
    const std::int64_t id = gguf.read_or("tokenizer.ggml.eos_token_id", &GgufValue::integer, -1);
    if (id >= 0) config.eos_token_ids = {int(std::min<std::int64_t>(id, 0x7fffffff))};
    return config;
}

Vocabulary read_vocabulary(const Gguf& gguf) {
    enum { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4 };
    Vocabulary vocabulary;
    const auto tokens = gguf.read("tokenizer.ggml.tokens", &GgufValue::texts);
    const auto types = gguf.read_or("tokenizer.ggml.token_type", &GgufValue::integers,
                                    std::vector<std::int64_t>(tokens.size(), kNormal));
    if (types.size() != tokens.size())
        throw Error(cat("has ", tokens.size(), " tokens and ", types.size(), " token types"));
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        const std::int64_t type = types[id];
        vocabulary.pieces.push_back(in_file(cat("token ", id), [&] {
            return type == kNormal ? from_byte_characters(tokens[id]) : "";
        }));
        if (type == kControl || type == kUnknown || type == kUserDefined)
            vocabulary.added.push_back({std::string(tokens[id]), int(id), type != kUserDefined});
    }
    constexpr std::string_view kMerges = "tokenizer.ggml.merges";
    for (const std::string_view merge : gguf.read_or(kMerges, &GgufValue::texts, {}))
        in_file(kMerges, [&] { vocabulary.merges.push_back(read_merge(merge)); });
    return vocabulary;
}

void add_vocabulary(const Gguf& gguf, Checkpoint& checkpoint) {
    constexpr std::string_view kModel = "tokenizer.ggml.model";
    if (!gguf.has(kModel)) return;
    try {
        const auto model = gguf.read(kModel, &GgufValue::text);
        const auto split = gguf.read_or("tokenizer.ggml.pre", &GgufValue::text, "gpt-2");
        if (model != "gpt2" || split != "gpt-2")
            throw Error(
                cat("it is of model '", model, "' and splits as '", split, "', not as GPT-2's"));
        checkpoint.vocabulary = read_vocabulary(gguf);
    } catch (const Error& e) {  // the weights are of use without it
        checkpoint.notes.push_back(cat("tokenizer left out: ", e.what()));
    }
}

}  // namespace

Checkpoint read_gguf(File file) {
    const Gguf gguf = Gguf::parse(file.bytes());
    Checkpoint checkpoint;
    checkpoint.format = cat("GGUF file, version ", gguf.version);
    checkpoint.out_by_in = true;
    checkpoint.config = read_config(gguf);
    for (const auto& [name, tensor] : gguf.tensors)
        add_tensor(checkpoint, gpt2_name(name),
                   {name, std::string(tensor.type->name), tensor.type->kept_as, tensor.shape,
                    [type = tensor.type, bytes = tensor.bytes] { return decode(*type, bytes); }});
    add_vocabulary(gguf, checkpoint);
    checkpoint.files.push_back(std::move(file));
    return checkpoint;
}

}  // namespace convert
