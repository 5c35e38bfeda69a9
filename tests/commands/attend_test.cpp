#include <doctest/doctest.h>
#include <cmath>
#include <map>
#include "formats/json.h"
#include "formats/npy.h"
#include "model/folder.h"
#include "model/reference.h"
#include "tests/commands/program.h"
#include "tests/model_folder.h"
#include "tests/support.h"

namespace {

const std::string kModel = "tests/fixtures/odd-sizes", kIds = "3,1,4,1,5";

// The weights [1,H,T,T] of each layer, as the page has them.
std::vector<Tensor> weights_of_page() {
    const Weights weights = load_weights(Folder::at(kModel));
    std::vector<Tensor> all;
    reference::forward(weights, std::vector<int>{3, 1, 4, 1, 5}, 1,
                       [&](const std::string& name, const Tensor& x) {
                           if (name == cat("h.", all.size(), ".attn.weights")) all.push_back(x);
                       });
    return all;
}

}  // namespace

TEST_CASE("gpt attend --json holds the weights of the page") {
    const std::vector<Tensor> layers = weights_of_page();
    REQUIRE(!layers.empty());
    const Outcome outcome = gpt({"attend", "--json", "-m", kModel, "--ids", kIds});
    REQUIRE(outcome.status == 0);
    const std::vector<std::string> lines = lines_of(outcome.out);
    const int H = layers[0].shape[1];
    REQUIRE(lines.size() == layers.size() * std::size_t(H));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Json json = parse_json(lines[i], "head");
        const int layer = int(json.find("layer")->number()),
                  head = int(json.find("head")->number());
        CHECK(layer * H + head == int(i));
        const auto& rows = json.find("weights")->array();
        REQUIRE(rows.size() == 5);
        for (int t = 0; t < 5; ++t) {
            REQUIRE(rows[std::size_t(t)].array().size() == std::size_t(t) + 1);
            for (int j = 0; j <= t; ++j)
                CHECK(float(rows[std::size_t(t)].array()[std::size_t(j)].number()) ==
                      layers[std::size_t(layer)].at(0, head, t, j));
        }
    }
}

TEST_CASE("what is not finite is told by the name of its step, not drawn") {
    for (const float bias : {NAN, 1e20f}) {  // whose scores are infinite
        ModelFolder m;
        m.named("h.0.attn.c_attn.bias").values = [bias, size = 3 * m.model.n_embd] {
            return std::vector<float>(std::size_t(size), bias);
        };
        m.load();
        for (const char* command : {"attend", "mix"})
            CHECK(failed_with(gpt({command, "-m", m.scratch.path(), "--ids", "1,2"}), 1,
                              "h.0.attn.weights is not finite: it has NaN"));
    }
}

TEST_CASE("gpt attend says in words what each position reads most") {
    const Outcome outcome =
        gpt({"attend", "-m", kModel, "--ids", kIds, "--layer", "0", "--head", "1"});
    REQUIRE(outcome.status == 0);
    const std::vector<std::string> lines = lines_of(outcome.out);
    REQUIRE(lines.size() > 6);
    CHECK(lines[0].starts_with("layer 0, head 1: "));
    CHECK(lines[2].ends_with("has only itself to read"));
    for (std::size_t t = 1; t < 5; ++t) {
        CHECK(lines[t + 2].find(" %, itself ") < lines[t + 2].size());
        CHECK(lines[t + 2].find("reads ") < lines[t + 2].size());
    }
    CHECK(outcome.out.find('\x1b') == std::string::npos);  // colour is for terminals
}

TEST_CASE("gpt attend --npy writes every head's matrix") {
    const ScratchFolder folder;
    const std::string path = folder.path("w.npy");
    REQUIRE(gpt({"attend", "-m", kModel, "--ids", kIds, "--npy", path}).status == 0);
    const std::vector<Tensor> layers = weights_of_page();
    const std::string text(File::open(path).text());
    CHECK(text.find(cat("(", layers.size(), ", ", layers[0].shape[1], ", 5, 5)")) < text.size());
}
