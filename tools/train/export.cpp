#include "tools/train/export.h"
#include <filesystem>
#include "base/error.h"
#include "base/file.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "text/byte_characters.h"

namespace fs = std::filesystem;

namespace {

void write_text(const fs::path& path, const std::string& text) {
    write_file(path.string(), [&](const Append& append) {
        append(std::as_bytes(std::span(text.data(), text.size())));
    });
}

void write_weights(const fs::path& path, const Settings& settings,
                   std::span<const float> parameters) {
    std::vector<TensorSource> tensors;
    for (const Parameter& p : parameters_of(settings.shape)) {
        const auto values = parameters.subspan(p.offset, p.shape.elements());
        tensors.push_back({p.name,
                           settings.number_type(),
                           {p.shape.dim.begin(), p.shape.dim.begin() + p.shape.rank},
                           [values] { return std::vector(values.begin(), values.end()); }});
    }
    write_safetensors(path.string(), tensors);
}

fs::path draft_of(const std::string& folder) { return fs::path(folder + ".part"); }

}  // namespace

std::string config_json(const ModelShape& shape, double dropout) {
    const int end = shape.V - 1;
    const std::string p = json_number(dropout);
    return cat("{\n  \"activation_function\": \"gelu_new\",\n",
               "  \"architectures\": [\"GPT2LMHeadModel\"],\n  \"attn_pdrop\": ", p,
               ",\n  \"bos_token_id\": ", end, ",\n  \"embd_pdrop\": ", p,
               ",\n  \"eos_token_id\": ", end, ",\n  \"initializer_range\": 0.02,\n",
               "  \"layer_norm_epsilon\": 1e-05,\n  \"model_type\": \"gpt2\",\n  \"n_ctx\": ",
               shape.T, ",\n  \"n_embd\": ", shape.C, ",\n  \"n_head\": ", shape.H,
               ",\n  \"n_inner\": ", 4 * shape.C, ",\n  \"n_layer\": ", shape.L,
               ",\n  \"n_positions\": ", shape.T, ",\n  \"resid_pdrop\": ", p,
               ",\n  \"tie_word_embeddings\": true,\n  \"vocab_size\": ", shape.V, "\n}\n");
}

std::string vocab_json(const Vocabulary& vocabulary) {
    std::string text = "{";
    const auto add = [&](const std::string& piece, int id) {
        text += cat(id == 0 ? "\n" : ",\n", json_quote(piece), ": ", id);
    };
    for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id)
        add(to_byte_characters(vocabulary.pieces[id]), int(id));
    for (const AddedToken& token : vocabulary.added) add(token.text, token.id);
    return text + "\n}\n";
}

std::string merges_txt(const Vocabulary& vocabulary) {
    std::string text = "#version: 0.2\n";
    for (const auto& [left, right] : vocabulary.merges)
        text += cat(to_byte_characters(left), " ", to_byte_characters(right), "\n");
    return text;
}

void check_writable(const std::string& folder) {
    const fs::path draft = draft_of(folder);
    std::error_code error;
    if (fs::exists(folder, error))
        throw Error(cat(folder, ": is there already; move it away, or name another folder"));
    if (fs::exists(draft, error))
        throw Error(cat(draft.string(), ": is in the way; move it, or name another folder"));
    fs::create_directories(draft, error);
    if (error) throw Error(cat(folder, ": cannot be written: ", error.message()));
    fs::remove_all(draft, error);
}

void write_model(const Settings& settings, const Vocabulary& vocabulary,
                 std::span<const float> parameters, const std::string& readme) {
    const fs::path draft = draft_of(settings.out);
    fs::create_directories(draft);
    try {
        write_weights(draft / "model.safetensors", settings, parameters);
        write_text(draft / "config.json", config_json(settings.shape, settings.dropout));
        write_text(draft / "vocab.json", vocab_json(vocabulary));
        write_text(draft / "merges.txt", merges_txt(vocabulary));
        write_text(draft / "README.md", readme);
        fs::rename(draft, settings.out);
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(draft, ignored);
        throw;
    }
}
