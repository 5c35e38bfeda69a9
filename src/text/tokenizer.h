// GPT-2's tokenizer: byte-level byte-pair encoding, exact. Text becomes token ids, and token ids
// become the very same bytes.
#pragma once
#include <functional>
#include <map>
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

    // How to read special tokens that stand in a text. Other added tokens are always tokens.
    enum class Special { as_tokens, as_text };

    // Refuses a character that the vocabulary has no piece for, with where it stands.
    std::vector<int> encode(std::string_view text, Special special = Special::as_tokens) const;

    // The bytes of one token; none for an id that is a gap. Refuses ids outside 0 .. size() - 1.
    const std::string& piece(int id) const;
    std::string decode(std::span<const int> ids) const;

    // The id of the added token, or else of the piece, with exactly these bytes.
    std::optional<int> find(std::string_view text) const;

private:
    Pieces pieces_;
    MergeTable merges_;
    // What a text is searched for, one after the other.
    struct Passes {
        AddedTokens first, normalized;

        Passes(const std::vector<AddedToken>& added, Special special);
    };
    std::map<std::string, int, std::less<>> added_;  // ids by text
    Passes all_;
    std::optional<Passes> not_special_;  // where that is less
};
