// A Hugging Face folder: config.json beside model.safetensors or pytorch_model.bin, whole or in
// shards.
#pragma once
#include <string>
#include "tools/convert/checkpoint.h"

namespace convert {

// `path` is the folder, or the file of weights in it.
Checkpoint read_hugging_face(const std::string& path);

}  // namespace convert
