// What the commands that look inside a model share.
#pragma once
#include <string>
#include <vector>
#include "commands/session.h"

// The one sequence to look at: the input's or, where there is none, a sentence of our own (or, for
// a model without a tokenizer that knows it, the first few ids).
Ids sample_sequence(Session& session);

// Each token with its white space shown, or its id where no tokenizer knows it.
std::vector<std::string> labels_of(Session& session, const Ids& ids);

// The largest number that --layer and --head take before the model is known.
inline constexpr int kMostLayers = 1 << 20;

// Throws Error, naming the step, where a number of it is infinite or none.
void check_finite(const std::string& step, const Tensor& x);

// Throws UsageError where the model has no such layer or head.
void check_layer_and_head(const Config& config, int layer, int head);
