// A GGUF file of llama.cpp's architecture "gpt2".
#pragma once
#include "tools/convert/checkpoint.h"

namespace convert {

Checkpoint read_gguf(File file);

}  // namespace convert
