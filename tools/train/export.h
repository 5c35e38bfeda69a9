// The finished model as a Hugging Face folder: config.json, model.safetensors, vocab.json,
// merges.txt and README.md.
#pragma once
#include <string>
#include "text/tokenizer.h"
#include "tools/train/checkpoint.h"
#include "tools/train/model.h"
#include "tools/train/settings.h"

// Writes the folder `settings.out`, whole or not at all.
void write_model(const Settings& settings, const Vocabulary& vocabulary,
                 std::span<const float> parameters, const std::string& readme);

// Fails where write_model would fail, also where the folder exists, or the folder OUT.part in which
// it is made. Leaves nothing behind.
void check_writable(const std::string& folder);

std::string config_json(const ModelShape& shape, double dropout);
