#include <doctest/doctest.h>
#include <array>
#include "base/error.h"
#include "formats/json.h"
#include "tests/commands/program.h"
#include "tests/commands/table_model.h"

namespace {

Json info(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"info", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = gpt(all);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return parse_json(outcome.out, "gpt info");
}

}  // namespace

TEST_CASE("info counts what a model is made of") {
    const Json json = info({"-m", "weights/shakespeare-char"});
    CHECK(json.find("n_layer")->number() == 4);
    CHECK(json.find("n_positions")->number() == 64);
    CHECK(json.find("tied")->boolean());
    CHECK(json.find("tokenizer")->number() == 65);
    CHECK(json.find("end_of_text")->is(Json::Kind::null));
    const Json& parameters = *json.find("parameters");
    CHECK(parameters.find("wte")->number() == 65 * 128);
    CHECK(parameters.find("lm_head")->number() == 0);
    // Per block two norms, and C x 3C + C x C + C x 4C + 4C x C with their biases.
    CHECK(parameters.find("blocks")->number() ==
          4 * (2 * 2 * 128 + 12 * 128 * 128 + (3 + 1 + 4 + 1) * 128) + 2 * 128);
    CHECK(json.find("file_types")->array()[0].string() == "f16");
    CHECK(json.find("cache_bytes_per_position")->number() == 2 * 4 * 128 * 4);
    CHECK(json.find("warnings")->array().empty());
    CHECK(info({"-m", "weights/shakespeare-char", "--dtype", "q8"}).find("weight_bytes")->number() <
          json.find("weight_bytes")->number());
}

TEST_CASE("info counts only the numbers that the files hold") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(8);
    model.pieces.clear();
    model.write(folder);
    const Json json = info({"-m", folder.path()});
    const Json& parameters = *json.find("parameters");
    CHECK(parameters.find("wte")->number() == 64);
    CHECK(parameters.find("lm_head")->number() == 64);
    CHECK(parameters.find("blocks")->number() == 12 * 64 + 3 * 8);  // no bias, ln_f among them
    CHECK(parameters.find("total")->number() == 64 + 64 + 16 * 8 + 12 * 64 + 3 * 8);
    CHECK(json.find("tokenizer")->is(Json::Kind::null));
}

TEST_CASE("info names every token that ends a text") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(8);
    for (const auto& [ends, json, row] :
         std::initializer_list<std::array<const char*, 3>>{{"null", "null", "no such token"},
                                                           {"5", "5", "token 5"},
                                                           {"[5]", "5", "token 5"},
                                                           {"[5,7,5]", "[5,7]", "tokens 5, 7"}}) {
        model.end_of_text = ends;
        model.write(folder);
        CHECK(gpt({"info", "--json", "-m", folder.path()})
                  .out.find(cat(",\"end_of_text\":", json, ",")) != std::string::npos);
        CHECK(gpt({"info", "-m", folder.path()}).out.find(cat("end of text     ", row, "\n")) !=
              std::string::npos);
    }
}

TEST_CASE("the table for people names what a newcomer asks for first") {
    const Outcome outcome = gpt_of_characters({"info"});
    for (const char* line :
         {"architecture    4 layers of 4 heads, 128 channels, MLP of 512 with gelu\n",
          "context         64 positions\n", "parameters      809,856\n"})
        CHECK_MESSAGE(outcome.out.find(line) != std::string::npos, outcome.out);
}
