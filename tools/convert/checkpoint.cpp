#include "tools/convert/checkpoint.h"
#include <algorithm>
#include <limits>
#include "base/error.h"
#include "model/weights.h"
#include "tools/convert/byte_reader.h"

namespace convert {
namespace {

using Shape64 = std::vector<std::int64_t>;

// [rows,cols] -> [cols,rows], in blocks that stay in the cache.
std::vector<float> transpose(const std::vector<float>& x, std::size_t rows, std::size_t cols) {
    constexpr std::size_t kBlock = 32;
    std::vector<float> y(x.size());
    for (std::size_t top = 0; top < rows; top += kBlock)
        for (std::size_t left = 0; left < cols; left += kBlock)
            for (std::size_t r = top; r < std::min(top + kBlock, rows); ++r)
                for (std::size_t c = left; c < std::min(left + kBlock, cols); ++c)
                    y[c * rows + r] = x[r * cols + c];
    return y;
}

// Takes the tensors of a checkpoint one by one, as GPT-2 has them.
class Taker {
public:
    Taker(Checkpoint& checkpoint, std::optional<NumberType> type)
        : checkpoint_(checkpoint), type_(type) {}

    // How many rows a matrix has, where the config does not say.
    int rows_of(const std::string& name) const {
        const Shape64& shape = find(name).shape;
        if (shape.size() != 2 || shape[0] < 1 || shape[0] > std::numeric_limits<int>::max())
            throw Error(cat(name, ": expected a matrix, found ", shape_text(shape)));
        return int(shape[0]);
    }

    void take(const std::string& name, const Shape64& shape) {
        StoredTensor tensor = find(name);
        if (tensor.shape != shape)
            throw Error(
                cat(name, ": expected ", shape_text(shape), ", found ", shape_text(tensor.shape)));
        if (!tensor.kept_as)
            throw Error(cat(name, ": expected float32, float16 or bfloat16, found ", tensor.type));
        checkpoint_.tensors.erase(name);
        add(name, {"", *tensor.kept_as, shape, std::move(tensor.values)});
    }

    void take_linear(const std::string& name, std::int64_t in, std::int64_t out) {
        if (!checkpoint_.out_by_in) {
            take(name + ".weight", {in, out});
        } else {
            take(name + ".weight", {out, in});
            TensorSource& source = taken_.back();
            source.shape = {in, out};
            source.values = [values = source.values, in, out] {
                return transpose(values(), std::size_t(out), std::size_t(in));
            };
        }
        take_bias(name, out);
    }

    void take_norm(const std::string& name, std::int64_t size) {
        take(name + ".weight", {size});
        take_bias(name, size);
    }

    std::vector<TensorSource> finish() && { return std::move(taken_); }

private:
    const StoredTensor& find(const std::string& name) const {
        const auto at = checkpoint_.tensors.find(name);
        if (at == checkpoint_.tensors.end()) throw Error(cat("has no ", name));
        return at->second;
    }

    void take_bias(const std::string& name, std::int64_t size) {
        if (checkpoint_.tensors.count(name + ".bias")) return take(name + ".bias", {size});
        const auto zeros = [size] { return std::vector<float>(std::size_t(size)); };
        add(name + ".bias", {"", taken_.back().type, {size}, zeros});
    }

    void add(const std::string& name, TensorSource source) {
        source.name = name == "lm_head.weight" ? name : "transformer." + name;
        source.type = type_.value_or(source.type);
        taken_.push_back(std::move(source));
    }

    Checkpoint& checkpoint_;
    std::optional<NumberType> type_;
    std::vector<TensorSource> taken_;
};

// Whether there is a head whose numbers are those of wte, so that one copy serves both.
bool head_is_wte(const Checkpoint& checkpoint) {
    const auto head = checkpoint.tensors.find("lm_head.weight");
    const auto wte = checkpoint.tensors.find("wte.weight");
    if (head == checkpoint.tensors.end() || wte == checkpoint.tensors.end()) return false;
    const StoredTensor &a = head->second, &b = wte->second;
    return a.shape == b.shape && a.kept_as && b.kept_as && a.values() == b.values();
}

// What is left is no part of GPT-2. Inside a block it would have changed the result; elsewhere it
// is a head for another task.
void name_what_is_left(Checkpoint& checkpoint) {
    std::size_t left = 0;
    std::string first;
    for (const auto& [name, tensor] : checkpoint.tensors) {
        if (is_mask(tensor.name)) continue;
        if (name.starts_with("h.") || name.starts_with("blk.") || name.starts_with("lm_head."))
            throw Error(cat(tensor.name, " is no part of a GPT-2 whose n_layer is ",
                            checkpoint.config.n_layer));
        if (left++ == 0) first = tensor.name;
    }
    if (left > 0)
        checkpoint.notes.push_back(cat("left out, as no part of GPT-2: the tensor ", first,
                                       left > 1 ? cat(" and ", left - 1, " more") : ""));
}

}  // namespace

std::vector<float> read_numbers(NumberType type, std::span<const std::byte> bytes) {
    const auto size = std::size_t(bytes_of(type));
    std::vector<float> values(bytes.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = widen(type, &bytes[i * size]);
    return values;
}

void add_tensor(Checkpoint& checkpoint, std::string_view gpt2_name, StoredTensor tensor) {
    tensor.file = checkpoint.files.size();  // the one to come
    const auto [at, is_new] = checkpoint.tensors.try_emplace(plain_name(gpt2_name), tensor);
    if (is_new) return;
    const StoredTensor& other = at->second;
    const bool elsewhere = other.file < tensor.file;
    throw Error(cat(at->first, " is there twice, as ", other.name,
                    elsewhere ? cat(" in ", checkpoint.files[other.file].name()) : "", " and as ",
                    tensor.name));
}

void add_tokenizer_files(Checkpoint& checkpoint, const Folder& folder) {
    for (const char* file : {"vocab.json", "merges.txt", "tokenizer.json", "tokenizer_config.json",
                             "special_tokens_map.json", "added_tokens.json"})
        if (folder.has(file)) checkpoint.companions.push_back(folder.open(file).name());
    if (!folder.has("vocab.json") && !folder.has("tokenizer.json"))
        checkpoint.notes.push_back(
            "no tokenizer: OUT works with token ids until it gets the model's vocab.json and "
            "merges.txt");
}

static std::vector<TensorSource> take_all(Checkpoint& checkpoint, std::optional<NumberType> type) {
    Config& config = checkpoint.config;
    Taker taker(checkpoint, type);
    if (!config.vocab_size) config.vocab_size = taker.rows_of("wte.weight");
    if (!config.n_positions) config.n_positions = taker.rows_of("wpe.weight");
    const std::int64_t C = config.n_embd, V = config.vocab_size;
    if (config.tie_word_embeddings && head_is_wte(checkpoint))
        checkpoint.tensors.erase("lm_head.weight");
    config.tie_word_embeddings = checkpoint.tensors.count("lm_head.weight") == 0;

    taker.take("wte.weight", {V, C});
    taker.take("wpe.weight", {config.n_positions, C});
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = cat("h.", layer, ".");
        taker.take_norm(h + "ln_1", C);
        taker.take_linear(h + "attn.c_attn", C, 3 * C);
        taker.take_linear(h + "attn.c_proj", C, C);
        taker.take_norm(h + "ln_2", C);
        taker.take_linear(h + "mlp.c_fc", C, config.n_inner);
        taker.take_linear(h + "mlp.c_proj", config.n_inner, C);
    }
    taker.take_norm("ln_f", C);
    if (!config.tie_word_embeddings) taker.take("lm_head.weight", {V, C});
    name_what_is_left(checkpoint);
    return std::move(taker).finish();
}

std::vector<TensorSource> gpt2_tensors(Checkpoint& checkpoint, std::optional<NumberType> type) {
    return in_file(checkpoint.name, [&] { return take_all(checkpoint, type); });
}

}  // namespace convert
