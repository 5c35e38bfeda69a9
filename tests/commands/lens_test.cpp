#include <doctest/doctest.h>
#include <cmath>
#include "formats/json.h"
#include "model/folder.h"
#include "model/reference.h"
#include "tests/commands/program.h"
#include "tests/model_folder.h"

namespace {

const std::string kModel = "tests/fixtures/odd-sizes", kIds = "3,1,4,1,5";

// The likeliest token of a position by the model's own logits, and its probability.
std::pair<int, double> likeliest_by_hand(const Tensor& logits, int t) {
    const int V = logits.shape[2];
    int best = 0;
    double total = 0;
    for (int v = 0; v < V; ++v) {
        if (logits.at(0, t, v) > logits.at(0, t, best)) best = v;
        total += std::exp(double(logits.at(0, t, v)));
    }
    return {best, std::exp(double(logits.at(0, t, best))) / total};
}

}  // namespace

TEST_CASE("gpt lens prints a row for each position and a column for each block") {
    const Outcome lens = gpt({"lens", "-m", kModel, "--ids", kIds});
    CHECK(lens.status == 0);
    const std::vector<std::string> lines = lines_of(lens.out);
    REQUIRE(lines.size() == 1 + 5 + 2);
    CHECK(lines[0].find("embedding") != std::string::npos);
    CHECK(lines[0].find("layer 0") != std::string::npos);
    CHECK(lines[5].starts_with("    4 5"));
}

TEST_CASE("the last block of gpt lens --json is what the model says") {
    const Weights weights = load_weights(Folder::at(kModel));
    const Tensor logits = reference::forward(weights, std::vector<int>{3, 1, 4, 1, 5}, 1);
    const Outcome lens = gpt({"lens", "--json", "-m", kModel, "--ids", kIds});
    CHECK(lens.status == 0);
    const std::vector<std::string> lines = lines_of(lens.out);
    REQUIRE(lines.size() == weights.h.size() + 1);
    CHECK(parse_json(lines[0], "first").find("step")->string() == "embed");
    const Json last = parse_json(lines.back(), "last");
    const auto& positions = last.find("guesses")->array();
    REQUIRE(positions.size() == 5);
    for (int t = 0; t < 5; ++t) {
        const Json& guess = positions[std::size_t(t)].array()[0];
        const auto [id, probability] = likeliest_by_hand(logits, t);
        CHECK(int(guess.find("id")->number()) == id);
        CHECK(guess.find("probability")->number() == doctest::Approx(probability).epsilon(1e-5));
        CHECK(guess.find("piece")->is(Json::Kind::null));
    }
}

TEST_CASE("gpt lens --last tells more of the last position") {
    const Outcome lens = gpt({"lens", "--last", "-m", kModel, "--ids", kIds});
    CHECK(lens.status == 0);
    const std::vector<std::string> lines = lines_of(lens.out);
    REQUIRE(lines.size() >= 3);
    CHECK(lines[0] == "after 5, position 4");
    CHECK(lines[1].starts_with("embedding"));
}

TEST_CASE("gpt lens refuses several sequences and ids outside the vocabulary") {
    CHECK(failed_with(gpt({"lens", "-m", kModel, "--ids", "1", "--ids", "2"}), 2, "one sequence"));
    CHECK(failed_with(gpt({"lens", "-m", kModel, "--ids", "100000"}), 2, "100000"));
}

TEST_CASE("guesses that are not finite are told by the name of their step") {
    ModelFolder m;
    m.named("h.0.mlp.c_proj.bias").values = [size = m.model.n_embd] {
        return std::vector<float>(std::size_t(size), NAN);
    };
    m.load();
    for (const char* command : {"lens", "explain"})
        CHECK(failed_with(gpt({command, "--json", "-m", m.scratch.path(), "--ids", "1,2"}), 1,
                          "h.0.residual_mlp: position 0: "));
}
