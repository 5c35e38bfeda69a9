#include "tools/train/export.h"
#include <doctest/doctest.h>
#include <filesystem>
#include "base/error.h"
#include "base/file.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "tests/support.h"
#include "tools/train/bpe.h"

TEST_CASE("the folder holds what the program reads: sizes, weights, vocabulary, merges") {
    const ScratchFolder scratch;
    Settings s;
    s.shape = {.L = 1, .H = 2, .C = 4, .V = 258, .T = 3};
    s.out = scratch.path("deep/model");
    const Vocabulary vocabulary = learn_bpe(" \xff \xff \xff", s.shape.V);
    const auto parameters = initial_parameters(s.shape, 1);
    write_model(s, vocabulary, parameters, "# readme\n");
    CHECK(!std::filesystem::exists(s.out + ".part"));

    const File config_file = File::open(s.out + "/config.json");
    const Json config = parse_json(config_file.text(), "config");
    for (const auto& [name, value] : {std::pair("n_layer", 1),
                                      {"n_head", 2},
                                      {"n_embd", 4},
                                      {"n_positions", 3},
                                      {"vocab_size", 258},
                                      {"bos_token_id", 257},
                                      {"eos_token_id", 257}})
        CHECK(config.find(name)->number() == value);
    CHECK(config.find("model_type")->string() == "gpt2");
    CHECK(config.find("activation_function")->string() == "gelu_new");
    CHECK(config.find("tie_word_embeddings")->boolean());

    const SafeTensors tensors = SafeTensors::open(File::open(s.out + "/model.safetensors"));
    for (const Parameter& p : parameters_of(s.shape)) {
        const auto* entry = tensors.find(p.name);
        REQUIRE(entry);
        CHECK(entry->dtype == "F16");
        for (std::size_t i = 0; i < p.shape.elements(); ++i)
            CHECK(widen(NumberType::f16, entry->bytes.data() + 2 * i) ==
                  f16_to_float(float_to_f16(parameters[p.offset + i])));
    }

    const File vocab_file = File::open(s.out + "/vocab.json");
    const Json vocab = parse_json(vocab_file.text(), "vocab");
    CHECK(vocab.object().size() == 258);
    CHECK(vocab.find("!")->number() == 0);
    CHECK(vocab.find("Ġ")->number() == 220);
    CHECK(vocab.find("Ġÿ")->number() == 256);
    CHECK(vocab.find("<|endoftext|>")->number() == 257);
    CHECK(File::open(s.out + "/merges.txt").text().starts_with("#version: 0.2\nĠ ÿ\n"));
}

TEST_CASE("a weight that the type cannot hold is refused with the option that asks for it") {
    const ScratchFolder scratch;
    Settings s;
    s.shape = {.L = 1, .H = 2, .C = 4, .V = 258, .T = 3};
    s.out = scratch.path("deep/model");
    std::vector<float> parameters = initial_parameters(s.shape, 1);
    parameters[0] = 7e4f;
    CHECK_THROWS_WITH_AS(
        write_model(s, learn_bpe(" \xff \xff \xff", s.shape.V), parameters, "# readme\n"),
        "--dtype f16: wte.weight: holds 70000, which f16 cannot", Error);
    CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("a place that cannot be written, or is taken, is refused and left as it was") {
    const ScratchFolder scratch;
    CHECK_NOTHROW(check_writable(scratch.path("new")));
    CHECK(!std::filesystem::exists(scratch.path("new")));
    CHECK(!std::filesystem::exists(scratch.path("new.part")));
    CHECK_NOTHROW(check_writable(scratch.path("a/b/new")));
    CHECK(std::filesystem::is_empty(scratch.path()));
    std::filesystem::create_symlink("circle", scratch.path("circle"));
    CHECK_THROWS_AS(check_writable(scratch.path("circle")), Error);
    std::filesystem::create_directory(scratch.path("old"));
    CHECK_THROWS_AS(check_writable(scratch.path("old")), Error);
    write_file(scratch.path("file"), [](const Append&) {});
    CHECK_THROWS_AS(check_writable(scratch.path("file/new")), Error);
}
