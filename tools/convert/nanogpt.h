// nanoGPT's ckpt.pt, and the meta.pkl of its character-level data sets.
#pragma once
#include <optional>
#include <string>
#include "tools/convert/checkpoint.h"
#include "tools/convert/torch_file.h"

namespace convert {

// Whether the file's pickle is what nanoGPT's train.py saves: {"model": ..., "model_args": ...}.
bool is_nanogpt(const TorchFile& torch);

// The checkpoint, with the characters of a meta.pkl beside it. `torch` is what `file` holds.
Checkpoint read_nanogpt(File file, const TorchFile& torch);

// The pieces by id of a meta.pkl, {"itos": {id: piece}} or {"stoi": {piece: id}}.
Vocabulary read_meta(const File& file);

}  // namespace convert
