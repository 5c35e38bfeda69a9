// Finds out what a checkpoint is, and reads it.
#pragma once
#include <string>
#include "tools/convert/checkpoint.h"

namespace convert {

// A file of nanoGPT, llm.c, llama.cpp or PyTorch, a .safetensors file, or a folder with such files.
// Throws Error, with the file's name, where it is none of these or anything in it is not as it
// should be.
Checkpoint read_checkpoint(const std::string& path);

}  // namespace convert
