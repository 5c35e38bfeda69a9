#include "tools/train/export.h"
#include <filesystem>
#include "base/draft_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "model/tokenizer_writer.h"

namespace fs = std::filesystem;

namespace {

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
    write_safetensors(path.string(), tensors, "--dtype " + settings.dtype);
}

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

void check_writable(const std::string& folder) {
    if (fs::exists(status_of(folder, "cannot be written")))
        throw Error(cat(folder, ": is there already; move it away, or name another folder"));
    const DraftFolder draft(folder);
}

void write_model(const Settings& settings, const Vocabulary& vocabulary,
                 std::span<const float> parameters, const std::string& readme) {
    const DraftFolder draft(settings.out);
    write_weights(draft.path() / "model.safetensors", settings, parameters);
    const auto write = [&](const std::string& name, std::string_view text) {
        write_file((draft.path() / name).string(), text);
    };
    write("config.json", config_json(settings.shape, settings.dropout));
    for (const TextFile& file : tokenizer_files(vocabulary)) write(file.name, file.content);
    write("README.md", readme);
    draft.publish();
}
