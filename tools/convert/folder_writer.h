// Writes a checkpoint as a Hugging Face folder: whole, or not at all.
#pragma once
#include <optional>
#include <string>
#include "tools/convert/checkpoint.h"

namespace convert {

// Refuses a path that is there, unless it is an empty folder.
void check_free(const std::string& path);

// Each tensor is stored as `type`, where that is given. Completes the checkpoint's config and
// notes, and reads back what it wrote before it stands under its name.
void write_folder(const std::string& path, Checkpoint& checkpoint, std::optional<NumberType> type);

}  // namespace convert
