#include "model/lens.h"
#include <doctest/doctest.h>
#include <cmath>
#include "model/reference.h"
#include "tests/model_folder.h"

TEST_CASE("the likeliest come first, of equal ones the lower id") {
    const std::vector<float> logits = {1, 3, 2, 3, -1};
    const std::vector<Guess> guesses = likeliest(logits, 4);
    REQUIRE(guesses.size() == 4);
    const int order[] = {1, 3, 2, 0};
    double total = 0;
    for (const float logit : logits) total += std::exp(double(logit));
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(guesses[i].id == order[i]);
        CHECK(guesses[i].probability ==
              float(std::exp(double(logits[std::size_t(order[i])])) / total));
    }
    CHECK(likeliest(logits, 99).size() == 5);
    for (const float bad : {NAN, INFINITY})
        CHECK_THROWS_AS(likeliest(std::vector<float>{1, bad, 2}, 2), Error);
}

TEST_CASE("after the last block the lens says what the model says") {
    for (const bool head : {false, true}) {
        const ModelFolder folder({.head = head});
        const Weights weights = folder.load();
        const std::vector<int> ids = {3, 1, 4, 1, 5, 9};
        Tensor stream;
        const Tensor logits =
            reference::forward(weights, ids, 1, [&](const std::string& name, const Tensor& x) {
                if (name.ends_with(".residual_mlp")) stream = x;
            });
        const auto guesses = Lens(weights, weights.config.vocab_size).read(stream, 3);
        REQUIRE(guesses.size() == ids.size());
        for (int t = 0; t < int(ids.size()); ++t) {
            const auto wanted =
                likeliest({&logits.at(0, t, 0), std::size_t(weights.config.vocab_size)}, 3);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(guesses[std::size_t(t)][i].id == wanted[i].id);
                CHECK(guesses[std::size_t(t)][i].probability == wanted[i].probability);
            }
        }
    }
}

TEST_CASE("padding past the tokenizer is never guessed") {
    const ModelFolder folder;
    const Weights weights = folder.load();
    Tensor stream({1, 4, weights.config.n_embd});
    stream.data = random_floats(stream.data.size(), 5);
    for (const auto& position : Lens(weights, 7).read(stream, 21)) {
        CHECK(position.size() == 7);
        double sum = 0;
        for (const Guess& guess : position) {
            CHECK(guess.id < 7);
            sum += guess.probability;
        }
        CHECK(sum == doctest::Approx(1));
    }
}
