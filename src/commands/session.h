// What every command starts from: the options that all share, the model they name, and the text or
// the token ids to work on. Each part is loaded when it is first asked for.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/options.h"
#include "commands/input.h"
#include "model/folder.h"
#include "model/tokenizer_files.h"
#include "model/transformer.h"
#include "model/weights.h"

class Session {
public:
    Session(std::string_view command, std::string_view summary, std::vector<std::string> words);

    // A command adds its own options here, then calls parse, which adds those that all share. False
    // where --help was asked for, and printed: the usage, the options, then `notes`.
    Options options;
    enum class Takes { text, nothing };
    bool parse(std::string_view notes, Takes takes = Takes::text);

    bool json() const { return json_; }
    int threads() const;
    const std::string& dtype() const { return dtype_; }
    // What --dtype has the weights held as; nothing for what each is in the file.
    std::optional<PackedType> weight_type() const;

    bool is_builtin() const { return model_.empty(); }
    const Folder& folder();
    const Config& config();
    const Weights& weights();  // the first time its warnings go to stderr
    const std::vector<std::string>& warnings() const { return warnings_; }
    // Refuses a file of weights that has changed since it was opened.
    void check_files() const;
    // The fast path over the weights, held as --dtype says. Takes them: weights() reads them anew.
    Transformer transformer();
    // The same on so many threads, over weights of its own.
    Transformer transformer(int threads);
    // How far its logits may be from the page's, times the largest.
    double tolerance() const;
    // Null where the folder has none, or one that is refused; tokenizer() then throws Error.
    const Tokenizer* find_tokenizer();
    const Tokenizer& tokenizer();

    bool has_input() const { return text_ || !id_lists_.empty(); }
    bool has_text() const { return text_.has_value(); }
    // The text, from the argument, -f or standard input. Throws UsageError where there is none.
    const std::string& text() const;
    // The file that the text is from, as an error names it; empty for an argument.
    const std::string& source() const { return source_; }
    // Every --ids, none of them outside 0 .. limit - 1.
    std::vector<Ids> id_lists(int limit) const;
    // Every --ids, or else the tokens of the text.
    std::vector<Ids> sequences();
    // The tokens of a text. Refuses those that the model has no row for, and what cannot be
    // encoded, naming the source.
    Ids encode(std::string_view text, std::string_view source = "");

    // The tokens that end a text, by config.json or else the tokenizer's <|endoftext|>.
    Ids ends_of_text();
    // The first of them.
    std::optional<int> end_of_text();
    // What an empty text starts from: the end-of-text token, or else a line feed.
    int start_token();
    // The tokens that may be sampled, the first so many: rows past the tokenizer are padding.
    int candidates();
    // The bytes that a token stands for; none where no tokenizer knows it.
    std::string_view piece(int id);
    // ["…",…], or null where the folder has no tokenizer.
    std::string json_pieces(const Ids& ids);

private:
    void add_text_options();
    void add_shared_options();
    void take_text(const std::vector<std::string>& rest);
    void collect_warnings();

    std::string_view command_, summary_;
    std::vector<std::string> words_;
    std::string model_, dtype_ = "auto", file_, source_;
    std::vector<std::string> id_lists_;
    std::optional<int> threads_;
    std::optional<std::string> text_;
    bool json_ = false, help_ = false;

    std::vector<std::string> warnings_;
    std::optional<Folder> folder_;
    std::optional<Config> config_;
    std::optional<Weights> weights_;
    std::optional<std::optional<Tokenizer>> tokenizer_;  // whether looked for, whether found
    std::string refusal_;                                // why not, where one is there
};
