#include "tools/convert/nanogpt.h"
#include "model/tokenizer_files.h"
#include "tests/tools/convert/foreign.h"
#include "tests/tools/convert/round_trip.h"

TEST_CASE("a checkpoint of nanoGPT gives the logits of the model that it was written from") {
    TinyModel m{.more_config = ",\"activation_function\":\"gelu\""};
    const Tensor expected = logits_of(m);
    for (const char* prefix :
         {"transformer.", "_orig_mod.transformer.", "module._orig_mod.transformer.", "module."}) {
        ScratchFolder scratch;
        write_text(scratch.path("ckpt.pt"), foreign::nanogpt(m, prefix));
        const Weights weights = load_weights(convert_to(scratch.path(), scratch.path("out")));
        CHECK(logits_of(weights).data == expected.data);
        CHECK(weights.config.activation == Activation::gelu);
        CHECK(weights.config.n_positions == m.n_positions);
    }
}

TEST_CASE("number types are kept, and missing biases are zero") {
    for (const NumberType type : {NumberType::f16, NumberType::bf16}) {
        const TinyModel m{
            .more_config = ",\"activation_function\":\"gelu\"", .type = type, .biases = false};
        ScratchFolder scratch;
        write_text(scratch.path("ckpt.pt"), foreign::nanogpt(m));
        const Weights weights =
            load_weights(convert_to(scratch.path("ckpt.pt"), scratch.path("out")));
        CHECK(weights.wte.type == type);
        CHECK(weights.h[1].c_fc.w.type == type);
        CHECK(logits_of(weights).data == logits_of(m).data);
    }
}

TEST_CASE("a head that equals wte is tied, and another is kept") {
    TinyModel m{.head = true};
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt(m, ""));
    CHECK_FALSE(load_weights(convert_to(scratch.path(), scratch.path("out"))).tied());
    CHECK(File::open(scratch.path("out/config.json")).text().find("embeddings\": false") !=
          std::string_view::npos);
}

TEST_CASE("the characters of meta.pkl become the tokenizer") {
    std::vector<std::string> pieces = {"\n", " ", "a", "b", "é", "\"", "\\"};
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    write_text(scratch.path("meta.pkl"), foreign::meta_pickle(pieces));
    const auto tokenizer = load_tokenizer(convert_to(scratch.path(), scratch.path("out")));
    REQUIRE(tokenizer);
    CHECK(tokenizer->encode("ab é\n\"\\") == std::vector{2, 3, 1, 4, 0, 5, 6});
    CHECK(tokenizer->decode(std::vector{4, 0}) == "é\n");
}

TEST_CASE("whole words of meta.pkl decode, and a vocabulary beyond the model's is left out") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    write_text(scratch.path("meta.pkl"), foreign::meta_pickle({" ", "hello", "world"}));
    const auto tokenizer = load_tokenizer(convert_to(scratch.path(), scratch.path("out")));
    REQUIRE(tokenizer);
    CHECK(tokenizer->decode(std::vector{1, 0, 2}) == "hello world");
    write_text(scratch.path("meta.pkl"), foreign::meta_pickle(std::vector<std::string>(22, "x")));
    CHECK_FALSE(load_tokenizer(convert_to(scratch.path(), scratch.path("without"))));
}

TEST_CASE("a vocabulary that has a piece twice is a note: the weights are of use without it") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    write_text(scratch.path("meta.pkl"), foreign::meta_pickle({"a", "b", "a"}));
    convert::Checkpoint checkpoint = convert::read_checkpoint(scratch.path("ckpt.pt"));
    convert::write_folder(scratch.path("out"), checkpoint, std::nullopt);
    CHECK(checkpoint.notes.back().starts_with("OUT works with token ids only: vocab.json"));
    CHECK_NOTHROW(load_weights(Folder::at(scratch.path("out"))));
}

TEST_CASE("meta.pkl may list its pieces, or map them to ids") {
    using namespace foreign::pickle;
    const auto pieces = [](const std::string& value) {
        const std::string bytes = whole_pickle(value);
        return convert::read_meta(file_of("meta.pkl", bytes)).pieces;
    };
    const std::vector<std::string> ab = {"a", "b"};
    CHECK(pieces(dict({{text("itos"), "](" + text("a") + text("b") + "e"}})) == ab);
    CHECK(pieces(dict({{text("stoi"), dict({{text("b"), whole(1)}, {text("a"), whole(0)}})}})) ==
          ab);
    CHECK_THROWS_AS(pieces(dict({{text("itos"), dict({{whole(1), text("a")}})}})), Error);
    CHECK_THROWS_AS(pieces(dict({{text("itos"), dict({{whole(-1), text("a")}})}})), Error);
    CHECK_THROWS_WITH_AS(pieces("}"), "meta.pkl: has neither itos nor stoi", Error);
}

TEST_CASE("a checkpoint of nanoGPT that lacks or contradicts something is refused") {
    ScratchFolder scratch;
    const auto error = [&](const std::string& bytes) {
        write_text(scratch.path("ckpt.pt"), bytes);
        return conversion_error(scratch, scratch.path("ckpt.pt"));
    };
    CHECK(error(foreign::nanogpt({.n_head = 3})) == "ckpt.pt: n_embd 8 is no multiple of n_head 3");
    const auto error_with = [&](const std::string& text, const std::string& by) {
        std::string bytes = foreign::without_checksums(foreign::nanogpt({}));
        return error(bytes.replace(bytes.find(text), by.size(), by));
    };
    CHECK(error_with("n_layer", "n_lager") == "ckpt.pt: model_args has no n_layer");
    CHECK(error_with("h.1.mlp.c_fc.weight", "h.1.mlp.c_fd.weight") ==
          "ckpt.pt: has no h.1.mlp.c_fc.weight");
    CHECK(error_with("h.1.mlp.c_fc.bias", "h.1.mlp.c_fd.bias") ==
          "ckpt.pt: transformer.h.1.mlp.c_fd.bias is no part of a GPT-2 whose n_layer is 2");
    CHECK(error_with("block_sizeJ\x10", "block_sizeJ\5") ==
          "ckpt.pt: wpe.weight: expected [5,8], found [16,8]");
}

TEST_CASE("checkpoints of nanoGPT from elsewhere give the expected logits") {
    const std::pair<const char*, const char*> kCases[] = {
        {"convert/nanogpt-char/ckpt.pt", "convert/nanogpt-char"},
        {"convert/nanogpt-compiled/ckpt.pt", "convert/nanogpt-compiled"}};
    for (const auto& [file, folder] : kCases) check_against_shared(file, folder);
}
