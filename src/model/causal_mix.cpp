#include "model/causal_mix.h"
#include <algorithm>
#include <cmath>
#include <utility>
#include "kernels/reference.h"

namespace {

// The operations of the page take [B,H,..]; here B = H = 1.
Tensor as_head(Tensor x) {
    x.shape = {1, 1, x.shape[0], x.shape[1]};
    return x;
}
Tensor as_matrix(Tensor x) {
    x.shape = {x.shape[2], x.shape[3]};
    return x;
}

// Which positions are legal, then how strongly each weighs, then the mix itself.
Tensor masked_mix(const Tensor& scores, const Tensor& v) {
    const Tensor legal = reference::add_mask(as_head(scores), reference::causal_mask(v.shape[0]));
    const Tensor W = reference::softmax(legal);
    return as_matrix(reference::mix(W, as_head(v)));
}

}  // namespace

Tensor one_head(const Tensor& x, int h, int T) {
    Tensor y({T, x.shape[3]});
    std::copy_n(&x.at(0, h, 0, 0), y.data.size(), y.data.begin());
    return y;
}

Tensor loop_mean(const HeadInput& head) {
    const int T = head.v.shape[0], D = head.v.shape[1];
    Tensor y({T, D});
    for (int t = 0; t < T; ++t)
        for (int d = 0; d < D; ++d) {
            float sum = 0;
            for (int j = 0; j <= t; ++j) sum += head.v.at(j, d);
            y.at(t, d) = sum / float(t + 1);
        }
    return y;
}

Tensor triangle_mean(const HeadInput& head) {
    const int T = head.v.shape[0];
    Tensor W({T, T});
    for (int t = 0; t < T; ++t)
        for (int j = 0; j <= t; ++j) W.at(t, j) = 1;
    for (int t = 0; t < T; ++t) {
        float sum = 0;
        for (int j = 0; j < T; ++j) sum += W.at(t, j);
        for (int j = 0; j < T; ++j) W.at(t, j) /= sum;
    }
    return as_matrix(reference::mix(as_head(W), as_head(head.v)));
}

Tensor softmax_mean(const HeadInput& head) {
    const int T = head.v.shape[0];
    return masked_mix(Tensor({T, T}), head.v);
}

Tensor attention_mix(const HeadInput& head) { return masked_mix(scaled_scores(head), head.v); }

Tensor scaled_scores(const HeadInput& head) {
    const float scale = 1 / std::sqrt(float(head.q.shape[1]));
    return as_matrix(reference::scores(as_head(head.q), as_head(head.k), scale));
}

Tensor matrix_of(CausalMix mix, const HeadInput& head) {
    const int T = head.v.shape[0];
    Tensor identity({T, T});
    for (int t = 0; t < T; ++t) identity.at(t, t) = 1;
    return mix({head.q, head.k, identity});
}
