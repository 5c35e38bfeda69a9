// Learns a byte-level byte-pair encoding (Gage 1994, Sennrich et al. 2016) from a text, on GPT-2's
// split into words.
#pragma once
#include <string_view>
#include <vector>
#include "text/tokenizer.h"

inline constexpr const char* kEndOfText = "<|endoftext|>";

// A vocabulary of `size` pieces: the 256 bytes in GPT-2's order, then what merges make, each time
// of the two neighbours that are most frequent in the text so far (the lower ids on a tie), and
// last kEndOfText. Refuses a size that the text has not enough pairs for: every merge occurs at
// least twice.
Vocabulary learn_bpe(std::string_view text, int size);

// GPT-2's order of the bytes: those that print, then the rest.
std::vector<unsigned char> byte_order();

// The two tokens that a merge made into one.
struct Halves {
    int left = -1, right = -1;

    bool whole() const { return left < 0; }  // no merge made it
    bool operator==(const Halves&) const = default;
};
// By id, for a vocabulary that learn_bpe made.
std::vector<Halves> halves_of(const Vocabulary& vocabulary);
