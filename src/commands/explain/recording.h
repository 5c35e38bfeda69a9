// What forward passes leave behind for the page of `gpt explain`: one over the text, and one for
// each token that is replaced by another.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "commands/explain/extent.h"
#include "model/lens.h"
#include "model/weights.h"

inline constexpr int kSubstitutions = 4;
inline constexpr int kLensGuesses = 3;

struct Step {
    std::string name;  // the observer's
    Tensor value;
};

// Every step of one layer, behind its input.
struct Trace {
    int layer = 0;
    std::vector<Step> steps;

    const Tensor& step(std::string_view name) const;  // "attn.q"
};

struct Recording {
    std::vector<Trace> traces;                  // of each layer that the extent says
    std::vector<std::vector<float>> attention;  // likewise: the legal weights of [H,P,P], row after
                                                // row
    std::vector<Tensor> stream;  // [1,T,C] at first, and after attention and MLP of every layer
    std::vector<Tensor> added;   // [1,T,C] that attention and MLP of every layer added to it
    std::vector<float> logits;   // [V] of the last position
    std::vector<std::vector<std::vector<Guess>>> lens;  // by block (the embedding first), position

    const Trace& trace_of(int layer) const;
};

// What replacing one token changes, by the sizes of differences at each position: exactly 0 where
// nothing changed.
struct Substitution {
    int position = 0, from = 0, to = 0;
    std::vector<std::vector<float>> stream;  // at each of Recording::stream's stages
    // In each traced layer, when the input of the attention or the MLP changes at `position` alone.
    std::vector<std::vector<float>> attention, mlp;
    std::vector<Guess> next;  // the likeliest after the last position
};

Recording record(const Weights& weights, std::span<const int> ids, const Extent& extent,
                 const Lens& lens);

// Puts `to` at `position` and runs the model again; only ids below `candidates` come next.
Substitution substitute(const Weights& weights, std::span<const int> ids, const Recording& original,
                        int position, int to, int candidates);

// The head whose rows put the most weight above the plain average, the first position left aside.
int sharpest_head(const Tensor& W);

// What is legal of [..,T,T], whose rows reach as far as the diagonal, for the first positions.
std::vector<float> legal(const Tensor& W, int positions);

// The size of x - y at each position of [1,T,C]: exactly 0 where all numbers are equal.
std::vector<float> distances(const Tensor& x, const Tensor& y);
// The size of x at each position.
std::vector<float> norms(const Tensor& x);
