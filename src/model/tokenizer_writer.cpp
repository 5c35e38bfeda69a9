#include "model/tokenizer_writer.h"
#include <algorithm>
#include "base/error.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "text/byte_characters.h"
#include "text/unicode.h"

namespace {

bool is_one_character(std::string_view piece) {
    return first_character(piece).size == piece.size();
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const int size = utf8_length(text);
        if (size == 0) return false;
        text.remove_prefix(std::size_t(size));
    }
    return true;
}

// Members of a JSON object, one a line.
class Members {
public:
    void add(const std::string& key, const std::string& value) {
        text_ += cat(text_.empty() ? "" : ",", "\n", json_quote(key), ": ", value);
    }
    std::string text() const { return "{" + text_ + "\n}\n"; }

private:
    std::string text_;
};

// By id: whether it is an added token's.
std::vector<bool> added_ids(const Vocabulary& vocabulary) {
    std::vector<bool> added(vocabulary.pieces.size());
    for (const AddedToken& token : vocabulary.added)
        if (std::size_t(token.id) < added.size()) added[std::size_t(token.id)] = true;
    return added;
}

// {"piece": id}
std::string vocab_json(const Vocabulary& vocabulary) {
    const auto added = added_ids(vocabulary);
    Members members;
    for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id)
        if (!vocabulary.pieces[id].empty() && !added[id])
            members.add(to_byte_characters(vocabulary.pieces[id]), std::to_string(id));
    for (const AddedToken& token : vocabulary.added)
        members.add(token.text, std::to_string(token.id));
    return members.text();
}

// {"id": "piece"}
std::string plain_vocab_json(const Vocabulary& vocabulary) {
    const auto added = added_ids(vocabulary);
    Members members;
    for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id)
        if (const std::string& piece = vocabulary.pieces[id]; !piece.empty() && !added[id])
            members.add(std::to_string(id), json_quote(piece));
    for (const AddedToken& token : vocabulary.added)
        members.add(std::to_string(token.id), json_quote(token.text));
    return members.text();
}

std::string merges_txt(const Vocabulary& vocabulary) {
    std::string text = "#version: 0.2\n";
    for (const auto& [left, right] : vocabulary.merges)
        text += cat(to_byte_characters(left), " ", to_byte_characters(right), "\n");
    return text;
}

// Which tokens are added, and which of them special; <|endoftext|> is known to be.
std::string tokenizer_config(const Vocabulary& vocabulary) {
    const auto flag = [](bool set) { return set ? "true" : "false"; };
    Members tokens;
    for (const AddedToken& token : vocabulary.added)
        tokens.add(std::to_string(token.id),
                   cat("{\"content\": ", json_quote(token.text), ", \"lstrip\": false, ",
                       "\"normalized\": ", flag(token.normalized),
                       ", \"rstrip\": false, \"single_word\": false, \"special\": ",
                       flag(token.special), "}"));
    Members config;
    config.add("tokenizer_class", "\"GPT2Tokenizer\"");
    config.add("added_tokens_decoder", tokens.text());
    return config.text();
}

}  // namespace

bool lacks_merges(const Vocabulary& vocabulary) {
    if (!vocabulary.merges.empty()) return false;
    const auto added = added_ids(vocabulary);
    for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id)
        if (const std::string& piece = vocabulary.pieces[id];
            !piece.empty() && !is_one_character(piece) && !added[id])
            return true;
    return false;
}

std::vector<TextFile> tokenizer_files(const Vocabulary& vocabulary) {
    std::vector<TextFile> files;
    if (!lacks_merges(vocabulary)) {
        files.push_back({"vocab.json", vocab_json(vocabulary)});
        files.push_back({"merges.txt", merges_txt(vocabulary)});
    } else if (std::all_of(vocabulary.pieces.begin(), vocabulary.pieces.end(), is_utf8)) {
        files.push_back({"vocab.json", plain_vocab_json(vocabulary)});
    } else {
        return files;
    }
    const auto is_known = [](const AddedToken& token) {
        return token.text == "<|endoftext|>" && token.special;
    };
    if (!std::all_of(vocabulary.added.begin(), vocabulary.added.end(), is_known))
        files.push_back({"tokenizer_config.json", tokenizer_config(vocabulary)});
    return files;
}
