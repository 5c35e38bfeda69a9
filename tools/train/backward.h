// The backward pass: from the loss to the gradient of every parameter, each step of the forward
// pass undone by the function that stands beside its mathematics. A gradient of the loss is named
// after its tensor, with a d before it.
#pragma once
#include <vector>
#include "tools/train/forward.h"
#include "tools/train/rows.h"

// What passes from one step to the one before it, and room that the products need.
struct Gradients {
    Tensor d_logits;  // [B*T,V]
    Tensor d_x;       // [B*T,C] along the residual stream
    Tensor d_branch;  // [B*T,C] of what a block adds, or of what its branch read
    Tensor d_mixed;   // [B*T,C]
    Tensor d_qkv;     // [B*T,3C]
    Tensor d_inner;   // [B*T,4C]
    std::vector<PackedMatrix> packed_dy;  // [B*T,out], one for each number of outputs
    Workspace workspace;
    std::vector<Moments> moments;  // [B*T] of a LayerNorm's input

    Gradients(const ModelShape& shape, int B, int threads);
    PackedMatrix& packed_for(int out);
};

// After forward(): the mean loss of the batch -> its gradient `d`, all of which is overwritten.
// Run by all threads of a team. `room` holds nothing from one call to the next.
void backward(const ModelView& d, Gradients& room, const Activations& a, const ModelView& model,
              const PackedModel& packed, const Batch& batch, const Dropout& dropout);
