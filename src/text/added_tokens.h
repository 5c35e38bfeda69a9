// Tokens that a text is searched for as they stand, before the rest of it is split into words.
#pragma once
#include <array>
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

    // The longest token that text begins with; null where there is none.
    const AddedToken* at_start(std::string_view text) const;

    // The first place of text, from `from` on, where a token begins; its size where there is none.
    std::size_t next(std::string_view text, std::size_t from) const;

private:
    std::vector<AddedToken> sorted_;  // by text
    std::array<bool, 256> begins_{};  // by the first byte of a token
};
