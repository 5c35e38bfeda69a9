// A model that says what it is told to: after token i by far the likeliest is
// next[i]. Its blocks add nothing, so the text alone decides, not the position.
#pragma once
#include <string>
#include <vector>
#include "tests/support.h"

struct TableModel {
    std::vector<std::string> pieces;  // of single bytes, or made by merges; none: no tokenizer
    std::vector<int> next;            // as many as the vocabulary has tokens
    std::vector<std::string> merges;  // "a b"
    int n_positions = 16;
    std::string end_of_text = "null";  // as config.json has it
    float strength = 10;               // of the likeliest token's logit

    // A model that goes round the letters a, b, c, ...
    static TableModel of_letters(int count);
    // The files of a Hugging Face folder.
    void write(const ScratchFolder& folder) const;
};
