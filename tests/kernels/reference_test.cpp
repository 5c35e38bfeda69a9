#include "kernels/reference.h"
#include <doctest/doctest.h>
#include <cfloat>
#include <cmath>
#include <limits>
#include "tests/support.h"

namespace {

Tensor random_tensor(const Shape& shape, std::uint64_t seed, double sigma = 1) {
    Tensor x(shape);
    x.data = random_floats(shape.elements(), seed, sigma);
    return x;
}

double exact_activation(double x, Activation activation) {
    const double tanh_form = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    switch (activation) {
        case Activation::gelu_new:
        case Activation::gelu_pytorch_tanh: return 0.5 * x * (1 + std::tanh(tanh_form));
        case Activation::gelu: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
        case Activation::relu: return x > 0 ? x : 0;
        case Activation::silu: return x / (1 + std::exp(-x));
        case Activation::tanh: return std::tanh(x);
    }
    return NAN;
}

constexpr Activation kActivations[] = {Activation::gelu_new, Activation::gelu,
                                       Activation::relu,     Activation::silu,
                                       Activation::tanh,     Activation::gelu_pytorch_tanh};

}  // namespace

TEST_CASE("linear is x w + b to rounding") {
    const int B = 2, T = 5, in = 33, out = 17;
    const Tensor x = random_tensor({B, T, in}, 1), w = random_tensor({in, out}, 2),
                 b = random_tensor({out}, 3);
    const Tensor y = reference::linear(x, w, b);
    CHECK(y.shape == Shape{B, T, out});
    for (int n = 0; n < B; ++n)
        for (int t = 0; t < T; ++t)
            for (int o = 0; o < out; ++o) {
                double sum = b.at(o), size = std::fabs(b.at(o));
                for (int i = 0; i < in; ++i) {
                    const double product = double(x.at(n, t, i)) * w.at(i, o);
                    sum += product;
                    size += std::fabs(product);
                }
                CHECK(std::fabs(y.at(n, t, o) - sum) <= 8 * FLT_EPSILON * size);
            }
}

TEST_CASE("linear refuses a matrix of another depth") {
    CHECK_THROWS_WITH(reference::linear(Tensor({1, 2, 3}), Tensor({4, 5}), Tensor({5})),
                      "linear: w: expected [3,5], found [4,5]");
}

TEST_CASE("layer_norm leaves mean b and deviation g") {
    const int C = 51;
    const Tensor x = random_tensor({1, 3, C}, 4, 10), g = random_tensor({C}, 5),
                 b = random_tensor({C}, 6);
    const Tensor y = reference::layer_norm(x, g, b, 1e-6f);
    for (int t = 0; t < 3; ++t) {
        double mean = 0, variance = 0;
        for (int c = 0; c < C; ++c) mean += double(x.at(t, c)) / C;
        for (int c = 0; c < C; ++c) variance += std::pow(x.at(t, c) - mean, 2) / C;
        for (int c = 0; c < C; ++c) {
            const double wanted =
                (x.at(t, c) - mean) / std::sqrt(variance + 1e-6) * g.at(c) + b.at(c);
            CHECK(std::fabs(y.at(t, c) - wanted) < 1e-5);
        }
    }
}

TEST_CASE("every activation matches its double-precision definition from -10 to 10") {
    for (const Activation activation : kActivations)
        for (int i = -1000; i <= 1000; ++i) {
            const float x = float(i) * 0.01f;
            const double wanted = exact_activation(x, activation);
            CHECK(std::fabs(reference::activate(x, activation) - wanted) <=
                  4 * FLT_EPSILON * std::max(1.0, std::fabs(double(x))));
        }
}

TEST_CASE("activations of huge numbers are finite and never above the number") {
    for (const Activation activation : kActivations)
        for (const float x : {50.0f, 1e4f, 1e30f}) {
            const float up = reference::activate(x, activation);
            const float down = reference::activate(-x, activation);
            CHECK(std::isfinite(up));
            CHECK(up <= x);
            CHECK(up == float(exact_activation(x, activation)));
            CHECK(down == float(exact_activation(-x, activation)));
        }
}

TEST_CASE("splitting and merging heads move every channel to its place and back") {
    const int B = 2, T = 3, H = 2, D = 5;
    const Tensor x = random_tensor({B, T, H * D}, 7);
    const Tensor heads = reference::split_heads(x, H);
    CHECK(heads.shape == Shape{B, H, T, D});
    CHECK(heads.at(1, 1, 2, 3) == x.at(1, 2, D + 3));
    CHECK(reference::merge_heads(heads).data == x.data);
    const Tensor qkv = random_tensor({B, T, 9}, 8);
    const auto [q, k, v] = reference::split_qkv(qkv);
    CHECK(q.at(1, 2, 0) == qkv.at(1, 2, 0));
    CHECK(k.at(1, 2, 0) == qkv.at(1, 2, 3));
    CHECK(v.at(1, 2, 2) == qkv.at(1, 2, 8));
}

TEST_CASE("channels that do not divide are refused, not dropped") {
    CHECK_THROWS_WITH_AS(reference::split_heads(Tensor({1, 1, 5}), 2),
                         "split_heads: x: expected [1,1,4], found [1,1,5]", std::logic_error);
    CHECK_THROWS_WITH_AS(reference::split_qkv(Tensor({1, 1, 7})),
                         "split_qkv: x: expected [1,1,6], found [1,1,7]", std::logic_error);
}

TEST_CASE("scores are scaled dot products of queries and keys") {
    const Tensor q = random_tensor({2, 3, 4, 5}, 9), k = random_tensor({2, 3, 4, 5}, 10);
    const Tensor s = reference::scores(q, k, 0.25f);
    for (int t = 0; t < 4; ++t)
        for (int j = 0; j < 4; ++j) {
            double dot = 0;
            for (int d = 0; d < 5; ++d) dot += double(q.at(1, 2, t, d)) * k.at(1, 2, j, d);
            CHECK(s.at(1, 2, t, j) == doctest::Approx(dot / 4).epsilon(1e-5));
        }
}

TEST_CASE("masked softmax gives a causal distribution, however large the scores") {
    const int T = 7;
    for (const float size : {0.0f, 1.0f, 1e30f}) {
        CAPTURE(size);
        Tensor s = random_tensor({2, 2, T, T}, 11, size);
        const Tensor W = reference::softmax(reference::add_mask(s, reference::causal_mask(T)));
        for (int b = 0; b < 2; ++b)
            for (int h = 0; h < 2; ++h)
                for (int t = 0; t < T; ++t) {
                    double total = 0, exact = 0;
                    float top = s.at(b, h, t, 0);
                    for (int j = 0; j <= t; ++j) top = std::max(top, s.at(b, h, t, j));
                    for (int j = 0; j <= t; ++j) exact += std::exp(double(s.at(b, h, t, j)) - top);
                    for (int j = 0; j < T; ++j) {
                        const float w = W.at(b, h, t, j);
                        total += w;
                        if (j > t)
                            CHECK(w == 0);
                        else
                            CHECK(std::fabs(w - std::exp(double(s.at(b, h, t, j)) - top) / exact) <
                                  1e-6);
                    }
                    CHECK(total == doctest::Approx(1).epsilon(1e-6));
                }
    }
}

TEST_CASE("a mix is the product of its matrix and the values") {
    const Tensor W = random_tensor({2, 1, 3, 3}, 12), v = random_tensor({2, 1, 3, 4}, 13);
    const Tensor y = reference::mix(W, v);
    for (int b = 0; b < 2; ++b)
        for (int t = 0; t < 3; ++t)
            for (int d = 0; d < 4; ++d) {
                double sum = 0;
                for (int j = 0; j < 3; ++j) sum += double(W.at(b, 0, t, j)) * v.at(b, 0, j, d);
                CHECK(std::fabs(y.at(b, 0, t, d) - sum) < 1e-5);
            }
}
