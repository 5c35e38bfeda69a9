// What a model would say if it stopped early: its final LayerNorm and head, applied to the residual
// stream as it stands after any block (nostalgebraist 2020, "the logit lens").
#pragma once
#include <span>
#include <vector>
#include "base/tensor.h"
#include "model/weights.h"

struct Guess {
    int id = 0;
    float probability = 0;
};

// Ids of the `count` highest logits, the highest first; of equal ones the lower id.
std::vector<int> highest_ids(std::span<const float> logits, std::size_t count);

// The `count` likeliest tokens, likeliest first; of equal ones the lower id. Throws Error where a
// logit is not finite.
std::vector<Guess> likeliest(std::span<const float> logits, int count);

class Lens {
public:
    // Only ids below `candidates` are guessed: rows past the tokenizer are padding.
    Lens(const Weights& weights, int candidates);

    // The likeliest next tokens at each position of the stream x [1,T,C]. After the last block they
    // are the model's own.
    std::vector<std::vector<Guess>> read(const Tensor& x, int count) const;

private:
    Norm ln_f_;
    float epsilon_;
    Tensor head_;  // [C,V]
    int candidates_;
};
