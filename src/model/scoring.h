// How likely a model finds a text: the log-probability of each token, through a window that slides.
#pragma once
#include <span>
#include <vector>
#include "model/transformer.h"

// log sum exp of the logits, in double: log p(id) is logits[id] minus this. Not finite where one of
// them is not.
double log_sum_exp(std::span<const float> logits);

// The log-probability of every token but the first, each once: ids [N] -> [N-1]. The model reads
// `window` tokens at a time. The first window predicts one token after each of them; every further
// one starts `stride` tokens later, and predicts the `stride` tokens that are new, which thus have
// at least window - stride + 1 tokens before them. 1 <= stride <= window <= n_positions. Throws
// Error where logits are not finite.
std::vector<double> log_probabilities(Transformer& model, std::span<const int> ids, int window,
                                      int stride);
