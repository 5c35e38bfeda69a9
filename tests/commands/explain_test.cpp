#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include "base/file.h"
#include "formats/json.h"
#include "formats/numbers.h"
#include "formats/safetensors.h"
#include "tests/commands/explain/decode.h"
#include "tests/commands/program.h"
#include "tests/model_folder.h"
#include "tests/support.h"

namespace {

const std::string kModel = "tests/fixtures/odd-sizes";

std::vector<std::byte> as_in_a_file(const std::vector<float>& values) {
    std::vector<std::byte> bytes;
    append_numbers([&](auto more) { bytes.insert(bytes.end(), more.begin(), more.end()); },
                   NumberType::f32, values);
    return bytes;
}

}  // namespace

TEST_CASE("gpt explain writes the same page to a file and to standard output") {
    const ScratchFolder folder;
    const std::string path = folder.path("page.html");
    const Outcome to_file = gpt({"explain", "-o", path, "-m", kModel, "--ids", "3,1,4"});
    CHECK(to_file.status == 0);
    CHECK(to_file.out == "");
    CHECK(to_file.err.starts_with(path + ": "));
    const Outcome to_pipe = gpt({"explain", "-o", "-", "-m", kModel, "--ids", "3,1,4"});
    CHECK(to_pipe.status == 0);
    CHECK(to_pipe.err == "");
    CHECK(to_pipe.out == File::open(path).text());
    CHECK(to_pipe.out.starts_with("<!doctype html>"));
}

TEST_CASE("gpt explain --json prints what the page holds") {
    const Outcome json = gpt({"explain", "--json", "-m", kModel, "--ids", "3,1,4", "--layer", "0"});
    CHECK(json.status == 0);
    const Json data = parse_json(json.out, "data");
    CHECK(data.find("ids")->array().size() == 3);
    CHECK(data.find("layer")->number() == 0);
    CHECK(data.find("pieces")->object().empty());
}

TEST_CASE("gpt explain's numbers are the bytes that gpt logits --dump writes") {
    const ScratchFolder folder;
    const std::string dump = folder.path("dump.safetensors"), ids = "3,1,4,1,5";
    REQUIRE(gpt({"logits", "--dump", dump, "-m", kModel, "--ids", ids}).status == 0);
    const SafeTensors dumped = SafeTensors::open(File::open(dump));
    const Outcome json = gpt({"explain", "--json", "-m", kModel, "--ids", ids});
    const Json data = parse_json(json.out, "data");
    const auto is_dumped = [&](std::string_view name, const std::vector<float>& values) {
        return std::ranges::equal(dumped.find(name)->bytes, as_in_a_file(values));
    };
    for (const Json& trace : data.find("traces")->array())
        for (const Json& step : trace.array())
            CHECK_MESSAGE(is_dumped(step.find("name")->string(), floats(*step.find("values"))),
                          step.find("name")->string());
    const std::vector<float> logits = floats(*data.find("logits"));
    const auto dumped_logits = dumped.find("logits")->bytes;
    CHECK(std::ranges::equal(dumped_logits.last(logits.size() * sizeof(float)),
                             as_in_a_file(logits)));
}

TEST_CASE("gpt explain refuses what it cannot show") {
    const auto refused = [](std::vector<std::string> words, std::string_view why, int status = 2) {
        words.insert(words.begin(), {"explain", "-m", kModel});
        return failed_with(gpt(words), status, why);
    };
    CHECK(refused({"--ids", "1"}, "-o FILE is needed"));
    CHECK(refused({"-o", "-", "--ids", "1", "--layer", "99"}, "--layer"));
    CHECK(refused({"-o", "-", "--ids", "1", "--head", "99"}, "--head"));
    CHECK(refused({"-o", "-", "--ids", "1", "--ids", "2"}, "one sequence"));
    CHECK(refused({"-o", "/no/such/folder/page.html", "--ids", "1"}, "/no/such/folder", 1));
    CHECK(refused({"-o", "-", "words"}, "tokenizer", 1));
}

TEST_CASE("gpt explain names the step and the position of what is not finite") {
    // With NaN from some place on in a tensor.
    const auto refusal = [](const std::string& tensor, std::size_t from) {
        ModelFolder m({.more_config = R"(,"tie_word_embeddings":false)", .head = true});
        m.named(tensor).values = [=, good = m.named(tensor).values] {
            auto values = good();
            std::fill(values.begin() + std::ptrdiff_t(from), values.end(), NAN);
            return values;
        };
        m.load();
        return gpt({"explain", "--json", "-m", m.scratch.path(), "--ids", "1,2"});
    };
    const std::size_t C = 8;
    CHECK(failed_with(refusal("wte.weight", 2 * C), 1, "gpt: embed: position 1: there are logits"));
    CHECK(failed_with(refusal("h.1.mlp.c_proj.bias", 0), 1,
                      "gpt: h.1.residual_mlp: position 0: there are logits"));
    CHECK(failed_with(refusal("wte.weight", 3 * C), 1,
                      "at position 0: logits: position 1: there are logits"));
}
