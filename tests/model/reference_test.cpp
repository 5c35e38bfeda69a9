#include "model/reference.h"
#include <doctest/doctest.h>
#include <map>
#include "tests/checkpoints.h"

TEST_CASE("the page gives the logits of a float64 forward pass on every checkpoint") {
    for (const std::string& folder : checkpoint_folders()) {
        CAPTURE(folder);
        const Expected expected = read_expected(folder);
        const Weights weights = load_weights(Folder::at(folder));
        const Tensor logits = reference::forward(weights, expected.ids, expected.B);
        CHECK(logits.shape == Shape{expected.B, expected.T, weights.config.vocab_size});
        CHECK(relative_error(logits.data, expected.logits) <= kErrorBound);
    }
}

TEST_CASE("every step of the page agrees with float64, under its name and with its shape") {
    for (const std::string& folder : checkpoint_folders()) {
        if (!std::filesystem::exists(folder + "/activations.safetensors")) continue;
        CAPTURE(folder);
        const SafeTensors steps = open_tensors(folder, "activations.safetensors");
        const Expected expected = read_expected(folder);
        std::map<std::string, int> seen;
        reference::forward(
            load_weights(Folder::at(folder)), expected.ids, expected.B,
            [&](const std::string& name, const Tensor& value) {
                ++seen[name];
                CAPTURE(name);
                const SafeTensors::Entry* const step = steps.find(name);
                if (!step) return;
                const auto& dim = value.shape.dim;
                CHECK(std::equal(step->shape.begin(), step->shape.end(), dim.begin(),
                                 dim.begin() + value.shape.rank));
                CHECK(relative_error(value.data, numbers(steps, name)) <= kErrorBound);
            });
        for (const SafeTensors::Entry& step : steps.entries())
            CHECK_MESSAGE(seen[step.name] == 1, step.name);
    }
}

TEST_CASE("masked scores are the scores where j <= t, and -infinity in the future") {
    const Expected expected = read_expected("tests/fixtures/odd-sizes");
    Tensor scores;
    const Weights weights = load_weights(Folder::at("tests/fixtures/odd-sizes"));
    reference::forward(weights, expected.ids, expected.B,
                       [&](const std::string& name, const Tensor& x) {
                           if (name == "h.0.attn.scores") scores = x;
                           if (name != "h.0.attn.masked") return;
                           const int T = expected.T;
                           for (std::size_t i = 0; i < x.data.size(); ++i) {
                               const bool legal = int(i) % T <= int(i) / T % T;
                               CHECK(x.data[i] == (legal ? scores.data[i] : -INFINITY));
                           }
                       });
    CHECK(scores.shape == Shape{2, 3, expected.T, expected.T});
}

TEST_CASE("the page refuses ids outside the vocabulary and rows outside the context") {
    const Weights weights =
        load_weights(Folder::at("tests/fixtures/bare-bf16"));  // V 7, 5 positions
    const auto run = [&](std::vector<int> ids, int B) { reference::forward(weights, ids, B); };
    CHECK_THROWS_WITH_AS(run({0, 7}, 1), "token id 7 is outside the vocabulary, 0 to 6", Error);
    CHECK_THROWS_WITH_AS(run({-1}, 1), "token id -1 is outside the vocabulary, 0 to 6", Error);
    CHECK_THROWS_AS(run({}, 1), Error);
    CHECK_THROWS_AS(run({0}, 0), Error);
    CHECK_THROWS_AS(run({0, 1, 2, 3, 4, 5}, 1), Error);
    CHECK_THROWS_AS(run({0, 1, 2}, 2), Error);
    CHECK_NOTHROW(run({0, 1, 2, 3, 4, 5}, 2));
}
