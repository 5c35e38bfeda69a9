#include "kernels/pointwise.h"
#include <cmath>
#include "base/threads.h"
#include "kernels/functions.h"

namespace {

// f over x[0 .. n - 1], summed.
template <typename F>
float sum(const float* x, int n, float pad, F f) {
    Sixteen total{};
    for_sixteens(x, n, pad, [&](auto part, Vec v) { total[part] = total[part] + f(v); });
    return fold(total, [](Vec a, Vec b) { return a + b; });
}

void normalise_row(float* y, const float* x, int C, const float* g, const float* b, float epsilon) {
    const float mean = sum(x, C, 0, [](Vec v) { return v; }) / float(C);
    const float variance =
        sum(x, C, mean, [&](Vec v) { return (v - mean) * (v - mean); }) / float(C);
    const float scale = 1 / std::sqrt(variance + epsilon);
    map(
        y, C, [&](Vec v, Vec gv, Vec bv) { return fma((v - mean) * scale, gv, bv); }, x, g, b);
}

template <typename F>
void apply(Matrix x, F f) {
    for (int r = 0; r < x.rows; ++r) map(x.row(r), x.cols, f, x.row(r));
}

}  // namespace

void activate(Matrix x, Activation activation) {
    switch (activation) {
        case Activation::gelu_new:
        case Activation::gelu_pytorch_tanh: return apply(x, [](Vec v) { return gelu_tanh(v); });
        case Activation::gelu: return apply(x, [](Vec v) { return gelu_erf(v); });
        case Activation::relu: return apply(x, [](Vec v) { return v < 0.0f ? Vec{} : v; });
        case Activation::silu: return apply(x, [](Vec v) { return silu(v); });
        case Activation::tanh: return apply(x, [](Vec v) { return tanh(v); });
    }
}

void layer_norm(Matrix y, ConstMatrix x, const float* g, const float* b, float epsilon) {
    expect("layer_norm", {y.rows, y.cols}, {x.rows, x.cols});
    for (int r = 0; r < x.rows; ++r) normalise_row(y.row(r), x.row(r), x.cols, g, b, epsilon);
}

void layer_norm(Matrix y, ConstMatrix x, const float* g, const float* b, float epsilon,
                Workspace& workspace) {
    expect("layer_norm", {y.rows}, {x.rows});
    const auto [first, last] = my_share(x.rows);
    layer_norm(y.some_rows(first, last - first), x.some_rows(first, last - first), g, b, epsilon);
    workspace.wait();
}

void add(Matrix x, ConstMatrix y) {
    expect("add", {x.rows, x.cols}, {y.rows, y.cols});
    for (int r = 0; r < x.rows; ++r)
        map(
            x.row(r), x.cols, [](Vec a, Vec b) { return a + b; }, x.row(r), y.row(r));
}
