// The forward pass that keeps what the backward pass needs. Its arithmetic is that of inference,
// plus dropout.
#pragma once
#include <span>
#include <vector>
#include "kernels/linear.h"
#include "tools/train/dropout.h"
#include "tools/train/model.h"

// Some sequences of T tokens, row after row, and the token that follows each: [B*T] each.
struct Batch {
    std::vector<int> ids, targets;
};

// The products' weights as the kernels want them: w for y = x w, w_transposed for dx = dy wT.
struct PackedLinear {
    PackedMatrix w, w_transposed;

    PackedLinear(int in, int out)
        : w(in, out, PackedType::f32), w_transposed(out, in, PackedType::f32) {}
};
struct PackedBlock {
    PackedLinear c_attn, attn_c_proj, c_fc, mlp_c_proj;

    explicit PackedBlock(int C)
        : c_attn(C, 3 * C), attn_c_proj(C, C), c_fc(C, 4 * C), mlp_c_proj(4 * C, C) {}
};
struct PackedModel {
    std::vector<PackedBlock> h;
    PackedLinear lm_head;  // w is wteT

    explicit PackedModel(const ModelShape& shape) : lm_head(shape.C, shape.V) {
        for (int l = 0; l < shape.L; ++l) h.emplace_back(shape.C);
    }
};

// Everything that a batch leaves behind, named after the step that made it.
struct BlockActivations {
    Tensor x;          // [B*T,C] what enters
    Tensor ln_1;       // [B*T,C]
    Tensor qkv;        // [B*T,3C]
    Tensor weights;    // [B,H,T,T], its rows widened to whole panels
    Tensor mixed;      // [B*T,C]
    Tensor x_between;  // [B*T,C] with attention's part added
    Tensor ln_2;       // [B*T,C]
    Tensor c_fc;       // [B*T,4C] before GELU
    Tensor gelu;       // [B*T,4C]
};
struct Activations {  // of at least one block
    std::vector<BlockActivations> h;
    Tensor x;          // [B*T,C] what leaves the last block
    Tensor ln_f;       // [B*T,C]
    Tensor logits;     // [B*T,V]
    Tensor logsumexp;  // [B*T]
    Tensor losses;     // [B*T] in nats
    Tensor projected;  // [B*T,C] what a block is about to add
    Workspace workspace;

    Activations(const ModelShape& shape, int B, int threads);
};

Matrix matrix(Tensor& t);
ConstMatrix matrix(const Tensor& t);

// All of these are run by every thread of a team, which shares the loops out.

// After each change of the weights.
void pack(PackedModel& packed, const ModelView& model);

// ids [B*T] -> logits [B*T,V], losses [B*T].
void forward(Activations& a, const ModelView& model, const PackedModel& packed, const Batch& batch,
             const Dropout& dropout);
