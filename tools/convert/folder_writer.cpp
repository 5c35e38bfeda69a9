#include "tools/convert/folder_writer.h"
#include <charconv>
#include <filesystem>
#include <span>
#include "base/draft_folder.h"
#include "base/path.h"
#include "base/signals.h"
#include "formats/json.h"
#include "model/tokenizer_files.h"
#include "model/tokenizer_writer.h"
#include "model/weights.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

// The shortest decimal that reads back as the same float.
std::string shortest(float value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string config_json(const Config& config) {
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    const std::vector<int>& ends = config.eos_token_ids;  // of these programs one at most
    const auto end = ends.empty() ? "null" : std::to_string(ends[0]);
    const std::pair<const char*, std::string> members[] = {
        {"model_type", "\"gpt2\""},
        {"architectures", "[\"GPT2LMHeadModel\"]"},
        {"n_layer", std::to_string(config.n_layer)},
        {"n_head", std::to_string(config.n_head)},
        {"n_embd", std::to_string(config.n_embd)},
        {"n_inner", std::to_string(config.n_inner)},
        {"n_positions", std::to_string(config.n_positions)},
        {"n_ctx", std::to_string(config.n_positions)},
        {"vocab_size", std::to_string(config.vocab_size)},
        {"activation_function", json_quote(name_of(config.activation))},
        {"layer_norm_epsilon", shortest(config.layer_norm_epsilon)},
        {"tie_word_embeddings", flag(config.tie_word_embeddings)},
        {"bos_token_id", end},
        {"eos_token_id", end}};
    std::string text;
    for (const auto& [key, value] : members)
        text += cat(text.empty() ? "{\n" : ",\n", "  \"", key, "\": ", value);
    return text + "\n}\n";
}

// What is wrong, without the draft's name.
std::string below(const std::string& folder, const Error& error) {
    const std::string what = error.what();
    return what.starts_with(folder) ? what.substr(folder.size() + 1) : what;
}

// The tokenizer's files, or a note on why there are none.
void write_tokenizer(const fs::path& folder, Checkpoint& checkpoint) {
    const Vocabulary& vocabulary = *checkpoint.vocabulary;
    auto& notes = checkpoint.notes;
    const std::size_t size = vocabulary.pieces.size();
    if (size > std::size_t(checkpoint.config.vocab_size)) {
        notes.push_back(cat("tokenizer left out: it has ", size, " pieces, and the model ",
                            checkpoint.config.vocab_size));
        return;
    }
    const auto files = tokenizer_files(vocabulary);
    if (files.empty())
        notes.push_back("tokenizer left out: it has pieces that only merges make, and no merges");
    else if (lacks_merges(vocabulary))
        notes.push_back(
            "the tokenizer has pieces of several characters and no merges: it decodes "
            "exactly, and encodes by the longest piece that fits");
    for (const TextFile& file : files) write_file((folder / file.name).string(), file.content);
}

// A tokenizer may be of another kind, or of another model, and the weights still be of use.
void check_tokenizer(const Folder& written, Checkpoint& checkpoint) {
    try {
        if (const auto tokenizer = load_tokenizer(written))
            if (const std::string what = size_mismatch(*tokenizer, checkpoint.config);
                !what.empty())
                checkpoint.notes.push_back(what);
    } catch (const Error& e) {
        checkpoint.notes.push_back(
            cat("OUT works with token ids only: ", below(written.name(), e)));
    }
}

// Whether the folder can be read. What is wrong lies in the checkpoint, so its name stands there.
void read_back(const Folder& written, Checkpoint& checkpoint) {
    try {
        for (const std::string& warning : load_weights(written).warnings)
            checkpoint.notes.push_back(warning);
        check_tokenizer(written, checkpoint);
    } catch (const Error& e) {
        throw Error(cat(checkpoint.name,
                        ": gives a folder that cannot be read: ", below(written.name(), e)));
    }
}

}  // namespace

void check_free(const std::string& path) {
    const auto status = status_of(path, "cannot be written");
    std::error_code ignored;  // what cannot be listed is there
    if (fs::exists(status) && !(fs::is_directory(status) && fs::is_empty(path_of(path), ignored)))
        throw Error(cat(path, ": is there already; name a folder that is new or empty"));
}

void write_folder(const std::string& path, Checkpoint& checkpoint, std::optional<NumberType> type) {
    check_free(path);
    auto tensors = gpt2_tensors(checkpoint, type);
    for (TensorSource& tensor : tensors)
        tensor.values = [values = std::move(tensor.values)] {
            if (interrupted()) throw Error("interrupted");
            return values();
        };
    const DraftFolder draft(path);
    for (const std::string& file : checkpoint.companions) draft.copy(file);
    const Folder written = Folder::at(draft.path().string());
    if (!written.has("config.json"))
        write_file((draft.path() / "config.json").string(), config_json(checkpoint.config));
    if (checkpoint.vocabulary) write_tokenizer(draft.path(), checkpoint);
    write_safetensors((draft.path() / "model.safetensors").string(), tensors, checkpoint.name);

    for (const File& file : checkpoint.files) file.check_unchanged();
    read_back(written, checkpoint);
    draft.publish();
}

}  // namespace convert
