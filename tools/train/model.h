// A GPT-2-shaped model in training: its parameters in one flat vector, under GPT-2's own names.
#pragma once
#include <cstddef>
#include <string>
#include <vector>
#include "base/tensor.h"

struct ModelShape {
    int L = 0, H = 0, C = 0, V = 0, T = 0;  // layers, heads, channels, vocabulary, context

    int D() const { return C / H; }
    bool operator==(const ModelShape&) const = default;
};

// Where one tensor lies among the parameters: `shape` numbers from `offset`, row after row.
struct Parameter {
    std::string name;
    Shape shape;
    std::size_t offset;
};

// All tensors in the order of the flat vector, without gaps.
std::vector<Parameter> parameters_of(const ModelShape& shape);
std::size_t count(const std::vector<Parameter>& parameters);

// The flat vector seen as tensors. Weights and their gradients have the same form.
struct NormView {
    float* g = nullptr;  // [C]
    float* b = nullptr;  // [C]
};
struct LinearView {
    Matrix w;            // [in,out]
    float* b = nullptr;  // [out]
};
struct BlockView {
    NormView ln_1;
    LinearView c_attn;       // [C,3C]
    LinearView attn_c_proj;  // [C,C]
    NormView ln_2;
    LinearView c_fc;        // [C,4C]
    LinearView mlp_c_proj;  // [4C,C]
};
struct ModelView {
    Matrix wte;  // [V,C]; also the head
    Matrix wpe;  // [T,C]
    std::vector<BlockView> h;
    NormView ln_f;
};
ModelView view(const ModelShape& shape, std::vector<float>& numbers);

// GPT-2's start: weights normal with deviation 0.02, those that write to the residual stream
// divided by sqrt(2 L) since 2 L of them add up there; biases 0, gains 1.
std::vector<float> initial_parameters(const ModelShape& shape, std::uint64_t seed);
