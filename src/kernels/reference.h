// Every operation of GPT-2 in plain loops and the standard maths: what to read first, and what the
// fast kernels must agree with.
#pragma once
#include <array>
#include "base/tensor.h"

// The six that config.json may name as activation_function.
enum class Activation { gelu_new, gelu, relu, silu, tanh, gelu_pytorch_tanh };

namespace reference {

// y = x w + b, at every position alone: [B,T,in] x [in,out] + [out] -> [B,T,out]
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b);

// Zero mean and unit variance over C, then times g, plus b: [B,T,C] -> [B,T,C] (Ba et al. 2016).
Tensor layer_norm(const Tensor& x, const Tensor& g, const Tensor& b, float epsilon);

// The activation of one number, and of every element of x.
float activate(float x, Activation activation);
Tensor activate(const Tensor& x, Activation activation);

// x + y, element by element.
Tensor add(const Tensor& x, const Tensor& y);

// Rows become columns: [rows,cols] -> [cols,rows]
Tensor transpose(const Tensor& x);

// The last axis cut into equal thirds: [B,T,3C] -> q, k, v [B,T,C]
std::array<Tensor, 3> split_qkv(const Tensor& x);

// Channels cut into H heads, and heads before positions: [B,T,C] -> [B,T,H,D] -> [B,H,T,D]
Tensor split_heads(const Tensor& x, int H);

// Heads side by side again: [B,H,T,D] -> [B,T,H,D] -> [B,T,C]
Tensor merge_heads(const Tensor& x);

// scale q kT, how well query t likes key j: [B,H,T,D] x [B,H,T,D] -> [B,H,T,T] (Vaswani et al.
// 2017, eq. 1).
Tensor scores(const Tensor& q, const Tensor& k, float scale);

// Which positions are legal: 0 for the past and the present (j <= t), -infinity for the future:
// [T,T]
Tensor causal_mask(int T);

// scores + mask, one mask for every sequence and head: [B,H,T,T] + [T,T] -> [B,H,T,T]
Tensor add_mask(const Tensor& scores, const Tensor& mask);

// Each row of the last axis becomes weights that sum to 1; -infinity becomes exactly 0. A row needs
// one finite element.
Tensor softmax(const Tensor& x);

// Row t of W says how position t mixes the values: W [B,H,T,T] x v [B,H,T,D] -> [B,H,T,D]
Tensor mix(const Tensor& W, const Tensor& v);

}  // namespace reference
