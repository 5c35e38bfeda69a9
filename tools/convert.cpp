// build/convert IN OUT: makes a Hugging Face folder of a GPT-2 checkpoint of another program.
#include <new>
#include "base/options.h"
#include "base/path.h"
#include "base/signals.h"
#include "commands/layout.h"
#include "commands/terminal.h"
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
void say(const std::string& text) { note(on_one_line(text) + "\n"); }

std::optional<NumberType> read_type(const std::string& text) {
    if (text == "keep") return std::nullopt;
    for (const auto type : {NumberType::f32, NumberType::f16, NumberType::bf16})
        if (text == name_of(type)) return type;
    throw UsageError(cat("--dtype needs keep, f32, f16 or bf16, found '", text, "'"));
}

void describe(const Config& config) {
    say(cat("GPT-2: ", config.n_layer, " layers, ", config.n_head, " heads, ", config.n_embd,
            " channels, MLP ", config.n_inner, ", ", config.n_positions, " positions, ",
            config.vocab_size, " tokens, ", name_of(config.activation), ", head ",
            config.tie_word_embeddings ? "tied" : "of its own"));
}

void describe_folder(const std::string& path) {
    std::string files;
    std::error_code error;
    std::filesystem::directory_iterator entry(path_of(path), error), end;
    for (; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;  // of a file that is gone again
        files += cat(files.empty() ? "" : ", ", entry->path().filename().string(), " (",
                     entry->file_size(ignored), " bytes)");
    }
    say(cat(path, ": ", error ? error.message() : files));
}

void make_folder(const std::string& in, const std::string& out, std::optional<NumberType> type) {
    convert::check_free(out);
    convert::Checkpoint checkpoint = convert::read_checkpoint(in);
    const std::size_t tensors = checkpoint.tensors.size();
    convert::write_folder(out, checkpoint, type);
    say(cat(in, ": ", checkpoint.format, ", ", tensors, " tensors"));
    describe(checkpoint.config);
    for (const std::string& text : checkpoint.notes) say(cat("note: ", text));
    describe_folder(out);
}

int run(const std::vector<std::string>& words) {
    std::string dtype = "keep";
    bool help = false;
    Options options;
    options.add("--dtype TYPE", dtype, "store numbers as f32, f16 or bf16");
    options.add_flag("-h, --help", help, "show this");
    const auto paths = options.parse(words);
    if (help) {
        print(kUsage + options.help());
        flush();
        return 0;
    }
    const auto type = read_type(dtype);
    if (paths.size() != 2)
        throw UsageError(cat("expected IN and OUT, found ", paths.size(), " words"));

    if (paths[0].empty() || paths[1].empty()) throw UsageError("IN and OUT are names, found ''");

    note_interrupts();
    try {
        make_folder(paths[0], paths[1], type);
    } catch (const std::bad_alloc&) {
        throw Error(cat(paths[0], ": out of memory"));
    }
    return 0;
}

int fail(int status, std::string_view message, std::string_view hint = "") {
    if (interrupted()) {
        say("convert: interrupted; nothing was written");
        return interrupted_status();
    }
    note(error_line("convert", message, hint));
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    catch_signals("convert");
    try {
        return run(begin(argc, argv));
    } catch (const UsageError& e) {
        return fail(2, e.what(), " (see convert --help)");
    } catch (const std::bad_alloc&) {
        return fail(1, "out of memory");
    } catch (const std::exception& e) {
        return fail(1, e.what());
    }
}
