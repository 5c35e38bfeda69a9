#include "model/builtin.h"
#include <doctest/doctest.h>
#include <cmath>
#include "model/reference.h"
#include "model/tokenizer_files.h"
#include "model/weights.h"

TEST_CASE("the model inside the program loads, has a tokenizer, and has learnt something") {
    const Folder folder = builtin_model();
    const Weights weights = load_weights(folder);
    const auto tokenizer = load_tokenizer(folder);
    REQUIRE(tokenizer);
    CHECK(tokenizer->size() == weights.config.vocab_size);
    const auto ids = tokenizer->encode("First Citizen:\nWe are the people.");
    CHECK(tokenizer->decode(ids) == "First Citizen:\nWe are the people.");

    const Tensor logits = reference::forward(weights, ids, 1);
    double nll = 0;
    for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
        double sum = 0;
        for (int v = 0; v < weights.config.vocab_size; ++v)
            sum += std::exp(double(logits.at(0, int(t), v)));
        nll += std::log(sum) - double(logits.at(0, int(t), ids[t + 1]));
    }
    CHECK(nll / double(ids.size() - 1) < 0.7 * std::log(weights.config.vocab_size));
}
