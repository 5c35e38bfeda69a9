#include "kernels/reference.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace reference {

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
    const int B = x.shape[0], T = x.shape[1], in = x.shape[2], out = w.shape[1];
    expect("linear: w", w.shape, {in, out});
    expect("linear: b", b.shape, {out});
    Tensor y({B, T, out});
    for (int n = 0; n < B; ++n)
        for (int t = 0; t < T; ++t) {
            for (int o = 0; o < out; ++o) y.at(n, t, o) = b.at(o);
            for (int i = 0; i < in; ++i)  // row i of w at a time, so that memory is walked in order
                for (int o = 0; o < out; ++o) y.at(n, t, o) += x.at(n, t, i) * w.at(i, o);
        }
    return y;
}

Tensor layer_norm(const Tensor& x, const Tensor& g, const Tensor& b, float epsilon) {
    const int B = x.shape[0], T = x.shape[1], C = x.shape[2];
    expect("layer_norm: g", g.shape, {C});
    expect("layer_norm: b", b.shape, {C});
    Tensor y(x.shape);
    for (int n = 0; n < B; ++n)
        for (int t = 0; t < T; ++t) {
            float mean = 0, variance = 0;
            for (int c = 0; c < C; ++c) mean += x.at(n, t, c);
            mean /= float(C);
            for (int c = 0; c < C; ++c) variance += (x.at(n, t, c) - mean) * (x.at(n, t, c) - mean);
            variance /= float(C);
            const float deviation = std::sqrt(variance + epsilon);
            for (int c = 0; c < C; ++c)
                y.at(n, t, c) = (x.at(n, t, c) - mean) / deviation * g.at(c) + b.at(c);
        }
    return y;
}

float activate(float x, Activation activation) {
    constexpr float kRootHalf = 0.70710678118654752f;       // sqrt(1/2)
    constexpr float kRootTwoOverPi = 0.79788456080286536f;  // sqrt(2/pi)
    switch (activation) {
        case Activation::gelu_new:  // GPT-2's own, and the name that PyTorch gives the same formula
        case Activation::gelu_pytorch_tanh:
            return 0.5f * x * (1 + std::tanh(kRootTwoOverPi * (x + 0.044715f * x * x * x)));
        case Activation::gelu: return 0.5f * x * (1 + std::erf(kRootHalf * x));
        case Activation::relu: return std::max(x, 0.0f);
        case Activation::silu: return x / (1 + std::exp(-x));
        case Activation::tanh: return std::tanh(x);
    }
    throw std::logic_error("activate: no such activation");
}

Tensor activate(const Tensor& x, Activation activation) {
    Tensor y(x.shape);
    for (std::size_t i = 0; i < x.data.size(); ++i) y.data[i] = activate(x.data[i], activation);
    return y;
}

Tensor add(const Tensor& x, const Tensor& y) {
    expect("add: y", y.shape, x.shape);
    Tensor sum(x.shape);
    for (std::size_t i = 0; i < x.data.size(); ++i) sum.data[i] = x.data[i] + y.data[i];
    return sum;
}

Tensor transpose(const Tensor& x) {
    Tensor y({x.shape[1], x.shape[0]});
    for (int r = 0; r < x.shape[0]; ++r)
        for (int c = 0; c < x.shape[1]; ++c) y.at(c, r) = x.at(r, c);
    return y;
}

std::array<Tensor, 3> split_qkv(const Tensor& x) {
    const int B = x.shape[0], T = x.shape[1], C = x.shape[2] / 3;
    expect("split_qkv: x", x.shape, {B, T, 3 * C});
    std::array<Tensor, 3> parts;
    for (int p = 0; p < 3; ++p) {
        Tensor& part = parts[std::size_t(p)] = Tensor({B, T, C});
        for (int b = 0; b < B; ++b)
            for (int t = 0; t < T; ++t)
                for (int c = 0; c < C; ++c) part.at(b, t, c) = x.at(b, t, p * C + c);
    }
    return parts;
}

Tensor split_heads(const Tensor& x, int H) {
    const int B = x.shape[0], T = x.shape[1], D = x.shape[2] / H;
    expect("split_heads: x", x.shape, {B, T, H * D});
    Tensor y({B, H, T, D});
    for (int b = 0; b < B; ++b)
        for (int h = 0; h < H; ++h)
            for (int t = 0; t < T; ++t)
                for (int d = 0; d < D; ++d) y.at(b, h, t, d) = x.at(b, t, h * D + d);
    return y;
}

Tensor merge_heads(const Tensor& x) {
    const int B = x.shape[0], H = x.shape[1], T = x.shape[2], D = x.shape[3];
    Tensor y({B, T, H * D});
    for (int b = 0; b < B; ++b)
        for (int h = 0; h < H; ++h)
            for (int t = 0; t < T; ++t)
                for (int d = 0; d < D; ++d) y.at(b, t, h * D + d) = x.at(b, h, t, d);
    return y;
}

Tensor scores(const Tensor& q, const Tensor& k, float scale) {
    const int B = q.shape[0], H = q.shape[1], T = q.shape[2], D = q.shape[3];
    expect("scores: k", k.shape, q.shape);
    Tensor s({B, H, T, T});
    for (int b = 0; b < B; ++b)
        for (int h = 0; h < H; ++h)
            for (int t = 0; t < T; ++t)
                for (int j = 0; j < T; ++j) {
                    float dot = 0;
                    for (int d = 0; d < D; ++d) dot += q.at(b, h, t, d) * k.at(b, h, j, d);
                    s.at(b, h, t, j) = scale * dot;
                }
    return s;
}

Tensor causal_mask(int T) {
    Tensor mask({T, T});
    for (int t = 0; t < T; ++t)
        for (int j = t + 1; j < T; ++j) mask.at(t, j) = -std::numeric_limits<float>::infinity();
    return mask;
}

Tensor add_mask(const Tensor& scores, const Tensor& mask) {
    const int B = scores.shape[0], H = scores.shape[1], T = scores.shape[2];
    expect("add_mask: mask", mask.shape, {T, T});
    Tensor s(scores.shape);
    for (int b = 0; b < B; ++b)
        for (int h = 0; h < H; ++h)
            for (int t = 0; t < T; ++t)
                for (int j = 0; j < T; ++j)
                    s.at(b, h, t, j) = scores.at(b, h, t, j) + mask.at(t, j);
    return s;
}

Tensor softmax(const Tensor& x) {
    const auto width = std::size_t(x.shape[x.shape.rank - 1]);
    Tensor y(x.shape);
    for (std::size_t row = 0; row < x.data.size(); row += width) {
        const float top = *std::max_element(&x.data[row], &x.data[row] + width);
        float total = 0;
        for (std::size_t j = row; j < row + width; ++j)
            total += y.data[j] = std::exp(x.data[j] - top);
        for (std::size_t j = row; j < row + width; ++j) y.data[j] /= total;
    }
    return y;
}

Tensor mix(const Tensor& W, const Tensor& v) {
    const int B = v.shape[0], H = v.shape[1], T = v.shape[2], D = v.shape[3];
    expect("mix: W", W.shape, {B, H, T, T});
    Tensor y(v.shape);
    for (int b = 0; b < B; ++b)
        for (int h = 0; h < H; ++h)
            for (int t = 0; t < T; ++t)
                for (int j = 0; j < T; ++j)
                    for (int d = 0; d < D; ++d)
                        y.at(b, h, t, d) += W.at(b, h, t, j) * v.at(b, h, j, d);
    return y;
}

}  // namespace reference
