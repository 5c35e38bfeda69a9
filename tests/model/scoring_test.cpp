#include "model/scoring.h"
#include <doctest/doctest.h>
#include <cmath>
#include "model/builtin.h"
#include "model/folder.h"
#include "model/reference.h"
#include "tests/checkpoints.h"

namespace {

const std::string kFolder = "tests/fixtures/odd-sizes";

std::vector<int> some_ids(std::size_t count, int V) {
    Random random(5);
    std::vector<int> ids(count);
    for (int& id : ids) id = int(random.next() % std::uint64_t(V));
    return ids;
}

// log p of ids.back() after the others, by the page.
double by_the_page(const Weights& weights, std::span<const int> ids) {
    const Tensor logits = reference::forward(weights, ids.first(ids.size() - 1), 1);
    const std::size_t V = std::size_t(weights.config.vocab_size);
    const std::span last = std::span(logits.data).last(V);
    double sum = 0;
    for (const float logit : last) sum += std::exp(double(logit));
    return double(last[std::size_t(ids.back())]) - std::log(sum);
}

}  // namespace

TEST_CASE("log sum exp neither overflows nor loses small terms") {
    CHECK(log_sum_exp(std::vector<float>{1e30f, 0}) == double(1e30f));
    CHECK(log_sum_exp(std::vector<float>{-1e30f}) == double(-1e30f));
    CHECK(log_sum_exp(std::vector<float>{3, 3, 3, 3}) ==
          doctest::Approx(3 + std::log(4)).epsilon(1e-15));
    CHECK_FALSE(std::isfinite(log_sum_exp(std::vector<float>{0, NAN})));
    CHECK_FALSE(std::isfinite(log_sum_exp(std::vector<float>{NAN, 0})));
    CHECK_FALSE(std::isfinite(log_sum_exp(std::vector<float>{0, INFINITY})));
    CHECK_FALSE(std::isfinite(log_sum_exp(std::vector<float>{0, -INFINITY})));
}

TEST_CASE("every token is predicted from exactly the window that the definition says") {
    const Weights weights = load_weights(Folder::at(kFolder));
    const int context = weights.config.n_positions;
    Transformer model(load_weights(Folder::at(kFolder)), std::nullopt, 2);
    for (const std::size_t length : {2, 3, 9, 40}) {
        const std::vector<int> ids = some_ids(length, weights.config.vocab_size);
        for (int window = 1; window <= context; window += 3)
            for (int stride = 1; stride <= window; stride += 2) {
                CAPTURE(length);
                CAPTURE(window);
                CAPTURE(stride);
                const auto found = log_probabilities(model, ids, window, stride);
                REQUIRE(found.size() == length - 1);
                for (int i = 0; i + 1 < int(length); ++i) {
                    // The first window reads ids 0 .. window - 1; number n starts at n * stride.
                    const int n = i < window ? 0 : (i - window) / stride + 1;
                    const std::span<const int> read = std::span(ids).subspan(
                        std::size_t(n * stride), std::size_t(i + 2 - n * stride));
                    CHECK(int(read.size()) - 1 <= window);
                    CHECK(found[std::size_t(i)] ==
                          doctest::Approx(by_the_page(weights, read)).epsilon(1e-4));
                }
            }
    }
}

TEST_CASE("windows that run side by side score as each does alone") {
    Transformer model(load_weights(builtin_model()), std::nullopt, 2);
    const std::vector<int> ids = some_ids(3000, model.config().vocab_size);
    const auto all = log_probabilities(model, ids, 64, 32);
    for (const std::size_t n : {0, 1, 17, 91}) {
        const std::size_t start = n * 32;
        const auto alone = log_probabilities(model, std::span(ids).subspan(start, 65), 64, 32);
        for (std::size_t i = n == 0 ? 0 : 32; i < 64; ++i) CHECK(all[start + i] == alone[i]);
    }
}

TEST_CASE("there is nothing to predict in fewer than two ids") {
    Transformer model(load_weights(Folder::at(kFolder)), std::nullopt, 1);
    CHECK(log_probabilities(model, std::vector<int>{1}, 4, 2).empty());
    CHECK(log_probabilities(model, std::vector<int>{}, 4, 2).empty());
}
