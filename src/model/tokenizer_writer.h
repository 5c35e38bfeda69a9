// A vocabulary as the tokenizer files of a Hugging Face folder.
#pragma once
#include <string>
#include <vector>
#include "text/tokenizer.h"

struct TextFile {
    std::string name, content;
};

// vocab.json and merges.txt in GPT-2's alphabet for bytes, and tokenizer_config.json where there
// are added tokens that these cannot tell. Pieces of several characters that no merges make become
// a vocab.json from ids to plain text. Nothing where that cannot hold them, as they are no UTF-8.
std::vector<TextFile> tokenizer_files(const Vocabulary& vocabulary);

// Whether pieces of several characters are there, and no merges that make them.
bool lacks_merges(const Vocabulary& vocabulary);
