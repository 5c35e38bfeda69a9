// Causal attention in training: the forward pass keeps the weights, and the backward pass follows
// them from what was mixed to what it was mixed of.
#pragma once
#include "kernels/workspace.h"
#include "tools/train/dropout.h"

// Room for the weights [B,H,T,T], each row widened to whole panels of columns.
Tensor attention_weights(int B, int H, int T);

// Makes room for what each thread of a team needs while it works on a head.
void reserve_for_attention(Workspace& workspace, int T, int D, int threads);

// With q, k, v the parts of qkv [B*T,3C], for each head: s = q kT / sqrt(D), p = softmax(s) over
// the keys that a query may see, mixed = (p dropped by the mask) v -> [B*T,C]. Keeps p in
// `weights`. Run by all threads of a team, as is the backward pass.
void attention(Matrix mixed, Tensor& weights, ConstMatrix qkv, const Mask& mask,
               Workspace& workspace);

// With m what the mask multiplies a weight by, the chain runs backwards:
//     mixed = (m p) v          dv = (m p)T dmixed,  dp = m (dmixed vT)
//     p = softmax(s)           ds = p (dp - sum over keys of p dp)
//     s = q kT / sqrt(D)       dq = ds k / sqrt(D), dk = dsT q / sqrt(D)
// d_mixed [B*T,C] -> d_qkv [B*T,3C].
void attention_backward(Matrix d_qkv, ConstMatrix d_mixed, const Tensor& weights, ConstMatrix qkv,
                        const Mask& mask, Workspace& workspace);
