#include "tools/train/backward.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "kernels/functions.h"
#include "tools/train/attention.h"
#include "tools/train/product.h"
#include "tools/train/rows.h"

namespace {

// y[c] = sum over rows n of term(n, c), in sequence: a thread takes whole vectors of columns.
// `term` gets a function that loads the vector at p.
template <typename Term>
void sum_rows(float* y, int rows, int cols, Term term) {
#pragma omp for schedule(static)
    for (int c = 0; c < cols; c += kLanes) {
        const int some = std::min(kLanes, cols - c);
        Vec sum{};
        if (some == kLanes)
            for (int n = 0; n < rows; ++n)
                sum += term(n, c, [](const float* p) { return load(p); });
        else
            for (int n = 0; n < rows; ++n)
                sum += term(n, c, [some](const float* p) { return load_some(p, some); });
        std::memcpy(y + c, &sum, std::size_t(some) * sizeof(float));
    }
}

// y[c..] += f(x[c..]...) for `some` columns.
template <typename F, typename... X>
void add_to(float* y, int some, F f, const X*... x) {
    map(
        y, some, [f](Vec before, auto... v) { return before + f(v...); }, y, x...);
}

// loss_n = log sum exp(logits_n) - logits_n[target], their mean over N
//     d logits_n = (softmax(logits_n) - 1 at the target) / N
void cross_entropy_backward(Matrix d, const Activations& a, std::span<const int> targets) {
    const ConstMatrix logits = matrix(a.logits);
    const float share = 1 / float(logits.rows);
#pragma omp for
    for (int n = 0; n < logits.rows; ++n) {
        const float logsumexp = a.logsumexp.at(n);
        map(
            d.row(n), d.cols, [=](Vec v) { return exp(v - logsumexp) * share; }, logits.row(n));
        d.row(n)[targets[std::size_t(n)]] -= share;
    }
}

// y = x w, element by element: y_nj = sum over i of x_ni w_ij
//     dw_ij = sum over n of x_ni dy_nj, that is dw = xT dy
void weight_backward(Matrix d_w, ConstMatrix dy, ConstMatrix x, Gradients& room) {
    PackedMatrix& packed = room.packed_for(dy.cols);
    pack(packed, dy, false);
    const Matrix xt{room.workspace.data(x.cols, odd_lines(x.rows)), x.cols, x.rows,
                    odd_lines(x.rows)};
    const Range share = my_share(x.cols);
    const int channels = share.last - share.first;
    transpose(xt.some_rows(share.first, channels), x.columns(share.first, channels));
    room.workspace.wait();
    linear(d_w, xt, packed, nullptr, room.workspace);
}

// y = x w + b
//     dw = xT dy,  db = sum over rows of dy,  dx = dy wT
void linear_backward(Matrix dx, const LinearView& d, ConstMatrix dy, ConstMatrix x,
                     const PackedLinear& w, Gradients& room) {
    weight_backward(d.w, dy, x, room);
    sum_rows(d.b, dy.rows, dy.cols, [&](int n, int c, auto at) { return at(dy.row(n) + c); });
    linear(dx, dy, w.w_transposed, nullptr, room.workspace);
}

// y = s g + b with s = (x - mean) / deviation, both taken over the C channels
//     dg = sum over rows of dy s,  db = sum over rows of dy
//     ds = dy g,  dx = (ds - mean(ds) - s mean(ds s)) / deviation: what would move the mean or
//     the deviation is taken out
// dx is added to d_x, since the residual stream goes on beside the branch.
void layer_norm_backward(Matrix d_x, const NormView& d, ConstMatrix dy, ConstMatrix x,
                         const float* g, std::vector<Moments>& moments) {
    const float share = 1 / float(x.cols);
#pragma omp for
    for (int n = 0; n < x.rows; ++n) {
        const Moments m = moments[std::size_t(n)] = Moments(x.row(n), x.cols);
        const auto ds = [](Vec v, Vec gain) { return v * gain; };
        const auto along = [&](Vec v, Vec gain, Vec at) { return ds(v, gain) * m.standardise(at); };
        const float mean_ds = sum(x.cols, ds, dy.row(n), g) * share;
        const float mean_along = sum(x.cols, along, dy.row(n), g, x.row(n)) * share;
        const auto dx = [&](Vec v, Vec gain, Vec at) {
            const Vec rest = ds(v, gain) - mean_ds - m.standardise(at) * mean_along;
            return rest * m.inverse_deviation;
        };
        add_to(d_x.row(n), x.cols, dx, dy.row(n), g, x.row(n));
    }
    sum_rows(d.g, x.rows, x.cols, [&](int n, int c, auto at) {
        return at(dy.row(n) + c) * moments[std::size_t(n)].standardise(at(x.row(n) + c));
    });
    sum_rows(d.b, dy.rows, dy.cols, [&](int n, int c, auto at) { return at(dy.row(n) + c); });
}

// GELU as GPT-2 has it (Hendrycks and Gimpel 2016):
//     y = x (1 + t) / 2 with t = tanh(u), u = k (x + a x^3), k = sqrt(2 / pi), a = 0.044715
//     dy/dx = (1 + t) / 2 + x (1 - t^2) / 2 k (1 + 3 a x^2), since dt/du = 1 - t^2
Vec gelu_slope(Vec x) {
    constexpr float k = 0.7978845608028654f, a = 0.044715f;
    const Vec square = x * x, t = tanh(k * x * (1.0f + a * square));
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * k * (1.0f + 3 * a * square);
}

// y = gelu(x): dx = dy gelu'(x), in place
void gelu_backward(Matrix d, ConstMatrix x) {
#pragma omp for
    for (int n = 0; n < d.rows; ++n)
        map(
            d.row(n), d.cols, [](Vec v, Vec at) { return v * gelu_slope(at); }, d.row(n), x.row(n));
}

// y = x + m branch, m what dropout multiplies by: dx = dy, so d_x stays; d_branch = m dy
void branch_backward(Matrix d_branch, ConstMatrix d_x, const Mask& mask) {
#pragma omp for
    for (int n = 0; n < d_x.rows; ++n)
        drop(d_branch.row(n), d_x.row(n), d_x.cols, std::size_t(n) * std::size_t(d_x.cols), mask);
}

// x_n = m (wte[token of n] + wpe[position of n])
//     d wte[v] = sum over the places of token v of m dx, added to what the head gave;
//     d wpe[t] = sum over the sequences of m dx
void embedding_backward(const ModelView& d, ConstMatrix d_embedded, std::span<const int> ids) {
    constexpr int kColumns = 16;  // that one thread takes: whole cache lines
    const int T = d.wpe.rows;
    const auto same = [](Vec v) { return v; };
#pragma omp for
    for (int c = 0; c < d_embedded.cols; c += kColumns) {
        const int some = std::min(kColumns, d_embedded.cols - c);
        for (int t = 0; t < T; ++t) std::fill_n(d.wpe.row(t) + c, some, 0.0f);
        for (int n = 0; n < d_embedded.rows; ++n) {
            add_to(d.wte.row(ids[std::size_t(n)]) + c, some, same, d_embedded.row(n) + c);
            add_to(d.wpe.row(n % T) + c, some, same, d_embedded.row(n) + c);
        }
    }
}

// d_x: gradient of what leaves the block -> gradient of what enters it.
void block_backward(const BlockView& d, Gradients& room, const BlockActivations& a,
                    const BlockView& h, const PackedBlock& w, const BlockMasks& masks) {
    const Matrix d_x = matrix(room.d_x), d_branch = matrix(room.d_branch);
    const Matrix d_inner = matrix(room.d_inner);
    branch_backward(d_branch, d_x, masks.mlp_output);
    linear_backward(d_inner, d.mlp_c_proj, d_branch, matrix(a.gelu), w.mlp_c_proj, room);
    gelu_backward(d_inner, matrix(a.c_fc));
    linear_backward(d_branch, d.c_fc, d_inner, matrix(a.ln_2), w.c_fc, room);
    layer_norm_backward(d_x, d.ln_2, d_branch, matrix(a.x_between), h.ln_2.g, room.moments);

    const Matrix d_mixed = matrix(room.d_mixed), d_qkv = matrix(room.d_qkv);
    branch_backward(d_branch, d_x, masks.attention_output);
    linear_backward(d_mixed, d.attn_c_proj, d_branch, matrix(a.mixed), w.attn_c_proj, room);
    attention_backward(d_qkv, d_mixed, a.weights, matrix(a.qkv), masks.attention_weights,
                       room.workspace);
    linear_backward(d_branch, d.c_attn, d_qkv, matrix(a.ln_1), w.c_attn, room);
    layer_norm_backward(d_x, d.ln_1, d_branch, matrix(a.x), h.ln_1.g, room.moments);
}

}  // namespace

Gradients::Gradients(const ModelShape& shape, int B, int threads) {
    const int N = B * shape.T, C = shape.C;
    d_logits = Tensor({N, shape.V});
    d_x = d_branch = d_mixed = Tensor({N, C});
    d_qkv = Tensor({N, 3 * C});
    d_inner = Tensor({N, 4 * C});
    for (const int out : {C, 3 * C, 4 * C}) packed_dy.emplace_back(N, out, PackedType::f32);
    moments.resize(std::size_t(N));
    workspace.reserve(std::max(4 * C, shape.V), odd_lines(N));  // for dw = xT dy
    reserve_for_attention(workspace, shape.T, shape.D(), threads);
}

PackedMatrix& Gradients::packed_for(int out) {
    return *std::find_if(packed_dy.begin(), packed_dy.end(),
                         [out](const PackedMatrix& p) { return p.out() == out; });
}

void backward(const ModelView& d, Gradients& room, const Activations& a, const ModelView& model,
              const PackedModel& packed, const Batch& batch, const Dropout& dropout) {
    const Matrix d_logits = matrix(room.d_logits), d_x = matrix(room.d_x);
    const Matrix d_branch = matrix(room.d_branch);
    cross_entropy_backward(d_logits, a, batch.targets);

    // logits = ln_f wteT
    weight_backward(d.wte, matrix(a.ln_f), d_logits, room);
    linear(d_branch, d_logits, packed.lm_head.w_transposed, nullptr, room.workspace);
#pragma omp for
    for (int n = 0; n < d_x.rows; ++n) std::fill_n(d_x.row(n), d_x.cols, 0.0f);
    layer_norm_backward(d_x, d.ln_f, d_branch, matrix(a.x), model.ln_f.g, room.moments);

    for (std::size_t l = model.h.size(); l-- > 0;)
        block_backward(d.h[l], room, a.h[l], model.h[l], packed.h[l], dropout.block(int(l)));

    branch_backward(d_branch, d_x, dropout.embedding());
    embedding_backward(d, d_branch, batch.ids);
}
