// What the program says of attention, the MLP, the residual stream and its own arithmetic, put to
// the test on whatever weights are loaded.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>
#include "model/transformer.h"
#include "model/weights.h"

struct Claim {
    std::string name;     // "causality"
    std::string says;     // what is claimed
    std::string finding;  // what was measured
    bool holds = false;
};

// The claims about the model, shown on the page's forward pass over ids: that the three means
// agree, that attention is causal communication and the MLP a computation at each position alone,
// that the residual add loses nothing.
std::vector<Claim> check_model(const Weights& weights, std::span<const int> ids);

// The claims about the numbers: that the fast path agrees with the page (to `tolerance` times the
// largest logit), and gives the same bytes for any thread count, batch and cut of the sequence.
// make(n) is the fast path on n threads.
std::vector<Claim> check_numbers(const std::function<Transformer(int threads)>& make,
                                 const Weights& weights, std::span<const int> ids,
                                 double tolerance);

// The largest difference of two elements that lie at the same place; NaN where any element is.
double largest_difference(const Tensor& a, const Tensor& b);
