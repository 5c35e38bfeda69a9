#include "tools/convert/llmc.h"
#include "base/path.h"
#include "tools/convert/byte_reader.h"
#include "tools/convert/merge_order.h"

namespace convert {
namespace {

constexpr std::uint32_t kMagic = 20240326, kTokenizerMagic = 20240328;
constexpr std::size_t kHeaderSize = 1024;

// The tensors lie one after the other, those of a kind for all layers together.
class Walk {
public:
    Walk(ByteReader& reader, NumberType type, Checkpoint& checkpoint)
        : reader_(reader), type_(type), checkpoint_(checkpoint) {}

    // The next numbers of that shape.
    std::span<const std::byte> take(const std::vector<std::int64_t>& shape) {
        std::uint64_t size = std::uint64_t(bytes_of(type_));
        for (const auto dim : shape) {
            if (dim && size > reader_.left() / std::uint64_t(dim))
                throw Error(cat(shape_text(shape), " numbers go beyond the file's end"));
            size *= std::uint64_t(dim);
        }
        return reader_.take(size);
    }
    void tensor(const std::string& name, const std::vector<std::int64_t>& shape) {
        const auto bytes = in_file(name, [&] { return take(shape); });
        add_tensor(checkpoint_, name, {name, name_of(type_), type_, shape, [type = type_, bytes] {
                                           return read_numbers(type, bytes);
                                       }});
    }
    void layers(const std::string& name, const std::vector<std::int64_t>& shape) {
        for (int layer = 0; layer < checkpoint_.config.n_layer; ++layer)
            tensor(cat("h.", layer, ".", name), shape);
    }

private:
    ByteReader& reader_;
    NumberType type_;
    Checkpoint& checkpoint_;
};

void walk_tensors(Walk walk, const Config& config) {
    const std::int64_t C = config.n_embd;
    walk.tensor("wpe.weight", {config.n_positions, C});
    walk.layers("ln_1.weight", {C});
    walk.layers("ln_1.bias", {C});
    walk.layers("attn.c_attn.weight", {3 * C, C});
    walk.layers("attn.c_attn.bias", {3 * C});
    walk.layers("attn.c_proj.weight", {C, C});
    walk.layers("attn.c_proj.bias", {C});
    walk.layers("ln_2.weight", {C});
    walk.layers("ln_2.bias", {C});
    walk.layers("mlp.c_fc.weight", {4 * C, C});
    walk.layers("mlp.c_fc.bias", {4 * C});
    walk.layers("mlp.c_proj.weight", {C, 4 * C});
    walk.layers("mlp.c_proj.bias", {C});
    walk.tensor("ln_f.weight", {C});
    walk.tensor("ln_f.bias", {C});
}

}  // namespace

bool is_llmc(std::string_view bytes) {
    return bytes.size() >= 4 && load_little_endian<std::uint32_t>(bytes.data()) == kMagic;
}

Checkpoint read_llmc(File file) {
    ByteReader reader(file.bytes());
    reader.take(4);
    const auto version = reader.number<std::uint32_t>();
    if (version != 3 && version != 5)
        throw Error(cat("llm.c's version ", version, "; known are 3 (float32) and 5 (bfloat16)"));
    const NumberType type = version == 3 ? NumberType::f32 : NumberType::bf16;
    Checkpoint checkpoint;
    checkpoint.format = cat("llm.c checkpoint, version ", version);
    checkpoint.out_by_in = true;
    Config& config = checkpoint.config;
    config.n_positions = reader.size("its number of positions");
    config.vocab_size = reader.size("its vocabulary's size");
    config.n_layer = reader.size("its number of layers");
    config.n_head = reader.size("its number of heads");
    config.n_embd = reader.size("its number of channels");
    config.n_inner = 4 * config.n_embd;
    const int padded = reader.size("its padded vocabulary's size");
    if (config.n_embd % config.n_head != 0)
        throw Error(cat(config.n_embd, " channels are no multiple of ", config.n_head, " heads"));
    if (padded < config.vocab_size)
        throw Error(cat("its vocabulary of ", config.vocab_size, " is padded to ", padded));

    reader = ByteReader(file.bytes(), kHeaderSize);
    Walk walk(reader, type, checkpoint);
    walk.tensor("wte.weight", {config.vocab_size, config.n_embd});
    walk.take({padded - config.vocab_size, config.n_embd});
    walk_tensors(walk, config);
    if (reader.left()) throw Error(cat("has ", reader.left(), " bytes more than its header says"));

    const auto folder = path_of(file.name()).parent_path();
    for (const char* name : {"gpt2_tokenizer.bin", "tokenizer.bin"})
        if (const std::string path = (folder / name).string();
            !checkpoint.vocabulary && exists(status_of(path, "cannot be opened")))
            checkpoint.vocabulary = read_llmc_tokenizer(File::open(path));
    if (checkpoint.vocabulary)
        config.eos_token_ids = {checkpoint.vocabulary->added[0].id};
    else if (config.vocab_size == 50257)  // GPT-2's own
        config.eos_token_ids = {50256};
    checkpoint.files.push_back(std::move(file));
    return checkpoint;
}

Vocabulary read_llmc_tokenizer(const File& file) {
    return in_file(file.name(), [&] {
        ByteReader reader(file.bytes());
        if (reader.number<std::uint32_t>() != kTokenizerMagic)
            throw Error("does not begin as a tokenizer file of llm.c");
        const auto version = reader.number<std::uint32_t>();
        if (version != 1 && version != 2)
            throw Error(cat("llm.c's tokenizer version ", version, "; known are 1 and 2"));
        const int count = reader.size("its number of pieces");
        const std::uint32_t last = version == 1 ? 50256 : reader.number<std::uint32_t>();
        if (last >= std::uint32_t(count))
            throw Error(cat("its end-of-text token is ", last, " of ", count, " pieces"));
        reader = ByteReader(file.bytes(), kHeaderSize);
        Vocabulary vocabulary;
        for (int id = 0; id < count; ++id) {
            vocabulary.pieces.emplace_back(reader.text(reader.number<std::uint8_t>()));
            if (vocabulary.pieces.back().empty()) throw Error(cat("piece ", id, " is empty"));
        }
        vocabulary.added.push_back({vocabulary.pieces[last], int(last), true});
        vocabulary.merges = merges_in_order(vocabulary.pieces, int(last)).value_or(Merges());
        return vocabulary;
    });
}

}  // namespace convert
