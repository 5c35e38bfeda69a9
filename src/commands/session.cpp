#include "commands/session.h"
#include <algorithm>
#include <new>
#include <utility>
#include "base/in_file.h"
#include "base/threads.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "model/builtin.h"

namespace {

// The folder's weights, for which there may be no memory a second time.
Transformer pack(const Folder& folder, Weights weights, std::optional<PackedType> type,
                 int threads) {
    try {
        return Transformer(std::move(weights), type, threads);
    } catch (const std::bad_alloc&) {
        throw Error(cat(folder.name(), ": out of memory for its weights"));
    }
}

}  // namespace

Session::Session(std::string_view command, std::string_view summary, std::vector<std::string> words)
    : command_(command), summary_(summary), words_(std::move(words)) {}

void Session::add_text_options() {
    options.add("-f, --file FILE", file_, "read the text from a file; - is standard input");
    options.add("--ids 1,2,3", id_lists_, "token ids in place of a text; again for a batch");
}

void Session::add_shared_options() {
    options.add("-m, --model PATH", model_,
                "a Hugging Face folder, a .safetensors file beside its\n"
                "config.json, or a name to look for in ./weights and in\n"
                "Hugging Face's cache [the model inside the program]");
    options.add("--dtype TYPE", dtype_,
                "f32, bf16, q8, q4 (embeddings and head q8), or what\nthe file holds");
    options.add("-t, --threads N", threads_, 1, 1024, "share the work [one thread a core]");
    options.add_flag("--json", json_, "the result as JSON");
    options.add_flag("-h, --help", help_, "this text");
}

bool Session::parse(std::string_view notes, Takes takes) {
    const std::string own = options.help();
    if (takes == Takes::text) add_text_options();
    add_shared_options();
    const std::vector<std::string> rest = options.parse(words_);
    if (help_) {
        print(cat("gpt ", command_, ": ", summary_, "\n\nusage: gpt ", command_, " [OPTIONS]",
                  takes == Takes::text ? " [TEXT]" : "", "\n\n", own, own.empty() ? "" : "\n",
                  options.help().substr(own.size()), "\n", notes));
        return false;
    }
    weight_type();  // which refuses what is none
    if (takes == Takes::nothing && !rest.empty())
        throw UsageError(
            cat("gpt ", command_, " takes no text, found '", cut(on_one_line(rest[0]), 40), "'"));
    take_text(rest);
    return true;
}

void Session::take_text(const std::vector<std::string>& rest) {
    const bool from_file = !file_.empty();
    if (rest.size() > 1)
        throw UsageError(cat("one text expected, found ", rest.size(), " words: put it in quotes"));
    if (rest.size() + from_file + !id_lists_.empty() > 1)
        throw UsageError("a text, --file and --ids exclude one another");
    if (!rest.empty() && rest[0] == "-") file_ = "-";
    if (!file_.empty()) {
        text_ = read_bytes(file_);
        source_ = input_name(file_);
    } else if (!rest.empty()) {
        text_ = rest[0];
    }
}

std::optional<PackedType> Session::weight_type() const {
    if (dtype_ == "auto") return std::nullopt;
    for (const auto type : {PackedType::f32, PackedType::bf16, PackedType::q8, PackedType::q4})
        if (dtype_ == name_of(type)) return type;
    throw UsageError(cat("--dtype is auto, f32, bf16, q8 or q4, not '", dtype_, "'"));
}

int Session::threads() const { return threads_.value_or(default_threads()); }

const Folder& Session::folder() {
    if (!folder_) folder_ = is_builtin() ? builtin_model() : find_model(model_);
    return *folder_;
}

const Config& Session::config() {
    if (!config_) weights();
    return *config_;
}

const Weights& Session::weights() {
    if (!weights_) {
        weights_ = load_weights(folder());
        if (!config_) {
            config_ = weights_->config;
            collect_warnings();
            for (const std::string& warning : warnings_)
                note(cat("gpt: warning: ", folder().name(), ": ", on_one_line(warning), "\n"));
        }
    }
    return *weights_;
}

void Session::collect_warnings() {
    warnings_ = weights_->warnings;
    if (const Tokenizer* const known = find_tokenizer()) {
        if (const std::string what = size_mismatch(*known, *config_); !what.empty())
            warnings_.push_back(what);
    } else if (!refusal_.empty()) {
        if (text_ && !text_->empty()) tokenizer();  // whose error says it once
        warnings_.push_back("token ids only: " + refusal_);
    }
}

void Session::check_files() const {
    if (!weights_) return;
    for (const File& file : weights_->files) file.check_unchanged();
}

Transformer Session::transformer() {
    weights();
    Transformer model = pack(folder(), std::move(*weights_), weight_type(), threads());
    weights_.reset();
    return model;
}

Transformer Session::transformer(int threads) {
    return pack(folder(), load_weights(folder()), weight_type(), threads);
}

double Session::tolerance() const {
    const std::optional<PackedType> type = weight_type();
    if (!type || *type == PackedType::f32) return 2e-5;
    return *type == PackedType::bf16 ? 0.02 : *type == PackedType::q8 ? 0.05 : 0.5;
}

const Tokenizer* Session::find_tokenizer() {
    if (!tokenizer_) {
        try {
            tokenizer_ = load_tokenizer(folder());
        } catch (const Error& e) {
            tokenizer_.emplace();
            refusal_ = e.what();
        }
    }
    return *tokenizer_ ? &**tokenizer_ : nullptr;
}

const Tokenizer& Session::tokenizer() {
    if (const Tokenizer* const found = find_tokenizer()) return *found;
    if (!refusal_.empty()) throw Error(refusal_);
    throw Error(cat(folder().name(),
                    ": no tokenizer.json, nor vocab.json and merges.txt, so there is "
                    "no text; token ids work: --ids 1,2,3"));
}

const std::string& Session::text() const {
    if (text_) return *text_;
    throw UsageError(
        "nothing to read: a text, --file FILE, - for standard input, or --ids is needed");
}

std::vector<Ids> Session::id_lists(int limit) const {
    std::vector<Ids> lists;
    for (const std::string& list : id_lists_) lists.push_back(parse_ids(list, limit));
    return lists;
}

std::vector<Ids> Session::sequences() {
    if (id_lists_.empty()) return {encode(text(), source_)};
    return id_lists(config().vocab_size);
}

Ids Session::encode(std::string_view text, std::string_view source) {
    const Tokenizer& known = tokenizer();
    const Ids ids = in_file(source, [&] { return known.encode(text); });
    for (const int id : ids)
        if (id >= config().vocab_size)
            throw Error(cat(folder().name(), ": the tokenizer makes '", on_one_line(piece(id)),
                            "' token ", id, ", the model has ", config().vocab_size, " tokens"));
    return ids;
}

Ids Session::ends_of_text() {
    Ids ids = config().eos_token_ids;
    if (!ids.empty()) return ids;
    const Tokenizer* const known = find_tokenizer();
    const std::optional<int> special = known ? known->find("<|endoftext|>") : std::nullopt;
    if (special && *special < config().vocab_size) ids.push_back(*special);
    return ids;
}

std::optional<int> Session::end_of_text() {
    const Ids ends = ends_of_text();
    return ends.empty() ? std::nullopt : std::optional(ends[0]);
}

int Session::start_token() {
    if (const auto end = end_of_text()) return *end;
    const Tokenizer* const known = find_tokenizer();
    const auto line_feed = known ? known->find("\n") : std::nullopt;
    if (line_feed && *line_feed < config().vocab_size) return *line_feed;
    throw Error(cat(folder().name(), ": the model's ", config().vocab_size,
                    " tokens have no end-of-text token and no line feed to start an empty text "
                    "from"));
}

int Session::candidates() {
    const Tokenizer* const known = find_tokenizer();
    return std::min(config().vocab_size, known ? known->size() : config().vocab_size);
}

std::string_view Session::piece(int id) {
    const Tokenizer* const known = find_tokenizer();
    return known && id < known->size() ? std::string_view(known->piece(id)) : "";
}

std::string Session::json_pieces(const Ids& ids) {
    if (!find_tokenizer()) return "null";
    return json_list(ids, [&](int id) { return json_quote(piece(id)); });
}
