#include "tools/convert/hugging_face.h"
#include "base/in_file.h"
#include "base/path.h"
#include "model/folder.h"
#include "model/weights.h"
#include "tools/convert/torch_file.h"

namespace convert {
namespace {

constexpr const char* kWeights[] = {"model.safetensors", "model.safetensors.index.json",
                                    "pytorch_model.bin", "pytorch_model.bin.index.json"};
std::string find_weights(const Folder& folder) {
    for (const char* file : kWeights)
        if (folder.has(file)) return file;
    throw Error(cat(folder.name(), ": holds none of ", kWeights[0], ", ", kWeights[1], ", ",
                    kWeights[2], ", ", kWeights[3]));
}

void add_safetensors(File file, Checkpoint& checkpoint) {
    SafeTensors tensors = SafeTensors::open(std::move(file));
    for (const SafeTensors::Entry& entry : tensors.entries()) {
        const auto type = number_type(entry.dtype);
        StoredTensor tensor{entry.name, entry.dtype, type, entry.shape, {}};
        if (type) tensor.values = [=, bytes = entry.bytes] { return read_numbers(*type, bytes); };
        in_file(tensors.file().name(),
                [&] { add_tensor(checkpoint, entry.name, std::move(tensor)); });
    }
    checkpoint.files.push_back(std::move(tensors).release());
}

void add_torch(File file, Checkpoint& checkpoint) {
    in_file(file.name(), [&] {
        const TorchFile torch(file);
        add_tensors(torch, torch.root(), checkpoint);
    });
    checkpoint.files.push_back(std::move(file));
}

}  // namespace

Checkpoint read_hugging_face(const std::string& path) {
    const bool whole = is_folder(path_of(path));
    const Folder folder = Folder::at(whole ? path : folder_of(path));
    const std::string first = whole ? find_weights(folder) : path_of(path).filename().string();
    Checkpoint checkpoint;
    checkpoint.config = read_config(folder.open("config.json"));
    const bool sharded = first.ends_with(".index.json");
    const Shards shards = sharded ? read_index(folder, first) : Shards{{first}, {}};
    for (const std::string& name : shards.files) {
        File file = folder.open(name);
        if (TorchFile::is_one(file.text()))
            add_torch(std::move(file), checkpoint);
        else
            add_safetensors(std::move(file), checkpoint);
    }
    for (const std::string& tensor : shards.tensors)
        if (!is_mask(tensor) && !checkpoint.tensors.count(plain_name(tensor)))
            throw Error(cat(folder.name(), ": the index names ", tensor, ", which no shard holds"));
    checkpoint.format = cat("Hugging Face folder, ", first,
                            sharded ? cat(" of ", shards.files.size(), " files") : "");
    for (const char* file : {"config.json", "generation_config.json"})
        if (folder.has(file)) checkpoint.companions.push_back(folder.open(file).name());
    add_tokenizer_files(checkpoint, folder);
    return checkpoint;
}

}  // namespace convert
