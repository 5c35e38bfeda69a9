// The tokenizer of a Hugging Face folder: tokenizer.json, or else vocab.json with merges.txt, and
// the files that add tokens to either.
#pragma once
#include <optional>
#include "model/config.h"
#include "model/folder.h"
#include "text/tokenizer.h"

// Nothing where the folder has neither tokenizer.json nor vocab.json. Throws Error, with the file's
// name, where the tokenizer is not GPT-2's byte-level BPE, or has a setting that makes other ids
// than ours would be.
//
// vocab.json may also map ids to pieces, {"0": " ", "1": "a"}, as plain text: then there are no
// merges, and pieces of several characters are found in a text as they stand, the longest first.
std::optional<Tokenizer> load_tokenizer(const Folder& folder);

// Where tokenizer and model differ in size by more than the padding of a vocabulary, a line on it.
std::string size_mismatch(const Tokenizer& tokenizer, const Config& config);
