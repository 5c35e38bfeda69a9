// build/convert IN OUT: makes a Hugging Face folder of a GPT-2 checkpoint of another program.
#include <cstdio>
#include <filesystem>
#include <new>
#include "base/options.h"
#include "commands/layout.h"
#include "tools/convert/folder_writer.h"
#include "tools/convert/read.h"

namespace {

constexpr const char* kUsage =
    "usage: convert [OPTIONS] IN OUT\n\n"
    "Writes the folder OUT (config.json, model.safetensors, and the tokenizer where there is one)\n"
    "from IN, which is one of\n"
    "  ckpt.pt              of nanoGPT, with meta.pkl beside it for a character-level model\n"
    "  *.bin                of llm.c, with tokenizer.bin beside it\n"
    "  *.gguf               of llama.cpp, architecture gpt2\n"
    "  pytorch_model.bin    of transformers, with config.json beside it\n"
    "  a folder             of Hugging Face, to merge its shards or change its number type\n\n";

// A line on stderr, whatever a file's names hold.
void note(const std::string& text) { std::fprintf(stderr, "%s\n", on_one_line(text).c_str()); }

std::optional<NumberType> read_type(const std::string& text) {
    if (text == "keep") return std::nullopt;
    for (const auto type : {NumberType::f32, NumberType::f16, NumberType::bf16})
        if (text == name_of(type)) return type;
    throw UsageError(cat("--dtype needs keep, f32, f16 or bf16, got '", text, "'"));
}

void describe(const Config& config) {
    note(cat("GPT-2: ", config.n_layer, " layers, ", config.n_head, " heads, ", config.n_embd,
             " channels, MLP ", config.n_inner, ", ", config.n_positions, " positions, ",
             config.vocab_size, " tokens, ", name_of(config.activation), ", head ",
             config.tie_word_embeddings ? "tied" : "of its own"));
}

void describe_folder(const std::string& path) {
    std::string files;
    for (const auto& entry : std::filesystem::directory_iterator(path))
        files += cat(files.empty() ? "" : ", ", entry.path().filename().string(), " (",
                     entry.file_size(), " bytes)");
    note(cat(path, ": ", files));
}

int run(const std::vector<std::string>& words) {
    std::string dtype = "keep";
    bool help = false;
    Options options;
    options.add("--dtype", dtype, "number type to store: keep, f32, f16 or bf16");
    options.add_flag("-h, --help", help, "show this");
    const auto paths = options.parse(words);
    if (help) {
        std::printf("%s%s", kUsage, options.help().c_str());
        return 0;
    }
    const auto type = read_type(dtype);
    if (paths.size() != 2) throw UsageError("expected IN and OUT");

    convert::check_free(paths[1]);
    convert::Checkpoint checkpoint = convert::read_checkpoint(paths[0]);
    note(cat(paths[0], ": ", checkpoint.format, ", ", checkpoint.tensors.size(), " tensors"));
    convert::write_folder(paths[1], checkpoint, type);
    describe(checkpoint.config);
    for (const std::string& text : checkpoint.notes) note(cat("note: ", text));
    describe_folder(paths[1]);
    return 0;
}

int fail(int status, const std::string& message) {
    note(cat("convert: ", message));
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + std::min(argc, 1), argv + argc});
    } catch (const UsageError& e) {
        return fail(2, cat(e.what(), " (see convert --help)"));
    } catch (const std::bad_alloc&) {
        return fail(1, "out of memory");
    } catch (const std::exception& e) {
        return fail(1, e.what());
    }
}
