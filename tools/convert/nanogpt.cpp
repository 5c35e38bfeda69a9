#include "tools/convert/nanogpt.h"
#include <limits>
#include "base/path.h"

namespace convert {
namespace {

// The argument of either name: nanoGPT's own, and how a rewrite of it spells the same.
const PickleValue* find(const PickleValue& args, std::string_view name, std::string_view other) {
    const PickleValue* const value = args.find(name);
    return value ? value : args.find(other);
}

int size_of(const PickleValue& args, std::string_view name, std::string_view other) {
    const PickleValue* const value = find(args, name, other);
    if (!value) throw Error(cat("model_args has no ", name));
    const std::int64_t size = in_file(name, [&] { return value->integer(); });
    if (size < 1 || size > std::numeric_limits<int>::max() / 4)
        throw Error(cat("model_args: ", name, " is ", size));
    return int(size);
}

// model_args, and what nanoGPT's model.py fixes.
Config read_config(const PickleValue& args) {
    Config config;
    config.n_layer = size_of(args, "n_layer", "num_layers");
    config.n_head = size_of(args, "n_head", "num_heads");
    config.n_embd = size_of(args, "n_embd", "dim_embedding");
    config.n_inner = 4 * config.n_embd;
    config.n_positions = size_of(args, "block_size", "seq_length");
    config.vocab_size = size_of(args, "vocab_size", "");
    if (config.n_embd % config.n_head != 0)
        throw Error(cat("n_embd ", config.n_embd, " is no multiple of n_head ", config.n_head));
    // Its GELU was GPT-2's approximation at first, before model_args had `bias`.
    config.activation = find(args, "bias", "use_bias") ? Activation::gelu : Activation::gelu_new;
    return config;
}

void place(Vocabulary& vocabulary, const PickleValue& id, const PickleValue& piece,
           std::size_t most) {
    const std::int64_t at = id.integer();
    if (at < 0 || std::size_t(at) >= most)
        throw Error(cat("id ", at, " in a vocabulary of ", most));
    if (std::size_t(at) >= vocabulary.pieces.size()) vocabulary.pieces.resize(std::size_t(at) + 1);
    std::string& place = vocabulary.pieces[std::size_t(at)];
    if (!place.empty()) throw Error(cat("id ", at, " is there twice"));
    place = piece.text();
}

}  // namespace

bool is_nanogpt(const TorchFile& torch) {
    const PickleValue& root = torch.root();
    return root.is(PickleValue::Kind::dict) && root.find("model") && root.find("model_args");
}

Checkpoint read_nanogpt(File file, const TorchFile& torch) {
    Checkpoint checkpoint;
    checkpoint.format = cat("nanoGPT checkpoint (", torch.layout(), ")");
    checkpoint.out_by_in = true;
    checkpoint.config = read_config(*torch.root().find("model_args"));
    add_tensors(torch, *torch.root().find("model"), checkpoint);
    const std::string meta = (path_of(file.name()).parent_path() / "meta.pkl").string();
    if (exists(status_of(meta, "cannot be opened")))
        checkpoint.vocabulary = read_meta(File::open(meta));
    if (checkpoint.config.activation == Activation::gelu)
        checkpoint.notes.push_back(
            "GELU is taken to be exact, as in nanoGPT since June 2023; before, it was the one that "
            "config.json calls gelu_new");
    checkpoint.files.push_back(std::move(file));
    return checkpoint;
}

Vocabulary read_meta(const File& file) {
    return in_file(file.name(), [&] {
        ByteReader reader(file.bytes());
        const Pickle pickle(reader, {});
        const PickleValue *const itos = pickle.root().find("itos"), *const stoi =
                                                                        pickle.root().find("stoi");
        if (!itos && !stoi) throw Error("has neither itos nor stoi");
        Vocabulary vocabulary;
        const auto& items = (itos ? itos : stoi)->items();
        const bool list = itos && itos->is(PickleValue::Kind::list);
        const std::size_t count = list ? items.size() : items.size() / 2;
        for (std::size_t i = 0; i < count; ++i)
            if (list)
                vocabulary.pieces.emplace_back(items[i]->text());
            else
                place(vocabulary, *items[2 * i + (itos ? 0 : 1)], *items[2 * i + (itos ? 1 : 0)],
                      count);
        return vocabulary;
    });
}

}  // namespace convert
