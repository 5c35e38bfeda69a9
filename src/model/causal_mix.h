// One causal mix, four ways to make the matrix W whose row t says how position t mixes itself and
// earlier positions. Attention is the fourth: the only one whose W depends on what stands where.
#pragma once
#include <string_view>
#include "base/tensor.h"

// One head's queries, keys and values, [T,D] each. The first three mixes read the values alone.
struct HeadInput {
    Tensor q, k, v;
};

// The first T positions of head h of x [1,H,any,D]: [T,D].
Tensor one_head(const Tensor& x, int h, int T);

// Each makes y [T,D] from one head's input: row t a mix of v's rows 0 .. t.
using CausalMix = Tensor (*)(const HeadInput& head);

// The mean of v[:t+1], position after position. Correct, and slow.
Tensor loop_mean(const HeadInput& head);

// The same mean as one product W v: the lower triangle of ones, each row divided by its sum.
Tensor triangle_mean(const HeadInput& head);

// The same W once more: scores that are all 0, the mask (-infinity for the future), softmax.
Tensor softmax_mean(const HeadInput& head);

// Scores q kT / sqrt(D), the same mask, softmax: which positions are legal stays, how strongly each
// weighs now depends on content (Vaswani et al. 2017, eq. 1).
Tensor attention_mix(const HeadInput& head);

struct NamedMix {
    std::string_view name, idea;
    CausalMix mix;
};
inline constexpr NamedMix kCausalMixes[] = {
    {"loop mean", "average x[:t+1], position after position", loop_mean},
    {"triangle mean", "lower triangle of ones, rows divided by their sum, then W x", triangle_mean},
    {"mask + softmax", "scores 0, future -inf, softmax, then W x", softmax_mean},
    {"q kT", "scores q kT / sqrt(D), future -inf, softmax, then W v", attention_mix},
};

// The W of a mix, [T,T]: what it makes of the identity matrix in place of the values.
Tensor matrix_of(CausalMix mix, const HeadInput& head);

// W before legality is asked: q kT / sqrt(D), [T,T].
Tensor scaled_scores(const HeadInput& head);
