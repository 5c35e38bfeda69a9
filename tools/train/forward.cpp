#include "tools/train/forward.h"
#include <algorithm>
#include <cmath>
#include "kernels/functions.h"
#include "kernels/pointwise.h"
#include "tools/train/attention.h"
#include "tools/train/rows.h"

namespace {

// Row n of [B*T,C] times the mask.
void drop_row(Matrix y, ConstMatrix x, int n, const Mask& mask) {
    drop(y.row(n), x.row(n), x.cols, std::size_t(n) * std::size_t(x.cols), mask);
}

void embed(Matrix x, const ModelView& model, std::span<const int> ids, const Mask& mask) {
#pragma omp for
    for (int n = 0; n < x.rows; ++n) {
        const float* token = model.wte.row(ids[std::size_t(n)]);
        const float* position = model.wpe.row(n % model.wpe.rows);
        for (int c = 0; c < x.cols; ++c) x.row(n)[c] = token[c] + position[c];
        drop_row(x, x, n, mask);
    }
}

void gelu(Matrix y, ConstMatrix x) {
#pragma omp for
    for (int n = 0; n < x.rows; ++n)
        map(
            y.row(n), x.cols, [](Vec v) { return gelu_tanh(v); }, x.row(n));
}

// y = x + branch, dropped
void add_branch(Matrix y, ConstMatrix x, ConstMatrix branch, const Mask& mask) {
#pragma omp for
    for (int n = 0; n < x.rows; ++n) {
        drop_row(y, branch, n, mask);
        for (int c = 0; c < x.cols; ++c) y.row(n)[c] += x.row(n)[c];
    }
}

// loss = log sum exp(logits) - logits[target]
void cross_entropy(Activations& a, std::span<const int> targets) {
    const ConstMatrix logits = matrix(a.logits);
#pragma omp for
    for (int n = 0; n < logits.rows; ++n) {
        const float* row = logits.row(n);
        const float top = *std::max_element(row, row + logits.cols);
        const float total = sum(
            logits.cols, [=](Vec v) { return exp(v - top); }, row);
        a.logsumexp.at(n) = top + std::log(total);
        a.losses.at(n) = a.logsumexp.at(n) - row[targets[std::size_t(n)]];
    }
}

// What enters the block, now.x -> what leaves it, `next`: [B*T,C] -> [B*T,C]
void block_forward(Matrix next, Activations& a, BlockActivations& now, const BlockView& h,
                   const PackedBlock& w, const BlockMasks& masks) {
    const Matrix projected = matrix(a.projected);
    layer_norm(matrix(now.ln_1), matrix(now.x), h.ln_1.g, h.ln_1.b, kEpsilon, a.workspace);
    linear(matrix(now.qkv), matrix(now.ln_1), w.c_attn.w, h.c_attn.b, a.workspace);
    attention(matrix(now.mixed), now.weights, matrix(now.qkv), masks.attention_weights,
              a.workspace);
    linear(projected, matrix(now.mixed), w.attn_c_proj.w, h.attn_c_proj.b, a.workspace);
    add_branch(matrix(now.x_between), matrix(now.x), projected, masks.attention_output);

    layer_norm(matrix(now.ln_2), matrix(now.x_between), h.ln_2.g, h.ln_2.b, kEpsilon, a.workspace);
    linear(matrix(now.c_fc), matrix(now.ln_2), w.c_fc.w, h.c_fc.b, a.workspace);
    gelu(matrix(now.gelu), matrix(now.c_fc));
    linear(projected, matrix(now.gelu), w.mlp_c_proj.w, h.mlp_c_proj.b, a.workspace);
    add_branch(next, matrix(now.x_between), projected, masks.mlp_output);
}

void pack(PackedLinear& packed, ConstMatrix w) {
    pack(packed.w, w, false);
    pack(packed.w_transposed, w, true);
}

}  // namespace

Matrix matrix(Tensor& t) {
    const int cols = t.shape[t.shape.rank - 1];
    return {t.data.data(), int(t.shape.elements() / std::size_t(cols)), cols, cols};
}
ConstMatrix matrix(const Tensor& t) { return matrix(const_cast<Tensor&>(t)); }

Activations::Activations(const ModelShape& shape, int B, int threads) {
    const int N = B * shape.T, C = shape.C;
    const Tensor stream({N, C});
    for (int l = 0; l < shape.L; ++l)
        h.push_back({.x = stream,
                     .ln_1 = stream,
                     .qkv = Tensor({N, 3 * C}),
                     .weights = attention_weights(B, shape.H, shape.T),
                     .mixed = stream,
                     .x_between = stream,
                     .ln_2 = stream,
                     .c_fc = Tensor({N, 4 * C}),
                     .gelu = Tensor({N, 4 * C})});
    x = ln_f = projected = stream;
    logits = Tensor({N, shape.V});
    logsumexp = losses = Tensor({N});
    reserve_for_attention(workspace, shape.T, shape.D(), threads);
}

void pack(PackedModel& packed, const ModelView& model) {
    for (std::size_t l = 0; l < model.h.size(); ++l) {
        PackedBlock& p = packed.h[l];
        const BlockView& h = model.h[l];
        pack(p.c_attn, h.c_attn.w);
        pack(p.attn_c_proj, h.attn_c_proj.w);
        pack(p.c_fc, h.c_fc.w);
        pack(p.mlp_c_proj, h.mlp_c_proj.w);
    }
    pack(packed.lm_head.w, model.wte, true);
    pack(packed.lm_head.w_transposed, model.wte, false);
}

void forward(Activations& a, const ModelView& model, const PackedModel& packed, const Batch& batch,
             const Dropout& dropout) {
    embed(matrix(a.h[0].x), model, batch.ids, dropout.embedding());
    for (std::size_t l = 0; l < a.h.size(); ++l)
        block_forward(matrix(l + 1 < a.h.size() ? a.h[l + 1].x : a.x), a, a.h[l], model.h[l],
                      packed.h[l], dropout.block(int(l)));
    layer_norm(matrix(a.ln_f), matrix(a.x), model.ln_f.g, model.ln_f.b, kEpsilon, a.workspace);
    linear(matrix(a.logits), matrix(a.ln_f), packed.lm_head.w, nullptr, a.workspace);
    cross_entropy(a, batch.targets);
}
