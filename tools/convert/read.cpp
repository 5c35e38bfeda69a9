#include "tools/convert/read.h"
#include "base/path.h"
#include "tools/convert/gguf.h"
#include "tools/convert/gguf_checkpoint.h"
#include "tools/convert/hugging_face.h"
#include "tools/convert/llmc.h"
#include "tools/convert/nanogpt.h"

namespace convert {
namespace {

// Where a file has no tokenizer of its own, one in Hugging Face's files beside it is taken.
Checkpoint with_tokenizer(Checkpoint checkpoint, const std::string& path) {
    if (!checkpoint.vocabulary) add_tokenizer_files(checkpoint, Folder::at(folder_of(path)));
    return checkpoint;
}

// Every format but Hugging Face's, whose files are read by name.
std::optional<Checkpoint> read_foreign(File& file) {
    const std::string_view text = file.text();
    if (Gguf::is_one(text)) return read_gguf(std::move(file));
    if (is_llmc(text)) return read_llmc(std::move(file));
    if (TorchFile::is_one(text))
        if (const TorchFile torch(file); is_nanogpt(torch))
            return read_nanogpt(std::move(file), torch);
    const bool by_name =
        file.name().ends_with(".safetensors") || file.name().ends_with(".index.json");
    if (!by_name && !TorchFile::is_one(text))
        throw Error(
            "is no checkpoint of nanoGPT, llm.c, llama.cpp (GGUF) or PyTorch, nor a "
            ".safetensors file");
    return std::nullopt;
}

Checkpoint read_file(const std::string& path) {
    File file = File::open(path);
    auto foreign = in_file(path, [&] { return read_foreign(file); });
    return foreign ? with_tokenizer(*std::move(foreign), path) : read_hugging_face(path);
}

}  // namespace

Checkpoint read_checkpoint(const std::string& path) {
    const bool folder = is_folder(path_of(path));
    const bool nanogpt = folder && Folder::at(path).has("ckpt.pt");
    const std::string name = nanogpt ? (path_of(path) / "ckpt.pt").string() : path;
    Checkpoint checkpoint = folder && !nanogpt ? read_hugging_face(name) : read_file(name);
    checkpoint.name = name;
    return checkpoint;
}

}  // namespace convert
