// GPT-2 on one page, in plain loops: what to read first, and what the fast path must agree with.
#pragma once
#include <functional>
#include <span>
#include <string>
#include "base/tensor.h"
#include "model/weights.h"

namespace reference {

// Called at every step with its name ("h.0.attn.q", "ln_f", "logits", ...) and its value.
using Observer = std::function<void(const std::string& name, const Tensor& value)>;

// The names of steps so far, and who watches them.
struct Steps {
    const Observer& observer;
    std::string prefix;

    // Passes the step `name` on to the observer, and value through. A shape other than the stated
    // one is a logic error: the shapes on the page cannot go stale.
    Tensor operator()(const std::string& name, const Shape& shape, Tensor value) const;
    Steps within(const std::string& part) const { return {observer, prefix + part + "."}; }
};

// ids [B,T], row after row -> logits [B,T,V]. Refuses ids outside the vocabulary, rows of unequal
// length, and T outside 1 .. n_positions. Causal where all is finite: 0 times infinity is NaN.
Tensor forward(const Weights& weights, std::span<const int> ids, int B,
               const Observer& observer = {});

// Communication: every position reads earlier ones. x [B,T,C] -> [B,T,C] (Vaswani et al. 2017,
// section 3.2).
Tensor attention(const Tensor& x, const Block<Tensor>& block, int H, float scale,
                 const Steps& step);

// Computation: the same map at every position alone. x [B,T,C] -> [B,T,C]
Tensor mlp(const Tensor& x, const Block<Tensor>& block, Activation activation, const Steps& step);

// Block `layer` of the model, every matrix widened to floats.
Block<Tensor> block_of(const Weights& weights, int layer);

}  // namespace reference
