#include "tools/convert/gguf_checkpoint.h"
#include "model/tokenizer_files.h"
#include "tests/tools/convert/foreign_formats.h"
#include "tests/tools/convert/round_trip.h"
#include "text/byte_characters.h"

using namespace foreign;

namespace {

// A tokenizer of 256 bytes, "he", <|endoftext|>, <user> and an unused id.
Entries tokenizer_values() {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte)
        tokens.push_back(to_byte_characters(std::string(1, char(byte))));
    std::vector<int> types(257, 1);
    for (const char* token : {"he", "<|endoftext|>", "<user>", "[PAD259]"}) tokens.push_back(token);
    types.insert(types.end(), {3, 4, 5});
    return {{"tokenizer.ggml.model", gguf::text_value("gpt2")},
            {"tokenizer.ggml.pre", gguf::text_value("gpt-2")},
            {"tokenizer.ggml.tokens", gguf::texts_value(tokens)},
            {"tokenizer.ggml.token_type", gguf::wholes_value(types)},
            {"tokenizer.ggml.merges", gguf::texts_value({"h e"})},
            {"tokenizer.ggml.eos_token_id", gguf::whole_value(257)}};
}

std::string file_with(const TinyModel& m, const Entries& more, std::size_t version = 3) {
    Entries values = gguf::model_values(m);
    values.insert(values.end(), more.begin(), more.end());
    return gguf::file(values, gguf::model_tensors(m), version);
}

std::string error_of(const std::string& bytes) {
    ScratchFolder scratch;
    write_text(scratch.path("m.gguf"), bytes);
    return conversion_error(scratch, scratch.path("m.gguf"));
}

}  // namespace

TEST_CASE("a GGUF file gives the logits of the model that it was written from") {
    for (const auto type : {NumberType::f32, NumberType::f16, NumberType::bf16})
        for (const bool head : {false, true}) {
            const TinyModel m{.more_config = head ? ",\"tie_word_embeddings\":false" : "",
                              .type = type,
                              .head = head};
            ScratchFolder scratch;
            write_text(scratch.path("m.gguf"), file_with(m, {}, head ? 2 : 3));
            const Weights weights =
                load_weights(convert_to(scratch.path("m.gguf"), scratch.path("out")));
            CHECK(weights.wte.type == type);
            CHECK(weights.tied() != head);
            CHECK(logits_of(weights).data == logits_of(m).data);
        }
}

TEST_CASE("its tokenizer comes along, with special tokens, others and unused ids") {
    ScratchFolder scratch;
    write_text(scratch.path("m.gguf"), file_with({.vocab_size = 260}, tokenizer_values()));
    const Folder folder = convert_to(scratch.path("m.gguf"), scratch.path("out"));
    const auto tokenizer = load_tokenizer(folder);
    REQUIRE(tokenizer);
    CHECK(tokenizer->encode("she<user><|endoftext|>") == std::vector{'s' + 0, 256, 258, 257});
    using Special = Tokenizer::Special;
    CHECK(tokenizer->encode("<|endoftext|>", Special::as_text).size() == 13);
    CHECK(tokenizer->encode("<user>", Special::as_text) == std::vector{258});
    CHECK(load_weights(folder).config.eos_token_ids == std::vector{257});
}

TEST_CASE("a tokenizer that is not GPT-2's is left out") {
    for (const auto& [key, value] : {std::pair("tokenizer.ggml.model", "llama"),
                                     std::pair("tokenizer.ggml.pre", "llama-bpe")}) {
        Entries values = tokenizer_values();
        for (auto& entry : values)
            if (entry.first == key) entry.second = gguf::text_value(value);
        ScratchFolder scratch;
        write_text(scratch.path("m.gguf"), file_with({.vocab_size = 260}, values));
        CHECK_FALSE(load_tokenizer(convert_to(scratch.path("m.gguf"), scratch.path("out"))));
    }
}

TEST_CASE("a GGUF file that is no GPT-2, or lacks something, is refused") {
    CHECK(error_of(file_with({}, {})) == "none");
    std::string other = file_with({}, {});
    other.replace(other.find("gpt2", 20), 4, "bert");
    CHECK(error_of(other) == "m.gguf: is of architecture 'bert', expected 'gpt2'");
    CHECK(error_of(file_with({.n_head = 3}, {})) ==
          "m.gguf: has 8 channels, no multiple of 3 heads");
    std::string renamed = file_with({}, {});
    renamed.replace(renamed.find("blk.1.ffn_up.weight"), 19, "blk.1.ffn_op.weight");
    CHECK(error_of(renamed) == "m.gguf: has no h.1.mlp.c_fc.weight");
    std::string keyless = file_with({}, {});
    keyless.replace(keyless.find("gpt2.block_count"), 16, "gpt2.block_c0unt");
    CHECK(error_of(keyless) == "m.gguf: gpt2.block_count: is not there");
    std::string nan = file_with({}, {});
    nan.replace(nan.find("layer_norm_epsilon") + 22, 4, u32(0xffc00000));  // with its sign set
    CHECK(error_of(nan) == "m.gguf: gpt2.attention.layer_norm_epsilon is nan, expected 0 to 1");
    Entries values = tokenizer_values();
    values[5].second = gguf::text_value("x");
    CHECK(error_of(file_with({.vocab_size = 260}, values)) ==
          "m.gguf: tokenizer.ggml.eos_token_id: expected a whole number, found text");
}

TEST_CASE("a tokenizer that cannot be used is worth a note, and its weights a folder") {
    for (const auto& [key, value, note] :
         {std::tuple("tokenizer.ggml.token_type", gguf::wholes_value({1}),
                     "tokenizer left out: has 260 tokens and 1 token types"),
          {"tokenizer.ggml.model", gguf::whole_value(1),
           "tokenizer left out: tokenizer.ggml.model: expected a text, found uint32"},
          {"tokenizer.ggml.merges", gguf::texts_value({"h"}),
           "tokenizer left out: tokenizer.ggml.merges: a merge is two pieces and a space between "
           "them, not 'h'"},
          {"tokenizer.ggml.merges", gguf::texts_value({"h q"}),
           "OUT works with token ids only: vocab.json: merge 0 needs the piece 'hq', which is not "
           "in the vocabulary"}}) {
        Entries values = tokenizer_values();
        for (auto& entry : values)
            if (entry.first == key) entry.second = value;
        ScratchFolder scratch;
        write_text(scratch.path("m.gguf"), file_with({.vocab_size = 260}, values));
        convert::Checkpoint checkpoint = convert::read_checkpoint(scratch.path("m.gguf"));
        convert::write_folder(scratch.path("out"), checkpoint, {});
        CHECK_NOTHROW(load_weights(Folder::at(scratch.path("out"))));
        CHECK(std::count(checkpoint.notes.begin(), checkpoint.notes.end(), note) == 1);
    }
}

TEST_CASE("GGUF files from elsewhere give the expected logits") {
    for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0"}) {
        const std::string name = cat("convert/gguf/tiny-", type);
        check_against_shared(name + ".gguf", name);
    }
}
