// GPT-2's tokenizer: byte-level byte-pair encoding, exact. Text becomes token ids, and token ids
// become the very same bytes.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "text/added_tokens.h"
#include "text/merges.h"
#include "text/pieces.h"
#include "text/utf8_stream.h"

// What a tokenizer is made of, in raw bytes.
struct Vocabulary {
    std::vector<std::string> pieces;                          // by id; gaps are empty
    std::vector<std::pair<std::string, std::string>> merges;  // by rank
    std::vector<AddedToken> added;
};

class Tokenizer {
public:
    // Refuses: a piece twice; an added token that is empty, there twice, or whose id is another
    // piece's or far beyond the rest; a merge that is not of two pieces into a third; pieces that
    // only merges make, and no merges.
    explicit Tokenizer(Vocabulary vocabulary);

    int size() const { return pieces_.size(); }  // one more than the largest id

    using Special = AddedTokens::Special;

    // Refuses a character that the vocabulary has no piece for, with where it stands.
    std::vector<int> encode(std::string_view text, Special special = Special::as_tokens) const;

    // The bytes of one token; none for an id that is a gap. Refuses ids outside 0 .. size() - 1.
    const std::string& piece(int id) const;
    std::string decode(std::span<const int> ids) const;

    // The id of the added token, or else of the piece, with exactly these bytes.
    std::optional<int> find(std::string_view text) const;

private:
    void require_merges() const;
    const AddedToken* added_token(std::string_view text) const;

    Pieces pieces_;
    MergeTable merges_;
    AddedTokens not_normalized_, normalized_;  // what a text is searched for, in this order
};
