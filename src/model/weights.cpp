#include "model/weights.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include "base/error.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "model/folder.h"

namespace {

// The files that hold the weights, and the tensors that an index promises.
Shards shards_of(const Folder& folder) {
    const std::string first = folder.weights_file();
    return first.ends_with(".index.json") ? read_index(folder, first) : Shards{{first}, {}};
}

// An axis of an expected shape: what config.json calls its size, and the size, or 0 where the file
// alone says it.
struct Axis {
    const char* name;
    int size;

    bool fits(std::int64_t found) const {
        return size ? found == size : found > 0 && found <= std::numeric_limits<int>::max();
    }
};

// "[n_embd,3 n_embd] = [32,96]"
std::string expected_text(std::span<const Axis> axes) {
    std::string names, sizes;
    for (const auto& [name, size] : axes) {
        names += cat(names.empty() ? "" : ",", name);
        sizes += cat(sizes.empty() ? "" : ",", size ? std::to_string(size) : "any");
    }
    return "[" + names + "] = [" + sizes + "]";
}

// Every tensor of a model under GPT-2's name, whatever file and prefix it has.
class Checkpoint {
public:
    explicit Checkpoint(const Folder& folder) {
        const Shards shards = shards_of(folder);
        for (const std::string& name : shards.files)
            parts_.push_back(SafeTensors::open(folder.open(name)));
        name_ = parts_.size() == 1 ? parts_[0].file().name() : folder.name();
        for (const SafeTensors& part : parts_)
            for (const SafeTensors::Entry& entry : part.entries()) add(part, entry);
        for (const std::string& tensor : shards.tensors) promised_.insert(plain_name(tensor));
    }

    std::size_t elements_read() const { return elements_read_; }
    // Throws Error where only the index has it.
    bool has(const std::string& name) const {
        if (tensors_.count(name)) return true;
        if (promised_.count(name))
            throw Error(cat(name_, ": the index names ", name, ", which no shard holds"));
        return false;
    }

    StoredMatrix matrix(const std::string& name, Axis rows, Axis cols) {
        const Axis axes[] = {rows, cols};
        return read(name, axes);
    }

    // One row of numbers, as floats.
    Tensor vector(const std::string& name, Axis axis) {
        Tensor values = widen(read(name, {&axis, 1}));
        values.shape = {axis.size};
        return values;
    }
    // The same, and zero where the files have none.
    Tensor bias(const std::string& name, Axis axis) {
        return has(name) ? vector(name, axis) : Tensor({axis.size});
    }

    Linear<StoredMatrix> linear(const std::string& name, Axis in, Axis out) {
        return {matrix(name + ".weight", in, out), bias(name + ".bias", out)};
    }
    Norm norm(const std::string& name, Axis axis) {
        return {vector(name + ".weight", axis), bias(name + ".bias", axis)};
    }

    // What nothing has asked for, as the files name it, but for masks.
    std::vector<std::string> unread() const {
        std::vector<std::string> names;
        for (const auto& [name, tensor] : tensors_)
            if (!tensor.read && !is_mask(tensor.entry->name)) names.push_back(tensor.entry->name);
        return names;
    }

    std::vector<File> release() && {
        std::vector<File> files;
        for (SafeTensors& part : parts_) files.push_back(std::move(part).release());
        return files;
    }

private:
    struct Found {
        const SafeTensors::Entry* entry;
        const std::string* file;
        bool read;
    };

    void add(const SafeTensors& part, const SafeTensors::Entry& entry) {
        const std::string name = plain_name(entry.name);
        const auto [at, is_new] = tensors_.insert({name, {&entry, &part.file().name(), false}});
        if (is_new) return;
        const std::string& other = at->second.entry->name;
        throw Error(cat(part.file().name(), ": ", json_quote(entry.name),
                        entry.name == other
                            ? " is also"
                            : cat(" is ", json_quote(name), ", and so is ", json_quote(other)),
                        " in ", *at->second.file));
    }

    StoredMatrix read(const std::string& name, std::span<const Axis> axes) {
        const auto at = tensors_.find(name);
        if (at == tensors_.end()) throw Error(cat(name_, ": no tensor ", name));
        auto& [entry, file, was_read] = at->second;
        was_read = true;
        const auto& shape = entry->shape;
        if (!std::equal(axes.begin(), axes.end(), shape.begin(), shape.end(),
                        [](const Axis& axis, std::int64_t size) { return axis.fits(size); }))
            refuse_shape(*file + ": " + name, axes, shape);
        const auto type = number_type(entry->dtype);
        if (!type)
            throw Error(cat(*file, ": ", name, ": expected F32, F16 or BF16, found ",
                            json_quote(entry->dtype)));
        elements_read_ += entry->bytes.size() / std::size_t(bytes_of(*type));
        return {*type, entry->bytes.data(), shape.size() == 1 ? 1 : int(shape[0]),
                int(shape.back())};
    }

    [[noreturn]] static void refuse_shape(const std::string& what, std::span<const Axis> axes,
                                          std::span<const std::int64_t> shape) {
        const bool turned = axes.size() == 2 && shape.size() == 2 && axes[0].fits(shape[1]) &&
                            axes[1].fits(shape[0]);
        throw Error(cat(what, ": expected ", expected_text(axes), ", found ", shape_text(shape),
                        turned ? ", turned round: GPT-2 stores projections as [in,out]" : ""));
    }

    std::string name_;  // of the file, or the folder of shards
    std::vector<SafeTensors> parts_;
    std::map<std::string, Found> tensors_;
    std::set<std::string> promised_;  // by an index
    std::size_t elements_read_ = 0;
};

Block<StoredMatrix> read_block(Checkpoint& tensors, int layer, const Config& config) {
    const std::string h = cat("h.", layer, ".");
    const Axis C = {"n_embd", config.n_embd}, C3 = {"3 n_embd", 3 * config.n_embd};
    const Axis inner = {"n_inner", config.n_inner};
    return {tensors.norm(h + "ln_1", C),
            tensors.linear(h + "attn.c_attn", C, C3),
            tensors.linear(h + "attn.c_proj", C, C),
            tensors.norm(h + "ln_2", C),
            tensors.linear(h + "mlp.c_fc", C, inner),
            tensors.linear(h + "mlp.c_proj", inner, C)};
}

bool same_bytes(const StoredMatrix& a, const StoredMatrix& b) {
    return a.type == b.type && a.rows == b.rows && a.cols == b.cols &&
           std::memcmp(a.data, b.data, std::size_t(a.address(a.rows, 0) - a.data)) == 0;
}

// lm_head.weight where the files have one, and wte where they don't or the two are the same.
StoredMatrix read_head(Checkpoint& tensors, Weights& weights) {
    const StoredMatrix& wte = weights.wte;
    const bool tied = weights.config.tie_word_embeddings;
    if (!tensors.has("lm_head.weight")) {
        if (!tied)
            weights.warnings.push_back(
                "tie_word_embeddings is false, but there is no lm_head.weight: wte is used");
        return wte;
    }
    const StoredMatrix head =
        tensors.matrix("lm_head.weight", {"vocab_size", wte.rows}, {"n_embd", wte.cols});
    if (same_bytes(head, wte)) return wte;
    if (tied)
        weights.warnings.push_back(
            "tie_word_embeddings is true, but lm_head.weight differs from wte: it is used");
    return head;
}

// Leaves only those end-of-text tokens that the vocabulary has, with a warning for each other.
void check_eos_token_ids(Weights& weights) {
    const int V = weights.config.vocab_size;
    std::erase_if(weights.config.eos_token_ids, [&](int id) {
        if (id < V) return false;
        weights.warnings.push_back(
            cat("eos_token_id ", id, " is outside the vocabulary of ", V, ": ignored"));
        return true;
    });
}

}  // namespace

Weights load_weights(const Folder& folder) {
    Checkpoint tensors(folder);
    Weights weights;
    Config& config = weights.config = read_config(folder.open("config.json"));
    const Axis C = {"n_embd", config.n_embd};
    weights.wte = tensors.matrix("wte.weight", {"vocab_size", config.vocab_size}, C);
    weights.wpe = tensors.matrix("wpe.weight", {"n_positions", config.n_positions}, C);
    config.vocab_size = weights.wte.rows;
    config.n_positions = weights.wpe.rows;
    for (int l = 0; l < config.n_layer; ++l) weights.h.push_back(read_block(tensors, l, config));
    weights.ln_f = tensors.norm("ln_f", C);
    weights.parameters = tensors.elements_read();
    weights.lm_head = read_head(tensors, weights);
    if (!weights.tied()) weights.parameters = tensors.elements_read();
    check_eos_token_ids(weights);
    if (const auto unread = tensors.unread(); !unread.empty())
        weights.warnings.push_back(
            cat("not used: the tensor ", json_quote(unread[0]),
                unread.size() > 1 ? cat(" and ", unread.size() - 1, " more") : ""));
    weights.files = std::move(tensors).release();
    return weights;
}

std::string plain_name(std::string_view name) {
    for (const std::string_view prefix : {"module.", "_orig_mod.", "module.", "transformer."})
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    std::string plain(name);
    for (const auto& [old, now] : {std::pair(".gamma", ".weight"), std::pair(".beta", ".bias")})
        if (name.ends_with(old)) plain.replace(plain.rfind('.'), plain.npos, now);
    return plain;
}

bool is_mask(std::string_view name) {
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

Tensor widen(const StoredMatrix& matrix) {
    Tensor result({matrix.rows, matrix.cols});
    for (int r = 0; r < matrix.rows; ++r)
        for (int c = 0; c < matrix.cols; ++c) result.at(r, c) = matrix.at(r, c);
    return result;
}
