#include "tests/fuzz/targets.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include "formats/json.h"
#include "model/reference.h"
#include "model/tokenizer_files.h"
#include "model/tokenizer_writer.h"
#include "tests/model_folder.h"
#include "tests/tools/convert/foreign.h"
#include "tests/tools/convert/foreign_formats.h"
#include "text/utf8_stream.h"
#include "tools/convert/gguf_checkpoint.h"
#include "tools/convert/llmc.h"
#include "tools/convert/nanogpt.h"

namespace fuzz {
namespace {

using namespace std::string_literals;
using Strings = std::vector<std::string>;

void require(bool holds) {
    if (!holds) std::abort();
}

File input(std::string_view bytes, const char* name = "fuzz/input") { return file_of(name, bytes); }

// Files of a folder in one input: their sizes as two bytes each, then one after the other; the last
// has what is left.
Folder split(std::string_view bytes, std::initializer_list<const char*> names) {
    std::vector<File> files;
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i + 1 < names.size() && bytes.size() >= 2; ++i) {
        sizes.push_back(load_little_endian<std::uint16_t>(bytes.data()));
        bytes.remove_prefix(2);
    }
    sizes.resize(names.size(), bytes.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto part = bytes.substr(0, std::min(sizes[i], bytes.size()));
        bytes.remove_prefix(part.size());
        files.push_back(input(part, names.begin()[i]));
    }
    return {"fuzz", std::move(files)};
}
std::string join(const Strings& parts) {
    std::string bytes, all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i + 1 < parts.size()) bytes += foreign::u16(parts[i].size());
        all += parts[i];
    }
    return bytes + all;
}

const TinyModel kTiny{
    .n_layer = 1, .n_head = 1, .n_embd = 2, .n_inner = 8, .n_positions = 3, .vocab_size = 4};

// --- formats ---

void json(std::string_view bytes) {
    std::vector<const Json*> todo;
    const Json root = parse_json(bytes, "fuzz");
    for (todo.push_back(&root); !todo.empty();) {
        const Json& value = *todo.back();
        todo.pop_back();
        if (value.is(Json::Kind::string))
            require(parse_json(json_quote(value.string()), "fuzz").string() == value.string());
        if (value.is(Json::Kind::number))
            require(parse_json(json_number(value.number()), "fuzz").number() == value.number());
        if (value.is(Json::Kind::array))
            for (const Json& element : value.array()) todo.push_back(&element);
        if (value.is(Json::Kind::object))
            for (const auto& [key, member] : value.object()) todo.push_back(&member);
    }
}
Strings json_seeds() {
    return {R"({"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{}})", "[[[[]]]]", "1"};
}

void safetensors(std::string_view bytes) {
    const SafeTensors file = SafeTensors::open(input(bytes));
    for (const auto& entry : file.entries()) {
        require(file.find(entry.name) == &entry);
        if (const auto type = number_type(entry.dtype)) convert::read_numbers(*type, entry.bytes);
    }
}
std::string safetensors_of(const TinyModel& m) {
    ScratchFolder scratch;
    write_table_model(scratch.path(), m);
    return std::string(File::open(scratch.path("model.safetensors")).text());
}
Strings safetensors_seeds() {
    return {safetensors_of(kTiny),
            raw_safetensors(R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})", "1234")};
}

// --- models ---

void model(std::string_view bytes) {
    const Folder folder = split(bytes, {"config.json", "model.safetensors"});
    const Weights weights = load_weights(folder);
    const std::vector<int> ids = {0, weights.config.vocab_size - 1};
    if (weights.config.n_positions >= 2) reference::forward(weights, ids, 1);
}
Strings model_seeds() {
    TinyModel head = kTiny;
    head.more_config = R"(,"activation_function":"relu","eos_token_id":[1],"n_ctx":3)";
    head.head = true;
    return {join({tiny_config(kTiny), safetensors_of(kTiny)}),
            join({tiny_config(head), safetensors_of(head)})};
}

// Text becomes tokens and the same text again.
void check_round_trip(const Tokenizer& tokenizer, std::string_view text) {
    for (const auto special : {Tokenizer::Special::as_text, Tokenizer::Special::as_tokens})
        require(tokenizer.decode(tokenizer.encode(text, special)) == text);
}

void tokenizer(std::string_view bytes) {
    const Folder folder = split(bytes, {"text", "tokenizer.json"});
    if (const auto tokenizer = load_tokenizer(folder))
        check_round_trip(*tokenizer, folder.open("text").text());
}
Strings tokenizer_seeds() {
    const std::string model =
        R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"Ġ":3,"<":4,"x":5,">":6},"merges":["a b"]})";
    const std::string byte_level = R"({"type":"ByteLevel","add_prefix_space":false})";
    return {join({"ab a<x>", cat(R"({"added_tokens":[{"id":7,"content":"<x>","special":true}],)",
                                 R"("pre_tokenizer":)", byte_level, ",\"model\":", model, "}")})};
}

void vocabulary(std::string_view bytes) {
    const Folder folder =
        split(bytes, {"text", "merges.txt", "tokenizer_config.json", "vocab.json"});
    if (const auto tokenizer = load_tokenizer(folder))
        check_round_trip(*tokenizer, folder.open("text").text());
}
Strings vocabulary_seeds() {
    return {join({"ab a", "#version: 0.2\na b\n",
                  R"({"added_tokens_decoder":{"4":{"content":"<x>","special":false}}})",
                  R"({"a":0,"b":1,"ab":2,"Ġ":3})"}),
            join({"hello", "", "{}", R"({"0":" ","1":"hello","2":"l"})"})};
}

Tokenizer all_bytes() {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary.pieces.emplace_back(1, char(byte));
    for (const auto& [left, right] :
         {std::pair("h", "e"), std::pair("l", "l"), std::pair("he", "ll"),
          std::pair("\xc3", "\xa9"), std::pair(" ", " ")}) {
        vocabulary.merges.emplace_back(left, right);
        vocabulary.pieces.push_back(std::string(left) + right);
    }
    vocabulary.added = {{"<|endoftext|>", 261, true}, {"<x>", 262, false}, {"<xy>", 263, false}};
    return Tokenizer(std::move(vocabulary));
}

void text(std::string_view bytes) {
    const Tokenizer tokenizer = all_bytes();
    check_round_trip(tokenizer, bytes);
    Utf8Stream stream;
    std::string all;
    for (const int id : tokenizer.encode(bytes)) all += stream.append(tokenizer.piece(id));
    require(all + stream.finish() == bytes);
}
Strings text_seeds() {
    return {"hello <|endoftext|> <xy>", "We'll  naïve\t\n 12½ ", "\xc3(\xe2\x82\xff é 震"};
}

// --- checkpoints of other programs ---

// Reads every number, and the tokenizer, as a conversion would.
void read_all(convert::Checkpoint checkpoint) {
    for (const TensorSource& tensor : convert::gpt2_tensors(checkpoint, std::nullopt)) {
        const auto values = tensor.values();
        std::size_t size = 1;
        for (const auto dim : tensor.shape) size *= std::size_t(dim);
        require(values.size() == size);
    }
    if (!checkpoint.vocabulary) return;
    std::vector<File> files;
    const auto written = tokenizer_files(*checkpoint.vocabulary);
    for (const auto& file : written) files.push_back(input(file.content, file.name.c_str()));
    load_tokenizer({"fuzz", std::move(files)});
}

void torch(std::string_view bytes) {
    // With checksums no mutation would come any further.
    const std::string archive = foreign::without_checksums(std::string(bytes));
    File file = input(archive);
    const convert::TorchFile torch(file);
    if (is_nanogpt(torch)) return read_all(convert::read_nanogpt(std::move(file), torch));
    convert::Checkpoint checkpoint;
    add_tensors(torch, torch.root(), checkpoint);
    for (const auto& [name, tensor] : checkpoint.tensors)
        if (tensor.values) tensor.values();
}
Strings torch_seeds() {
    TinyModel half = kTiny;
    half.type = NumberType::f16;
    const auto [state, storages] = foreign::state_dict(tiny_tensors(half));
    using namespace foreign::pickle;
    using foreign::pickle::text;
    const std::string stream =
        "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."s + whole_pickle(whole(1001)) +
        whole_pickle(dict({{text("little_endian"), "\x88"}})) +
        whole_pickle(dict({{text("a"), tensor(storage("HalfStorage", "7", 4), 1, {3}, {1})}})) +
        whole_pickle("](" + text("7") + "e") + foreign::u64(4) + "12345678";
    return {foreign::nanogpt(kTiny), foreign::torch_archive(state, storages, {.zip64 = true}),
            stream};
}

void meta(std::string_view bytes) { convert::read_meta(input(bytes)); }
Strings meta_seeds() {
    using namespace foreign::pickle;
    using foreign::pickle::text;
    const std::string newer =
        "\x80\x04\x95\0\0\0\0\0\0\0\0}\x94(\x8c\4itos\x94](\x8c\1ah\1e\x8c\1zNu."s;
    return {foreign::meta_pickle({"a", "é"}), newer,
            whole_pickle(dict({{text("stoi"), dict({{text("b"), whole(0)}})}}))};
}

void llmc(std::string_view bytes) { read_all(convert::read_llmc(input(bytes))); }
Strings llmc_seeds() { return {foreign::llmc(kTiny)}; }

void llmc_tokenizer(std::string_view bytes) {
    tokenizer_files(convert::read_llmc_tokenizer(input(bytes)));
}
Strings llmc_tokenizer_seeds() {
    Strings pieces;
    for (int byte = 0; byte < 256; ++byte) pieces.emplace_back(1, char(byte));
    for (const char* piece : {"he", "ll", "hell", "<|endoftext|>"}) pieces.emplace_back(piece);
    return {foreign::llmc_tokenizer(pieces, 259), foreign::llmc_tokenizer({"a", " the"}, 0)};
}

void gguf(std::string_view bytes) { read_all(convert::read_gguf(input(bytes))); }
Strings gguf_seeds() {
    using namespace foreign::gguf;
    auto values = model_values(kTiny);
    auto tensors = model_tensors(kTiny);
    const std::string plain = file(values, tensors);
    values.push_back({"tokenizer.ggml.model", text_value("gpt2")});
    values.push_back({"tokenizer.ggml.tokens", texts_value({"a", "b", "ab", "<x>"})});
    values.push_back({"tokenizer.ggml.token_type", wholes_value({1, 1, 1, 3})});
    values.push_back({"tokenizer.ggml.merges", texts_value({"a b"})});
    tensors.push_back({"more", {2, 32}, 7, std::string(48, 'q')});
    return {plain, file(values, tensors, 2)};
}

constexpr Target kTargets[] = {{"json", json, json_seeds},
                               {"safetensors", safetensors, safetensors_seeds},
                               {"model", model, model_seeds},
                               {"tokenizer", tokenizer, tokenizer_seeds},
                               {"vocabulary", vocabulary, vocabulary_seeds},
                               {"text", text, text_seeds},
                               {"torch", torch, torch_seeds},
                               {"meta", meta, meta_seeds},
                               {"llmc", llmc, llmc_seeds},
                               {"llmc_tokenizer", llmc_tokenizer, llmc_tokenizer_seeds},
                               {"gguf", gguf, gguf_seeds}};

}  // namespace

std::span<const Target> targets() { return kTargets; }

}  // namespace fuzz
