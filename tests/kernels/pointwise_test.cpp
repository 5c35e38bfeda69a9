#include "kernels/pointwise.h"
#include <doctest/doctest.h>
#include <cmath>
#include "tests/support.h"

namespace {

Matrix view(std::vector<float>& data, int rows, int cols) {
    return {data.data(), rows, cols, cols};
}

// The size of what e is raised to. Rounding it to a float is off by a part of it that no longer
// matters where the activation itself is large, and is all of the error in its tail.
double exponent(double x, Activation activation) {
    switch (activation) {
        case Activation::gelu_new:
        case Activation::gelu_pytorch_tanh:
            return 2 * std::sqrt(2 / M_PI) * std::fabs(x + 0.044715 * x * x * x);
        case Activation::gelu: return x * x / 2;
        case Activation::silu: return std::fabs(x);
        case Activation::relu:
        case Activation::tanh: return 0;
    }
    return NAN;
}

double exact(double x, Activation activation) {
    switch (activation) {
        case Activation::gelu_new:
        case Activation::gelu_pytorch_tanh:
            return x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        case Activation::gelu: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
        case Activation::relu: return std::max(x, 0.0);
        case Activation::silu: return x / (1 + std::exp(-x));
        case Activation::tanh: return std::tanh(x);
    }
    return NAN;
}

}  // namespace

TEST_CASE("every activation matches its double-precision definition, finite and never above x") {
    std::vector<float> inputs = {50, -50, 1e4f, -1e4f, 1e30f, -1e30f, 0};
    for (int i = -1000; i <= 1000; ++i) inputs.push_back(float(i) * 0.01f);
    for (const Activation activation :
         {Activation::gelu_new, Activation::gelu, Activation::relu, Activation::silu,
          Activation::tanh, Activation::gelu_pytorch_tanh}) {
        auto found = inputs;
        activate(view(found, 1, int(found.size())), activation);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const double wanted = exact(inputs[i], activation);
            CAPTURE(inputs[i]);
            CAPTURE(int(activation));
            CHECK(std::isfinite(found[i]));
            CHECK(found[i] <= std::max(inputs[i], 0.0f));
            const double units = 4 + 4 * std::min(exponent(inputs[i], activation), 90.0);
            CHECK(std::fabs(found[i] - wanted) <= units * 0x1p-24 * std::fabs(wanted) + 1e-36);
        }
    }
}

TEST_CASE("layer_norm agrees with double precision at every width") {
    for (const int C : {1, 2, 15, 16, 17, 51, 768}) {
        auto x = random_floats(std::size_t(3 * C), 1, 5);
        const auto g = random_floats(std::size_t(C), 2), b = random_floats(std::size_t(C), 3);
        std::vector<float> y(x.size());
        layer_norm(view(y, 3, C), view(x, 3, C), g.data(), b.data(), 1e-5f);
        for (int r = 0; r < 3; ++r) {
            const float* row = &x[std::size_t(r * C)];
            double mean = 0, variance = 0;
            for (int c = 0; c < C; ++c) mean += double(row[c]) / C;
            for (int c = 0; c < C; ++c) variance += std::pow(row[c] - mean, 2) / C;
            for (int c = 0; c < C; ++c) {
                const double normal = (row[c] - mean) / std::sqrt(variance + 1e-5);
                const double wanted = normal * g[std::size_t(c)] + b[std::size_t(c)];
                CAPTURE(C);
                CHECK(std::fabs(y[std::size_t(r * C + c)] - wanted) <=
                      2e-6 * (1 + std::fabs(normal)) * 5);
            }
        }
    }
}

TEST_CASE("a team's layer_norm gives the bytes of one thread's") {
    const int C = 51;
    for (const int rows : {1, 3, 8}) {
        auto x = random_floats(std::size_t(rows * C), 1, 5);
        const auto g = random_floats(std::size_t(C), 2), b = random_floats(std::size_t(C), 3);
        std::vector<float> alone(x.size());
        layer_norm(view(alone, rows, C), view(x, rows, C), g.data(), b.data(), 1e-5f);
        for (const int threads : {1, 2, 7}) {
            std::vector<float> y(x.size());
            Workspace workspace;
#pragma omp parallel num_threads(threads)
            layer_norm(view(y, rows, C), view(x, rows, C), g.data(), b.data(), 1e-5f, workspace);
            CHECK(y == alone);
        }
    }
}

TEST_CASE("add adds, and touches nothing beyond the last column") {
    for (const int C : {1, 7, 16, 33}) {
        std::vector<float> x(std::size_t(2 * C + 8), 1), y(std::size_t(2 * C), 0.5f);
        add(Matrix{x.data(), 2, C, C + 4}, view(y, 2, C));
        for (int i = 0; i < 2 * C + 8; ++i) {
            const bool inside = i % (C + 4) < C && i < 2 * (C + 4);
            CHECK(x[std::size_t(i)] == (inside ? 1.5f : 1.0f));
        }
    }
}
