#include "model/vocabulary_draft.h"
#include <charconv>
#include <limits>
#include "base/in_file.h"
#include "text/byte_characters.h"
#include "text/unicode.h"

bool is_off(const Json* setting) {
    if (!setting) return true;
    switch (setting->kind()) {
        case Json::Kind::null: return true;
        case Json::Kind::boolean: return !setting->boolean();
        case Json::Kind::number: return setting->number() == 0;
        case Json::Kind::string: return setting->string().empty();
        default: return false;
    }
}

void refuse_settings(const Json& json, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (!is_off(json.find(name))) throw Error(cat(name, " is set, and is not supported"));
}

int parse_id(const std::string& text) {
    int id = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    // 1 has one spelling, so that no id is given twice.
    if (error != std::errc{} || id < 0 || std::to_string(id) != text)
        throw Error(cat(in_quotes(text), " is not a token id"));
    return id;
}

std::pair<std::string, std::string> read_merge(std::string_view both) {
    const std::size_t space = both.find(' ');
    const bool second = both.find(' ', space + 1) != both.npos;
    if (space == both.npos || space == 0 || space + 1 == both.size() || second)
        throw Error(cat("a merge is two pieces and a space between them, not ", in_quotes(both)));
    return {from_byte_characters(both.substr(0, space)),
            from_byte_characters(both.substr(space + 1))};
}

void VocabularyDraft::add_token(const std::string& text, int id, bool special,
                                std::optional<bool> normalized) {
    AddedToken& token =
        added_.try_emplace(text, AddedToken{text, -1, special, !special}).first->second;
    if (id >= 0 && token.id >= 0 && id != token.id)
        throw Error(cat(in_quotes(text), " has two ids, ", token.id, " and ", id));
    if (id >= 0) token.id = id;
    token.special |= special;
    token.normalized = normalized.value_or(token.normalized);
}

void VocabularyDraft::add_token(const Json& json, int id, bool special) {
    if (json.is(Json::Kind::string)) return add_token(json.string(), id, special);
    const std::string content = json.require("content", &Json::string);
    std::optional<bool> normalized;
    in_file(in_quotes(content), [&] {
        refuse_settings(json, {"lstrip", "rstrip", "single_word"});
        const auto find = [&](const char* name) {
            const Json* const found = json.find(name);
            const bool said = found && !found->is(Json::Kind::null);
            return said ? std::optional(json.require(name, &Json::boolean)) : std::nullopt;
        };
        special |= find("special").value_or(false);
        normalized = find("normalized");
    });
    add_token(content, id, special, normalized);
}

void VocabularyDraft::add_merge(std::string_view left, std::string_view right) {
    vocabulary_.merges.emplace_back(from_byte_characters(left), from_byte_characters(right));
}

void VocabularyDraft::add_pieces(const Json& json) {
    const Json::Object& members = json.object();
    entries_ = members.size() + added_.size();
    if (members.empty()) throw Error("there are no pieces");
    const bool plain = members[0].second.is(Json::Kind::string);
    if (plain && !vocabulary_.merges.empty())
        throw Error("merges are given, and pieces in plain text, which have none");
    const auto add = [&](const std::string& key, const Json& value) {
        if (plain)
            add_piece(parse_id(key), value.string(), true);
        else
            add_piece(int(value.integer(0, std::numeric_limits<int>::max())), key, false);
    };
    for (const auto& member : members)
        in_file([&] { return in_quotes(member.first); }, [&] { add(member.first, member.second); });
}

void VocabularyDraft::add_piece(int id, const std::string& text, bool plain) {
    const bool added = added_.contains(text);
    place(id, plain || added ? text : from_byte_characters(text));
    if (added || (plain && first_character(text).size < text.size())) add_token(text, id, false);
}

void VocabularyDraft::place(int id, std::string piece) {
    if (piece.empty()) throw Error(cat("the piece of id ", id, " is empty"));
    make_room(id);
    std::string& slot = vocabulary_.pieces[std::size_t(id)];
    if (!slot.empty())
        throw Error(cat("id ", id, " is both ", in_quotes(slot), " and ", in_quotes(piece)));
    slot = std::move(piece);
}

void VocabularyDraft::make_room(int id) {
    // Gaps are fine, but a small file must not take much memory by naming a large id.
    constexpr std::size_t kAlwaysFine = 1 << 16;
    const std::size_t least = std::size_t(id) + 1;
    if (least > kAlwaysFine + 4 * entries_)
        throw Error(cat("id ", id, " is too large for a vocabulary of ", entries_, " pieces"));
    if (least > vocabulary_.pieces.size()) vocabulary_.pieces.resize(least);
}

Tokenizer VocabularyDraft::finish() {
    for (const auto& [text, token] : added_) {
        if (token.id < 0) continue;
        make_room(token.id);
        vocabulary_.added.push_back(token);
    }
    return Tokenizer(std::move(vocabulary_));
}
