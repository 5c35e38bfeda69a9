#include "tools/train/adamw.h"
#include <doctest/doctest.h>
#include <cmath>
#include "tests/support.h"

TEST_CASE("a step is that of the paper, and only matrices decay") {
    const std::vector<Parameter> parameters{{"w", {1, 2}, 0}, {"b", {2}, 2}};
    const std::vector<float> start{1, -2, 3, -4};
    OptimiserState state(start);
    const AdamW how{.learning_rate = 0.1,
                    .weight_decay = 0.5,
                    .beta1 = 0.9,
                    .beta2 = 0.99,
                    .clip = 2,
                    .averaging = 0.5};
    std::vector<double> w(start.begin(), start.end()), m(4), v(4), average = w;
    for (int step = 1; step <= 5; ++step) {
        const std::vector<float> g = random_floats(4, std::uint64_t(step), 3);
        const double length = 5;
        update(state, g, length, parameters, how, step);
        const double follow = 1 - std::min(0.5, (1.0 + step) / (10.0 + step));
        for (std::size_t i = 0; i < 4; ++i) {
            const double clipped = double(g[i]) * 2 / 5;
            m[i] = 0.9 * m[i] + 0.1 * clipped;
            v[i] = 0.99 * v[i] + 0.01 * clipped * clipped;
            const double stride = m[i] / (1 - std::pow(0.9, step)) /
                                  (std::sqrt(v[i] / (1 - std::pow(0.99, step))) + 1e-8);
            w[i] -= 0.1 * (stride + (i < 2 ? 0.5 : 0) * w[i]);
            average[i] += follow * (w[i] - average[i]);
            CHECK(double(state.parameters[i]) == doctest::Approx(w[i]).epsilon(1e-5));
            CHECK(double(state.average[i]) == doctest::Approx(average[i]).epsilon(1e-5));
        }
    }
}

TEST_CASE("a gradient shorter than the limit is left as it is") {
    const std::vector<Parameter> parameters{{"b", {3}, 0}};
    const std::vector<float> g{0.1f, 0.2f, -0.3f};
    OptimiserState one({1, 1, 1}), other({1, 1, 1});
    update(one, g, 0.4, parameters, {.clip = 1}, 1);
    update(other, g, 0.4, parameters, {.clip = 100}, 1);
    CHECK(one.parameters == other.parameters);
}

TEST_CASE("the norm is the root of the sum of squares, over several blocks") {
    const auto g = random_floats(2 * kNormBlock + 77, 1);
    std::vector<double> room(3);
    double squares = 0;
    for (const float x : g) squares += double(x) * double(x);
    CHECK(norm(g, room) == doctest::Approx(std::sqrt(squares)).epsilon(1e-12));
}
