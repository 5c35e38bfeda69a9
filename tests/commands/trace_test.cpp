#include <doctest/doctest.h>
#include <set>
#include "formats/json.h"
#include "tests/commands/program.h"

namespace {

Outcome trace(std::vector<std::string> words) {
    words.insert(words.begin(), {"trace", "-m", "tests/fixtures/odd-sizes", "--ids", "3,1,4,1,5"});
    return gpt(words);
}

}  // namespace

TEST_CASE("gpt trace follows the shapes of README, in its order") {
    const Outcome outcome = trace({"--layer", "1"});
    REQUIRE(outcome.status == 0);
    std::size_t at = 0;
    for (const char* step : {"wte[id] + wpe[t]",
                             "Attention of layer 1: positions communicate",
                             "ln_1",
                             "c_attn",
                             "[B,T,3C]",
                             "[B,H,T,D]",
                             "q @ k",
                             "[B,H,T,T]",
                             "mask: past 0",
                             "softmax",
                             "W @ v",
                             "merge heads",
                             "c_proj",
                             "[B,T,C]",
                             "stream + attention",
                             "MLP of layer 1: each position computes alone",
                             "c_fc",
                             "stream + MLP",
                             "The residual stream",
                             "ln_f",
                             "[B,T,V]"}) {
        const std::size_t found = outcome.out.find(step, at);
        REQUIRE_MESSAGE(found < outcome.out.size(), step);
        at = found;
    }
    CHECK(failed_with(trace({"--layer", "99"}), 2, "--layer needs 0 to 1, found 99"));
}

TEST_CASE("gpt trace --json has every step of every layer once, with its shape") {
    const Outcome outcome = trace({"--json"});
    REQUIRE(outcome.status == 0);
    const Json json = parse_json(outcome.out, "trace");
    std::set<std::string> names;
    for (const Json& step : json.find("steps")->array()) {
        CHECK(names.insert(step.find("name")->string()).second);
        CHECK(step.find("shape")->array()[0].number() == 1);
        CHECK(step.find("least")->number() <= step.find("most")->number());
    }
    for (const char* name :
         {"embed", "h.0.attn.q", "h.1.attn.c_proj", "h.1.residual_mlp", "logits"})
        CHECK_MESSAGE(names.count(name) == 1, name);
}
