#include "kernels/attention.h"
#include <doctest/doctest.h>
#include <cmath>
#include "kernels/reference.h"
#include "model/kv_cache.h"
#include "tests/support.h"

namespace {

Config shape_of(int H, int D) {
    Config config;
    config.n_layer = 1, config.n_head = H, config.n_embd = H * D;
    return config;
}

// Attention of T positions fed in pieces, on a team of that many threads: [T,C].
std::vector<float> attend(std::vector<float>& qkv, int T, int H, int D, int piece, int threads) {
    const int C = H * D;
    std::vector<float> y(std::size_t(T * C));
    KvCache cache(shape_of(H, D), T);
    Workspace workspace;
    reserve_for_attention(workspace, T, threads);
    for (int start = 0; start < T; start += piece) {
        const int count = std::min(piece, T - start);
        const Attending sequence[] = {{{&y[std::size_t(start * C)], count, C, C},
                                       {&qkv[std::size_t(start * 3 * C)], count, 3 * C, 3 * C},
                                       cache.layer(0),
                                       start}};
#pragma omp parallel num_threads(threads)
        attention(sequence, 1 / std::sqrt(float(D)), workspace);
        cache.extend(count);
    }
    return y;
}

std::vector<float> by_the_page(const std::vector<float>& qkv, int T, int H, int D) {
    Tensor x({1, T, 3 * H * D});
    x.data = qkv;
    const auto [q, k, v] = reference::split_qkv(x);
    const Tensor scores = reference::scores(reference::split_heads(q, H),
                                            reference::split_heads(k, H), 1 / std::sqrt(float(D)));
    const Tensor W = reference::softmax(reference::add_mask(scores, reference::causal_mask(T)));
    return reference::merge_heads(reference::mix(W, reference::split_heads(v, H))).data;
}

}  // namespace

TEST_CASE("attention over the cache agrees with the page at every size that breaks tiles") {
    for (const int D : {1, 5, 16, 17, 64})
        for (const int T : {1, 2, 5, 6, 7, 12, 13, 31, 33, 70, 150}) {
            auto qkv = random_floats(std::size_t(T * 3 * 2 * D), 1);
            const auto found = attend(qkv, T, 2, D, T, 1), wanted = by_the_page(qkv, T, 2, D);
            CAPTURE(D);
            CAPTURE(T);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                REQUIRE(std::fabs(found[i] - wanted[i]) <= 1e-5f);
        }
}

TEST_CASE("attention gives the same bytes fed at once, in pieces, and on any number of threads") {
    const int T = 150, H = 3, D = 2 * kPanel + 1;
    auto qkv = random_floats(std::size_t(T * 3 * H * D), 2);
    const auto whole = attend(qkv, T, H, D, T, 1);
    for (const int piece : {1, 2, 3, 5, 7, 64})
        for (const int threads : {1, 2, 3, 7}) CHECK(attend(qkv, T, H, D, piece, threads) == whole);
}

TEST_CASE("heads that are taken one by one, as keys are many, give the same bytes") {
    const int T = 150, H = 3, D = 8 * kPanel;  // two panels apart, where a query or two take more
    auto qkv = random_floats(std::size_t(T * 3 * H * D), 7);
    const auto whole = attend(qkv, T, H, D, T, 1), wanted = by_the_page(qkv, T, H, D);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        REQUIRE(std::fabs(whole[i] - wanted[i]) <= 1e-5f);
    for (const int piece : {1, 2, 3})
        for (const int threads : {1, 2, 3}) CHECK(attend(qkv, T, H, D, piece, threads) == whole);
}

TEST_CASE("sequences attend side by side as they do alone, whatever their lengths") {
    const int H = 2, D = 16, C = H * D;
    for (const int longer : {3, 40}) {  // one tile of queries, and several beside one
        auto first = random_floats(std::size_t(longer * 3 * C), 5);
        auto second = random_floats(std::size_t(2 * 3 * C), 6);
        std::vector<float> y(std::size_t((longer + 2) * C));
        KvCache caches[] = {{shape_of(H, D), longer}, {shape_of(H, D), 2}};
        const Attending sequences[] = {
            {{y.data(), longer, C, C}, {first.data(), longer, 3 * C, 3 * C}, caches[0].layer(0), 0},
            {{&y[std::size_t(longer * C)], 2, C, C},
             {second.data(), 2, 3 * C, 3 * C},
             caches[1].layer(0),
             0}};
        auto expected = attend(first, longer, H, D, longer, 1);
        const auto rest = attend(second, 2, H, D, 2, 1);
        expected.insert(expected.end(), rest.begin(), rest.end());
        for (const int threads : {1, 3}) {
            Workspace workspace;
            reserve_for_attention(workspace, longer, threads);
#pragma omp parallel num_threads(threads)
            attention(sequences, 1 / std::sqrt(float(D)), workspace);
            CHECK(y == expected);
        }
    }
}

TEST_CASE("scores near 1e30, and all equal, leave attention finite") {
    const int T = 9, D = 8;
    auto huge = random_floats(std::size_t(T * 3 * D), 3, 1e15);
    std::vector<float> equal(std::size_t(T * 3 * D), 0.5f);
    for (auto* qkv : {&huge, &equal})
        for (const float y : attend(*qkv, T, 1, D, T, 1)) CHECK(std::isfinite(y));
    for (const float y : attend(equal, T, 1, D, T, 1)) CHECK(y == doctest::Approx(0.5));
}

TEST_CASE("a value in the future that is not a number reaches no earlier position") {
    const int T = 20, D = 8;
    auto qkv = random_floats(std::size_t(T * 3 * D), 4);
    for (int i = (T - 1) * 3 * D; i < T * 3 * D; ++i) qkv[std::size_t(i)] = NAN;
    const auto y = attend(qkv, T, 1, D, T, 1);
    for (int i = 0; i < (T - 1) * D; ++i) CHECK(std::isfinite(y[std::size_t(i)]));
}
