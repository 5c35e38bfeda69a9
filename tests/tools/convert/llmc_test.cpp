#include "tools/convert/llmc.h"
#include "model/tokenizer_files.h"
#include "tests/tools/convert/foreign_formats.h"
#include "tests/tools/convert/round_trip.h"

namespace {

std::string error_of(const std::string& bytes) {
    ScratchFolder scratch;
    write_text(scratch.path("model.bin"), bytes);
    return conversion_error(scratch, scratch.path("model.bin"));
}

std::string with(std::string bytes, std::size_t number, std::size_t value) {
    return bytes.replace(4 * number, 4, foreign::u32(value));
}

}  // namespace

TEST_CASE("a checkpoint of llm.c gives the logits of the model that it was written from") {
    for (const NumberType type : {NumberType::f32, NumberType::bf16})
        for (const int padding : {0, 3}) {
            const TinyModel m{.type = type};
            ScratchFolder scratch;
            write_text(scratch.path("model.bin"), foreign::llmc(m, padding));
            const Weights weights =
                load_weights(convert_to(scratch.path("model.bin"), scratch.path("out")));
            CHECK(weights.wte.rows == m.vocab_size);
            CHECK(weights.wte.type == type);
            CHECK(logits_of(weights).data == logits_of(m).data);
        }
}

TEST_CASE("a checkpoint of llm.c that its header does not describe is refused") {
    const std::string good = foreign::llmc({});
    CHECK(error_of(good) == "none");
    CHECK(error_of(with(good, 1, 2)) ==
          "model.bin: llm.c's version 2; known are 3 (float32) and 5 (bfloat16)");
    CHECK(error_of(with(good, 4, 0)) ==
          "model.bin: its number of layers is 0, expected 1 to 536870911");
    CHECK(error_of(with(good, 5, 3)) == "model.bin: 8 channels are no multiple of 3 heads");
    CHECK(error_of(with(good, 7, 20)) == "model.bin: its vocabulary of 21 is padded to 20");
    CHECK(error_of(good + "x") == "model.bin: has 1 bytes more than its header says");
    CHECK(error_of(with(good, 6, 0x1fffffff)) != "none");
    CHECK(error_of(with(good, 4, 0x1fffffff)) != "none");
    for (std::size_t size = 0; size < good.size(); size += 97)
        CHECK(error_of(good.substr(0, size)) != "none");
}

TEST_CASE("a tokenizer file in the order of its merges becomes a whole tokenizer") {
    std::vector<std::string> pieces;
    for (int byte = 0; byte < 256; ++byte) pieces.emplace_back(1, char(byte));
    for (const char* piece : {"he", "in", " t", " the", "<|endoftext|>"})
        pieces.emplace_back(piece);
    const std::size_t end = pieces.size() - 1;
    ScratchFolder scratch;
    write_text(scratch.path("model.bin"), foreign::llmc({.vocab_size = 261}));
    write_text(scratch.path("gpt2_tokenizer.bin"), foreign::llmc_tokenizer(pieces, end));
    const Folder folder = convert_to(scratch.path("model.bin"), scratch.path("out"));
    const auto tokenizer = load_tokenizer(folder);
    REQUIRE(tokenizer);
    CHECK(tokenizer->encode("in the<|endoftext|>") == std::vector{257, 259, 260});
    CHECK(load_weights(folder).config.eos_token_ids == std::vector{int(end)});
}

TEST_CASE("a tokenizer file without the order of merges decodes") {
    ScratchFolder scratch;
    write_text(scratch.path("model.bin"), foreign::llmc({.vocab_size = 21}));
    write_text(scratch.path("tokenizer.bin"),
               foreign::llmc_tokenizer({"a", " the", "é", "<|endoftext|>"}, 3));
    const auto tokenizer =
        load_tokenizer(convert_to(scratch.path("model.bin"), scratch.path("out")));
    REQUIRE(tokenizer);
    CHECK(tokenizer->decode(std::vector{0, 1, 2}) == "a theé");
}

TEST_CASE("a tokenizer file that is not one is refused by name") {
    const auto error = [](const std::string& bytes) {
        try {
            convert::read_llmc_tokenizer(file_of("tokenizer.bin", bytes));
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    const std::string good = foreign::llmc_tokenizer({"a", "b"}, 1);
    CHECK(error(good) == "none");
    CHECK(error(with(good, 0, 1)) == "tokenizer.bin: does not begin as a tokenizer file of llm.c");
    CHECK(error(with(good, 1, 3)) ==
          "tokenizer.bin: llm.c's tokenizer version 3; known are 1 and 2");
    CHECK(error(with(good, 1, 1)) == "tokenizer.bin: its end-of-text token is 50256 of 2 pieces");
    CHECK(error(with(good, 2, 3)) != "none");
    CHECK(error(foreign::llmc_tokenizer({"a", ""}, 0)) == "tokenizer.bin: piece 1 is empty");
}

TEST_CASE("checkpoints of llm.c from elsewhere give the expected logits") {
    check_against_shared("convert/llmc/model_f32.bin", "convert/llmc/model_f32");
    check_against_shared("convert/llmc/model_bf16.bin", "convert/llmc/model_bf16");
}
