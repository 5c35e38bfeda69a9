// A tokenizer's vocabulary while its files are read, one statement after the other, each checked
// against those before: added tokens and merges first, then the pieces.
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include "formats/json.h"
#include "text/tokenizer.h"

// Whether a setting changes nothing: absent, null, false, 0 or an empty string.
bool is_off(const Json* setting);

// Throws Error, with its name, where one of these settings is not off.
void refuse_settings(const Json& json, std::initializer_list<const char*> names);

// The token id that text is, in decimal.
int parse_id(const std::string& text);

// A merge in GPT-2's alphabet for bytes, as bytes: two pieces with a space between them.
std::pair<std::string, std::string> read_merge(std::string_view both);

class VocabularyDraft {
public:
    // GPT-2's <|endoftext|> is special, whether or not a file says so.
    VocabularyDraft() { add_token("<|endoftext|>", -1, true); }

    // An added token; id -1 where the pieces are to say it. One that gets no id in the end is none.
    // Unless told otherwise, it is normalized if it is not special.
    void add_token(const std::string& text, int id, bool special,
                   std::optional<bool> normalized = {});
    // The same from its mere text, or from its description: {"content": ..., "special": ...}.
    void add_token(const Json& json, int id, bool special);

    // In GPT-2's alphabet for bytes, by rank: two pieces, or both with a space between them.
    void add_merge(std::string_view left, std::string_view right);
    void add_merge(std::string_view both) { vocabulary_.merges.push_back(read_merge(both)); }

    // {"piece": id} in the alphabet for bytes, or {"id": "piece"} in plain text, where pieces of
    // several characters become added tokens, since no merges make them.
    void add_pieces(const Json& json);

    Tokenizer finish();

private:
    void add_piece(int id, const std::string& text, bool plain);
    void place(int id, std::string piece);
    void make_room(int id);

    Vocabulary vocabulary_;
    std::map<std::string, AddedToken> added_;  // by text
    std::size_t entries_ = 0;                  // of all that may have an id
};
