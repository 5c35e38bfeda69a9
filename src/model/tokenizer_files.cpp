#include "model/tokenizer_files.h"
#include <algorithm>
#include <limits>
#include "base/in_file.h"
#include "formats/json.h"
#include "model/vocabulary_draft.h"
#include "text/unicode.h"

namespace {

// What `read` makes of the JSON in one file of the folder. An Error gets the file's name.
template <typename Read>
auto read_json(const Folder& folder, const char* name, Read read) {
    const File file = folder.open(name);
    const Json json = parse_json(file.text(), file.name());
    return in_file(file.name(), [&] { return read(json); });
}

int read_id(const Json& json) { return int(json.integer(0, std::numeric_limits<int>::max())); }

// Calls f(entry) for each of an array. An Error gets the number of its entry, from 0 on.
template <typename F>
void for_entries(const Json& json, F f) {
    const Json::Array& entries = json.array();
    for (std::size_t i = 0; i < entries.size(); ++i)
        in_file([&] { return cat("entry ", i); }, [&] { f(entries[i]); });
}

// --- what adds tokens to either vocabulary ---

// "bos_token", "pad_token" and so on, and the list "additional_special_tokens".
void read_special_tokens(const Json& json, VocabularyDraft& draft) {
    for (const auto& member : json.object())
        in_file(member.first, [&] {
            const auto& [name, value] = member;
            const bool described = value.is(Json::Kind::string) || value.is(Json::Kind::object);
            if (name.ends_with("_token") && described) draft.add_token(value, -1, true);
            if (name == "additional_special_tokens" && value.is(Json::Kind::array))
                for_entries(value, [&](const Json& token) { draft.add_token(token, -1, true); });
        });
}

// Refuses what other classes do with vocab.json.
void require_gpt2_class(const Json& json) {
    if (is_off(json.find("tokenizer_class"))) return;
    const std::string name = json.require("tokenizer_class", &Json::string);
    for (const char* known : {"GPT2Tokenizer", "GPT2TokenizerFast", "PreTrainedTokenizerFast"})
        if (name == known) return;
    throw Error(cat("tokenizer_class ", in_quotes(name), " is not supported; GPT-2's is ",
                    in_quotes("GPT2Tokenizer")));
}

void read_tokenizer_config(const Json& json, VocabularyDraft& draft) {
    refuse_settings(json, {"add_prefix_space", "add_bos_token"});  // what a text would begin with
    read_special_tokens(json, draft);
    if (json.find("added_tokens_decoder"))
        json.require("added_tokens_decoder", [&](const Json& tokens) {
            for (const auto& member : tokens.object()) {
                const int id = parse_id(member.first);
                in_file(in_quotes(member.first),
                        [&] { draft.add_token(member.second, id, false); });
            }
        });
}

void read_added_tokens(const Folder& folder, VocabularyDraft& draft) {
    if (folder.has("special_tokens_map.json"))
        read_json(folder, "special_tokens_map.json",
                  [&](const Json& json) { read_special_tokens(json, draft); });
    if (folder.has("tokenizer_config.json"))
        read_json(folder, "tokenizer_config.json", [&](const Json& json) {
            if (!folder.has("tokenizer.json")) require_gpt2_class(json);
            read_tokenizer_config(json, draft);
        });
    if (folder.has("added_tokens.json"))
        read_json(folder, "added_tokens.json", [&](const Json& json) {
            for (const auto& member : json.object())
                draft.add_token(
                    member.first,
                    in_file(in_quotes(member.first), [&] { return read_id(member.second); }),
                    false);
        });
}

// --- tokenizer.json ---

void require_type(const Json& part, const std::string& type) {
    const std::string found = part.require("type", &Json::string);
    if (found != type)
        throw Error(
            cat("type ", in_quotes(found), " is not supported; GPT-2's is ", in_quotes(type)));
}

// Refuses what takes a text apart, or its ids together, in another way than GPT-2's.
void require_gpt2(const Json& json) {
    refuse_settings(json, {"normalizer"});
    const auto require_byte_level = [](const Json& part) { require_type(part, "ByteLevel"); };
    json.require("pre_tokenizer", [&](const Json& split) {
        require_byte_level(split);
        refuse_settings(split, {"add_prefix_space"});
        if (split.find("use_regex") && !split.require("use_regex", &Json::boolean))
            throw Error("use_regex is false, which is not supported");
    });
    for (const char* part : {"post_processor", "decoder"})
        if (!is_off(json.find(part))) json.require(part, require_byte_level);
}

void read_model(const Json& model, VocabularyDraft& draft) {
    // The files first published for GPT-2 do not name the type.
    if (model.find("type")) require_type(model, "BPE");
    refuse_settings(model, {"dropout", "byte_fallback", "ignore_merges",
                            "continuing_subword_prefix", "end_of_word_suffix"});
    model.require("merges", [&](const Json& merges) {
        for_entries(merges, [&](const Json& merge) {
            if (merge.is(Json::Kind::string))
                draft.add_merge(merge.string());
            else if (const Json::Array& pair = merge.array(); pair.size() == 2)
                draft.add_merge(pair[0].string(), pair[1].string());
            else
                throw Error(cat("a merge is two pieces, not ", pair.size()));
        });
    });
    model.require("vocab", [&](const Json& vocab) { draft.add_pieces(vocab); });
}

Tokenizer read_tokenizer_json(const Folder& folder) {
    VocabularyDraft draft;
    read_added_tokens(folder, draft);  // first: of what both say, tokenizer.json's counts
    return read_json(folder, "tokenizer.json", [&](const Json& json) {
        require_gpt2(json);
        if (json.find("added_tokens"))
            json.require("added_tokens", [&](const Json& tokens) {
                for_entries(tokens, [&](const Json& token) {
                    draft.add_token(token, token.require("id", read_id), false);
                });
            });
        json.require("model", [&](const Json& model) { read_model(model, draft); });
        return draft.finish();
    });
}

// --- vocab.json and merges.txt ---

// One merge a line. The first line may be a version; any other that begins with # is a merge.
void read_merges(const File& file, VocabularyDraft& draft) {
    std::string_view rest = file.text();
    for (std::size_t number = 1; !rest.empty(); ++number) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
        in_file([&] { return cat(file.name(), ": line ", number); },
                [&] { draft.add_merge(line); });
    }
}

Tokenizer read_vocab_and_merges(const Folder& folder) {
    VocabularyDraft draft;
    read_added_tokens(folder, draft);
    if (folder.has("merges.txt")) read_merges(folder.open("merges.txt"), draft);
    return read_json(folder, "vocab.json", [&](const Json& json) {
        draft.add_pieces(json);
        return draft.finish();
    });
}

}  // namespace

std::optional<Tokenizer> load_tokenizer(const Folder& folder) {
    if (folder.has("tokenizer.json")) return read_tokenizer_json(folder);
    if (folder.has("vocab.json")) return read_vocab_and_merges(folder);
    return std::nullopt;
}

std::string size_mismatch(const Tokenizer& tokenizer, const Config& config) {
    constexpr int kPadding = 128;  // vocabularies are often padded to a multiple of it
    const int missing = config.vocab_size - tokenizer.size();
    if (0 <= missing && missing < kPadding) return "";
    return cat("the tokenizer has ", tokenizer.size(), " tokens, the model ", config.vocab_size);
}
