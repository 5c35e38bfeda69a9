#include <doctest/doctest.h>
#include <cmath>
#include <fstream>
#include "formats/json.h"
#include "tests/checkpoints.h"
#include "tests/commands/program.h"
#include "tests/commands/table_model.h"

namespace {

Json score(std::vector<std::string> words) {
    words.insert(words.begin(), {"score", "--json"});
    const Outcome outcome = gpt(words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return parse_json(outcome.out, "gpt score");
}

double number(const Json& json, const char* name) { return json.find(name)->number(); }

std::string listed(std::span<const int> ids) {
    std::string text;
    for (const int id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

}  // namespace

TEST_CASE("the figures of a score hang together, and count every token after the first once") {
    const std::string text =
        "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.";
    const double bytes = double(text.size()) - 1;
    for (const auto& [window, stride] : std::initializer_list<std::pair<int, int>>{
             {64, 32}, {64, 64}, {64, 1}, {1, 1}, {2, 1}, {7, 3}, {50, 49}, {63, 5}}) {
        const Json json = score({"-m", "weights/shakespeare-char", "--per-token", "--window",
                                 std::to_string(window), "--stride", std::to_string(stride), text});
        CHECK(number(json, "tokens") == bytes);
        CHECK(number(json, "bytes") == bytes);
        CHECK(number(json, "window") == window);
        CHECK(number(json, "stride") == stride);
        double nll = 0;
        const auto& tokens = json.find("per_token")->array();
        REQUIRE(double(tokens.size()) == bytes);
        for (const Json& token : tokens) nll -= number(token, "logprob");
        CHECK(number(json, "nll") == nll);
        CHECK(number(json, "perplexity") == std::exp(nll / bytes));
        CHECK(number(json, "bits_per_byte") ==
              doctest::Approx(nll / std::log(2) / bytes).epsilon(1e-14));
    }
    const Json by_default = score({"-m", "weights/shakespeare-char", text});
    CHECK(number(by_default, "window") == 64);
    CHECK(number(by_default, "stride") == 32);
    CHECK(number(score({"--window", "9", text}), "stride") == 5);
}

TEST_CASE("the shape of --json is exactly the stated one") {
    const Outcome outcome =
        gpt({"score", "--json", "-m", "tests/fixtures/bare-bf16", "--ids", "1,2,3"});
    const Json json = parse_json(outcome.out, "gpt score");
    std::string names;
    for (const auto& [name, value] : json.object()) names += name + " ";
    CHECK(names == "tokens bytes nll perplexity bits_per_byte window stride ");
    CHECK(outcome.out.find("\"bytes\":null") != std::string::npos);
    CHECK(outcome.out.find("\"bits_per_byte\":null") != std::string::npos);
}

TEST_CASE("the score of ids is the mean that the float64 reference gives") {
    for (const std::string& folder : checkpoint_folders()) {
        const Expected expected = read_expected(folder);
        if (expected.T < 2) continue;
        CAPTURE(folder);
        const std::size_t V = expected.logits.size() / expected.ids.size();
        const std::span<const int> ids = std::span(expected.ids).first(std::size_t(expected.T));
        double nll = 0;
        for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
            const double* const logits = &expected.logits[t * V];
            double sum = 0;
            for (std::size_t v = 0; v < V; ++v) sum += std::exp(logits[v]);
            nll += std::log(sum) - logits[ids[t + 1]];
        }
        const Json json = score({"-m", folder, "--ids", listed(ids)});
        CHECK(number(json, "tokens") == expected.T - 1);
        CHECK(number(json, "nll") == doctest::Approx(nll).epsilon(1e-5));
    }
}

TEST_CASE("the first token follows the end-of-text token where there is one") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(3);
    model.pieces.push_back("<|endoftext|>");
    model.next.push_back(0);
    model.end_of_text = "3";
    model.write(folder);
    const Json abc = score({"-m", folder.path(), "abc"});
    CHECK(number(abc, "tokens") == 3);
    CHECK(number(abc, "bytes") == 3);
    CHECK(score({"-m", folder.path(), "<|endoftext|>abc"}).find("nll")->number() ==
          number(abc, "nll"));
    CHECK(number(score({"-m", folder.path(), "a"}), "tokens") == 1);
    CHECK(number(score({"-m", folder.path(), "a<|endoftext|>b"}), "bytes") == 15);
    CHECK(failed_with(gpt({"score", "-m", folder.path(), ""}), 1, "nothing to score"));
    model.end_of_text = "[3,0]";  // the first of several
    model.write(folder);
    CHECK(number(score({"-m", folder.path(), "abc"}), "tokens") == 3);
    CHECK(number(score({"-m", folder.path(), "abc"}), "nll") == number(abc, "nll"));
    CHECK(failed_with(gpt_of_characters({"score", "a"}), 1,
                      "nothing to score: one token, with none before it"));
    CHECK(failed_with(gpt_of_characters({"score", ""}), 1, "nothing to score: the text is empty"));
}

TEST_CASE("windows and strides out of range are refused with both numbers") {
    CHECK(failed_with(gpt_of_characters({"score", "--window", "65", "abc"}), 2,
                      "--window 65 is more than the context of 64"));
    CHECK(failed_with(gpt_of_characters({"score", "--window", "8", "--stride", "9", "abc"}), 2,
                      "--stride 9 is more than the window of 8"));
    CHECK(failed_with(gpt_of_characters({"score", "--window", "0", "abc"}), 2,
                      "--window needs a whole number from 1"));
}

TEST_CASE("weights that are not finite are told, not scored") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(3);
    model.strength = NAN;
    model.write(folder);
    CHECK(failed_with(gpt({"score", "-m", folder.path(), "abc"}), 1,
                      "the logits after token 1 are not finite"));
}

TEST_CASE("the table for people has a line a token, then the figures") {
    const Outcome outcome = gpt_of_characters({"score", "--per-token", "To be"});
    const auto lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 12);
    CHECK(lines[0] == "   token      log p          p  text");
    CHECK(lines[2].starts_with("       1 "));
    CHECK(lines[2].ends_with("%  ·"));
    CHECK(lines[6] == "tokens          4");
    CHECK(lines[11] == "window, stride  64, 32");
    CHECK(outcome.err == "");
}
