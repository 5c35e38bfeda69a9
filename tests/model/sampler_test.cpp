#include "model/sampler.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include "tests/support.h"

namespace {

using Logits = std::vector<float>;

// Which tokens ever come out, and how often, in n draws.
std::map<int, int> draws(const Sampling& sampling, const Logits& logits, int n) {
    Sampler sampler(sampling, 1);
    std::map<int, int> counts;
    for (int i = 0; i < n; ++i) ++counts[sampler.sample(logits)];
    return counts;
}

std::set<int> support(const Sampling& sampling, const Logits& logits, int n = 2000) {
    std::set<int> tokens;
    for (const auto& [token, count] : draws(sampling, logits, n)) tokens.insert(token);
    return tokens;
}

// Logits whose softmax is the given distribution.
Logits logits_of(const std::vector<double>& probabilities) {
    Logits logits;
    for (const double p : probabilities) logits.push_back(float(std::log(p)));
    return logits;
}

// Within five standard deviations of the expected counts.
void check_counts(const std::map<int, int>& counts, const std::vector<double>& expected, int n) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto found = counts.find(int(i));
        const double count = found == counts.end() ? 0 : found->second;
        CHECK(std::abs(count - n * expected[i]) <=
              5 * std::sqrt(n * expected[i] * (1 - expected[i])));
    }
}

}  // namespace

TEST_CASE("temperature 0 takes the likeliest token, of equal ones the lowest id") {
    Sampler greedy({.temperature = 0}, 1);
    CHECK(greedy.sample(Logits{1, 3, 2}) == 1);
    CHECK(greedy.sample(Logits{1, 3, 3}) == 1);
    CHECK(greedy.sample(Logits{-7}) == 0);
    CHECK(greedy.sample(Logits{-0.0f, 0.0f}) == 0);
}

TEST_CASE("tokens come as often as their probabilities say") {
    const std::vector<double> p{0.1, 0.2, 0.3, 0.4};
    check_counts(draws({}, logits_of(p), 20000), p, 20000);
}

TEST_CASE("temperature divides the logits") {
    const Logits logits{0, 1, 2};
    for (const double temperature : {0.5, 2.0}) {
        std::vector<double> p;
        for (const float logit : logits) p.push_back(std::exp(double(logit) / temperature));
        const double sum = std::accumulate(p.begin(), p.end(), 0.0);
        for (double& value : p) value /= sum;
        check_counts(draws({.temperature = temperature}, logits, 20000), p, 20000);
    }
}

TEST_CASE("the smallest temperatures are greedy without overflow, the largest uniform") {
    const Logits logits{1, 3, 2, -1e30f};
    for (const double temperature : {1e-45, 5e-324})
        CHECK(support({.temperature = temperature}, logits) == std::set{1});
    CHECK(support({.temperature = 1e308}, logits) == std::set{0, 1, 2, 3});
}

TEST_CASE("top-k keeps the k likeliest, and of equal ones the lowest ids") {
    const Logits logits{2, 1, 3, 3, 0, 3};
    CHECK(support({.top_k = 1}, logits) == std::set{2});
    CHECK(support({.top_k = 2}, logits) == std::set{2, 3});
    CHECK(support({.top_k = 4}, logits) == std::set{0, 2, 3, 5});
    for (const int k : {0, 6, 7, 1 << 30})
        CHECK(support({.top_k = k}, logits) == std::set{0, 1, 2, 3, 4, 5});
}

TEST_CASE("top-p keeps the fewest likeliest tokens that reach p, and at least one") {
    const Logits logits = logits_of({0.25, 0.05, 0.4, 0.3});
    CHECK(support({.top_p = 0}, logits) == std::set{2});
    CHECK(support({.top_p = 1e-9}, logits) == std::set{2});
    CHECK(support({.top_p = 0.39}, logits) == std::set{2});
    CHECK(support({.top_p = 0.41}, logits) == std::set{2, 3});
    CHECK(support({.top_p = 0.69}, logits) == std::set{2, 3});
    CHECK(support({.top_p = 0.71}, logits) == std::set{0, 2, 3});
    CHECK(support({.top_p = 0.96}, logits) == std::set{0, 1, 2, 3});
    CHECK(support({.top_p = 1}, logits) == std::set{0, 1, 2, 3});
}

TEST_CASE("min-p keeps tokens at least that many times as likely as the likeliest") {
    const Logits logits = logits_of({0.25, 0.05, 0.4, 0.3});
    CHECK(support({.min_p = 1}, logits) == std::set{2});
    CHECK(support({.min_p = 0.74}, logits) == std::set{2, 3});
    CHECK(support({.min_p = 0.62}, logits) == std::set{0, 2, 3});
    CHECK(support({.min_p = 0}, logits) == std::set{0, 1, 2, 3});
}

TEST_CASE("top-p counts what temperature and top-k have left") {
    const Logits logits = logits_of({0.4, 0.3, 0.2, 0.1});
    // Of the two likeliest the first has 4/7; at temperature 1/2 the shares are as 16, 9, 4, 1.
    CHECK(support({.top_k = 2, .top_p = 0.57}, logits) == std::set{0});
    CHECK(support({.top_k = 2, .top_p = 0.58}, logits) == std::set{0, 1});
    CHECK(support({.temperature = 0.5, .top_p = 0.53}, logits) == std::set{0});
    CHECK(support({.temperature = 0.5, .top_p = 0.84}, logits) == std::set{0, 1, 2});
}

TEST_CASE("what is kept keeps its proportions") {
    const Logits logits = logits_of({0.1, 0.2, 0.3, 0.4});
    check_counts(draws({.top_k = 2}, logits, 20000), {0, 0, 3. / 7, 4. / 7}, 20000);
    check_counts(draws({.top_p = 0.65}, logits, 20000), {0, 0, 3. / 7, 4. / 7}, 20000);
    check_counts(draws({.min_p = 0.7}, logits, 20000), {0, 0, 3. / 7, 4. / 7}, 20000);
}

TEST_CASE("on a large vocabulary top-p keeps what sorting would keep") {
    const Logits logits = random_floats(5000, 7, 3);
    std::vector<int> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return logits[std::size_t(a)] > logits[std::size_t(b)]; });
    double total = 0, sum = 0;
    for (const float logit : logits) total += std::exp(double(logit));
    std::set<int> kept;
    for (std::size_t i = 0; sum < 0.3 * total; ++i) {
        kept.insert(order[i]);
        sum += std::exp(double(logits[std::size_t(order[i])]));
    }
    const std::set<int> found = support({.top_p = 0.3}, logits, 20000);
    CHECK(std::includes(kept.begin(), kept.end(), found.begin(), found.end()));
    CHECK(found.size() > kept.size() / 2);
}

TEST_CASE("the same seed draws the same tokens, another seed others") {
    const Logits logits = random_floats(100, 3);
    const auto run = [&](std::uint64_t seed) {
        Sampler sampler({.temperature = 0.9, .top_k = 50, .top_p = 0.95}, seed);
        std::vector<int> tokens;
        for (int i = 0; i < 50; ++i) tokens.push_back(sampler.sample(logits));
        return tokens;
    };
    CHECK(run(5) == run(5));
    CHECK(run(5) != run(6));
    CHECK(run(UINT64_MAX) != run(0));
}
