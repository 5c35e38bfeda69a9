#include "model/causal_mix.h"
#include <doctest/doctest.h>
#include <cmath>
#include "tests/support.h"

namespace {

HeadInput random_head(int T, int D, std::uint64_t seed) {
    HeadInput head{Tensor({T, D}), Tensor({T, D}), Tensor({T, D})};
    head.q.data = random_floats(head.q.data.size(), seed);
    head.k.data = random_floats(head.k.data.size(), seed + 1);
    head.v.data = random_floats(head.v.data.size(), seed + 2);
    return head;
}

double difference(const Tensor& a, const Tensor& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        worst = std::max(worst, std::fabs(double(a.data[i]) - b.data[i]));
    return worst;
}

}  // namespace

TEST_CASE("loop, triangle, and mask with softmax make the same mean") {
    const HeadInput head = random_head(13, 5, 1);
    CHECK(difference(loop_mean(head), triangle_mean(head)) < 1e-6);
    CHECK(difference(loop_mean(head), softmax_mean(head)) < 1e-6);
    for (int d = 0; d < 5; ++d) {
        double sum = 0;
        for (int j = 0; j <= 7; ++j) sum += head.v.at(j, d);
        CHECK(loop_mean(head).at(7, d) == doctest::Approx(sum / 8).epsilon(1e-5));
    }
}

TEST_CASE("row t of a mean's matrix is 1/(t+1) up to t and 0 after") {
    const HeadInput head = random_head(4, 3, 2);
    for (const CausalMix mix : {loop_mean, triangle_mean, softmax_mean}) {
        const Tensor W = matrix_of(mix, head);
        for (int t = 0; t < 4; ++t)
            for (int j = 0; j < 4; ++j)
                CHECK(W.at(t, j) == (j <= t ? doctest::Approx(1.0 / (t + 1)) : doctest::Approx(0)));
    }
}

TEST_CASE("the matrix of attention is the softmax of scaled scores over legal positions") {
    const int T = 6, D = 4;
    const HeadInput head = random_head(T, D, 3);
    const Tensor W = matrix_of(attention_mix, head), scores = scaled_scores(head);
    for (int t = 0; t < T; ++t) {
        double total = 0;
        for (int j = 0; j <= t; ++j) {
            double dot = 0;
            for (int d = 0; d < D; ++d) dot += double(head.q.at(t, d)) * head.k.at(j, d);
            CHECK(scores.at(t, j) == doctest::Approx(dot / 2).epsilon(1e-4));
            total += std::exp(dot / 2);
        }
        for (int j = 0; j < T; ++j)
            CHECK(W.at(t, j) ==
                  doctest::Approx(j <= t ? std::exp(scores.at(t, j)) / total : 0).epsilon(1e-4));
    }
}

TEST_CASE("no mix reads the future, and only attention reads queries and keys") {
    const HeadInput head = random_head(6, 4, 4);
    HeadInput later = head, asked = head;
    for (int d = 0; d < 4; ++d) later.q.at(5, d) = later.k.at(5, d) = later.v.at(5, d) = 99;
    asked.q = random_head(6, 4, 5).q;
    for (const NamedMix& named : kCausalMixes) {
        CAPTURE(named.name);
        const Tensor before = named.mix(head), after = named.mix(later);
        for (int t = 0; t < 5; ++t)
            for (int d = 0; d < 4; ++d) CHECK(before.at(t, d) == after.at(t, d));
        CHECK((difference(before, named.mix(asked)) > 0.01) == (named.mix == attention_mix));
    }
}
