// Tokens that a text is searched for as they stand, before the rest of it is split into words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

struct AddedToken {
    std::string text;
    int id;
    bool special;  // a sign to the model, as <|endoftext|> is, that plain text does not contain
    bool normalized = false;  // looked for only in what those that are not have left
};

class AddedTokens {
public:
    // Refuses an empty text, and one text twice.
    explicit AddedTokens(std::vector<AddedToken> tokens);

    // The token with exactly this text; null where there is none.
    const AddedToken* find(std::string_view text) const;

    // How to read special tokens that stand in a text. Other added tokens are always tokens.
    enum class Special { as_tokens, as_text };

    struct Found {
        std::size_t at;
        const AddedToken* token;
    };
    // The tokens in a text, in order: the leftmost, the longest that begins there, and so on behind
    // it. Time grows with the text alone, however long the tokens are.
    std::vector<Found> search(std::string_view text, Special special) const;

private:
    // What the texts of some tokens end with; a child has one byte more before it. (It is the
    // automaton of Aho and Corasick 1975, run from the last byte of a text to the first: what ends
    // at a place for them begins there for us.)
    struct Node {
        char byte;            // the first
        std::size_t shorter;  // the longest other node that this one starts with
        std::size_t token;    // the longest that it starts with, in tokens_; or kNone
        std::size_t plain;    // the same of those that are not special
        std::size_t first;    // of the children, by byte; the next node's lie behind them
    };
    static constexpr std::size_t kNone = std::size_t(-1);

    void add_nodes();
    std::size_t child(std::size_t node, char byte) const;
    std::size_t longest(std::size_t node, char byte) const;

    std::vector<AddedToken> tokens_;  // by text, read from its last byte
    std::vector<Node> nodes_;         // the shorter first; node 0 is empty, and the last is none
};
