#include "tools/convert/folder_writer.h"
#include "tests/child.h"
#include "tests/tools/convert/foreign.h"
#include "tests/tools/convert/round_trip.h"

TEST_CASE("only a new or empty folder is written to") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    std::filesystem::create_directory(scratch.path("empty"));
    for (const char* name : {"empty", "new", "new2/", "a/deep/one"}) {
        convert_to(scratch.path("ckpt.pt"), scratch.path(name));
        CHECK(std::filesystem::exists(scratch.path(name) + "/config.json"));
    }
    for (const char* name : {"new", "ckpt.pt"})
        CHECK_THROWS_WITH_AS(
            convert::check_free(scratch.path(name)),
            (scratch.path(name) + ": is there already; name a folder that is new or empty").c_str(),
            Error);
    CHECK_FALSE(std::filesystem::exists(scratch.path("new.part")));
}

TEST_CASE("a folder named like the draft is not touched") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    std::filesystem::create_directory(scratch.path("out.part"));
    write_text(scratch.path("out.part/mine"), "");
    CHECK_THROWS_AS(convert_to(scratch.path("ckpt.pt"), scratch.path("out")), Error);
    CHECK(std::filesystem::exists(scratch.path("out.part/mine")));
}

TEST_CASE("a folder that cannot be written whole is not there at all") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    convert::Checkpoint checkpoint = convert::read_checkpoint(scratch.path("ckpt.pt"));
    checkpoint.tensors["ln_f.bias"].values = []() -> std::vector<float> { throw Error("no"); };
    CHECK_THROWS_AS(convert::write_folder(scratch.path("out"), checkpoint, {}), Error);
    CHECK(std::distance(std::filesystem::directory_iterator(scratch.path()), {}) == 1);
    CHECK_THROWS_AS(convert_to(scratch.path("ckpt.pt"), scratch.path("ckpt.pt/out")), Error);
}

TEST_CASE("a conversion that is interrupted leaves nothing") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
    for (const int signal : {SIGINT, SIGTERM}) {
        const End end = end_of([&] {
            note_interrupts();
            convert::Checkpoint checkpoint = convert::read_checkpoint(scratch.path("ckpt.pt"));
            std::raise(signal);
            try {
                convert::write_folder(scratch.path("a/b/out"), checkpoint, {});
            } catch (const Error&) {
                ::_exit(interrupted() ? 0 : 2);
            }
            ::_exit(3);
        });
        CHECK(end.signal == 0);
        CHECK(end.status == 0);
        CHECK(std::distance(std::filesystem::directory_iterator(scratch.path()), {}) == 1);
    }
}

TEST_CASE("the config says what the model is") {
    ScratchFolder scratch;
    write_text(scratch.path("ckpt.pt"), foreign::nanogpt({.n_layer = 3, .n_head = 4}));
    const Config config =
        read_config(convert_to(scratch.path(), scratch.path("out")).open("config.json"));
    CHECK(config.n_layer == 3);
    CHECK(config.n_head == 4);
    CHECK(config.n_embd == 8);
    CHECK(config.n_inner == 32);
    CHECK(config.n_positions == 16);
    CHECK(config.vocab_size == 21);
    CHECK(config.layer_norm_epsilon == 1e-5f);
    CHECK(config.activation == Activation::gelu);
    CHECK(config.tie_word_embeddings);
    CHECK(config.eos_token_ids.empty());
}

TEST_CASE("a tokenizer that goes along and cannot be used is worth a note") {
    for (const auto& [file, text, note] : std::initializer_list<std::array<const char*, 3>>{
             {"tokenizer.json", R"({"normalizer": {"type": "NFC"}})",
              "OUT works with token ids only: tokenizer.json: normalizer is set, and is not "
              "supported"},
             {"vocab.json", R"({"a": 0})", ""},
             {"vocab.json", R"({"21": "a"})", "the tokenizer has 22 tokens, the model 21"}}) {
        ScratchFolder scratch;
        write_text(scratch.path("ckpt.pt"), foreign::nanogpt({}));
        write_text(scratch.path(file), text);
        convert::Checkpoint checkpoint = convert::read_checkpoint(scratch.path("ckpt.pt"));
        convert::write_folder(scratch.path("out"), checkpoint, {});
        CHECK(std::count(checkpoint.notes.begin(), checkpoint.notes.end(), note) == (*note != 0));
        CHECK(std::filesystem::exists(scratch.path("out/") + file));
    }
}
