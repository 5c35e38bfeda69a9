// llm.c's checkpoints and its tokenizer file: a header of 256 numbers of 32 bits, then the content.
#pragma once
#include <string>
#include <string_view>
#include "tools/convert/checkpoint.h"

namespace convert {

// Whether the bytes begin as a checkpoint of llm.c.
bool is_llmc(std::string_view bytes);

// The checkpoint, with the pieces of a tokenizer file beside it (*tokenizer.bin).
Checkpoint read_llmc(File file);

// The pieces of a tokenizer file and, where they prove to be a byte-level BPE in the order of its
// merges, these merges too.
Vocabulary read_llmc_tokenizer(const File& file);

}  // namespace convert
