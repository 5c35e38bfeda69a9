#include "tools/convert/read.h"
#include "formats/json.h"
#include "tests/tools/convert/foreign_formats.h"
#include "tests/tools/convert/round_trip.h"

TEST_CASE("what is no checkpoint is refused, with what it is where that shows") {
    ScratchFolder scratch;
    const auto error = [&](const std::string& bytes) {
        write_text(scratch.path("file"), bytes);
        return conversion_error(scratch, scratch.path("file"));
    };
    const std::string unknown =
        "file: is no checkpoint of nanoGPT, llm.c, llama.cpp (GGUF) or PyTorch, nor a .safetensors "
        "file";
    CHECK(error("") == unknown);
    CHECK(error("PK") == unknown);
    CHECK(error("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n") ==
          "file: a Git LFS pointer, not the file it stands for; `git lfs pull` in its repository "
          "fetches that");
    CHECK(error("GGUF") == "file: ends where 4 bytes are needed at byte 4, and 0 are left");
    CHECK(error("PK\3\4 and more") ==
          "file: no zip directory at its end: it is cut short, or no PyTorch file");
    CHECK(conversion_error(scratch, scratch.path("none")) == "none: no such file");
}

TEST_CASE("every number type of every format survives, bit for bit") {
    ScratchFolder scratch;
    const TinyModel m;
    const auto bytes = [&](const std::string& name, const std::string& content) {
        write_text(scratch.path(name), content);
        convert_to(scratch.path(name), scratch.path(name + "-out"));
        return std::string(File::open(scratch.path(name + "-out/model.safetensors")).text());
    };
    const std::string expected = bytes("ckpt.pt", foreign::nanogpt(m));
    CHECK(bytes("m.bin", foreign::llmc(m)) == expected);
    CHECK(bytes("m.gguf", foreign::gguf::file(foreign::gguf::model_values(m),
                                              foreign::gguf::model_tensors(m))) == expected);
}

TEST_CASE("tokenizer files beside a checkpoint that has no tokenizer go along") {
    ScratchFolder scratch;
    write_text(scratch.path("m.bin"), foreign::llmc({}));
    write_text(scratch.path("vocab.json"), "{\"a\":0}");
    write_text(scratch.path("merges.txt"), "");
    CHECK(convert_to(scratch.path("m.bin"), scratch.path("out")).has("merges.txt"));
}

TEST_CASE("that there is no tokenizer is noted, and half of one refused") {
    const ModelFolder m;
    m.load();
    write_text(m.scratch.path("m.bin"), foreign::llmc({}));
    for (const char* from : {"", "m.bin"}) {
        const auto notes = convert::read_checkpoint(m.scratch.path(from)).notes;
        CHECK(std::count(notes.begin(), notes.end(),
                         "no tokenizer: OUT works with token ids until it gets the model's "
                         "vocab.json and merges.txt") == 1);
    }
    std::filesystem::create_symlink("gone", m.scratch.path("vocab.json"));
    for (const char* from : {"", "m.bin"})
        CHECK_THROWS_WITH_AS(convert::read_checkpoint(m.scratch.path(from)),
                             (m.scratch.path("vocab.json") + ": no such file").c_str(), Error);
}

TEST_CASE("the checkpoint of a rewrite of nanoGPT gives the logits of its own code") {
    const auto file = shared("real/gpt-by-hand-nanogpt/original/ckpt.pt");
    if (!file) return skip("../shared/real/gpt-by-hand-nanogpt");
    ScratchFolder scratch;
    const Weights weights = load_weights(convert_to(*file, scratch.path("out")));
    const File reference = File::open(*shared("real/gpt-by-hand-nanogpt/reference.json"));
    const Json json = parse_json(reference.text(), reference.name());
    for (const Json& one : json.find("cases")->array()) {
        std::vector<int> ids;
        for (const Json& id : one.find("ids")->array()) ids.push_back(int(id.number()));
        std::vector<double> expected;
        for (const Json& row : one.find("logits")->array())
            for (const Json& logit : row.array()) expected.push_back(logit.number());
        CHECK(relative_error(reference::forward(weights, ids, 1).data, expected) < kErrorBound);
    }
}
