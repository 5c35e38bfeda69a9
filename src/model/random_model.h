// Models of GPT-2's own sizes with random weights: for measuring where there is no file.
#pragma once
#include <optional>
#include <string_view>
#include "model/transformer.h"

// The shape that is known as 124M, 355M, 774M or 1.5B. Throws UsageError on another name.
Config gpt2_shape(std::string_view name);

// Takes no more memory than the weights as held and a few megabytes.
Transformer random_transformer(const Config& config, std::optional<PackedType> type, int threads);
