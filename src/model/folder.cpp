#include "model/folder.h"
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>
#include "base/in_file.h"
#include "base/number.h"
#include "base/path.h"
#include "formats/json.h"

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

// Refuses the checkpoints of other programs that our converter reads.
void refuse_foreign(const File& file) {
    constexpr std::uint32_t kMagic = 20240326;  // llm.c's
    constexpr std::string_view kPickled = "\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.";
    const std::string_view text = file.text();
    const bool llmc =
        text.size() >= sizeof kMagic && load_little_endian<std::uint32_t>(text.data()) == kMagic;
    const char* const format = text.starts_with("GGUF")     ? "a GGUF file"
                               : text.starts_with("PK\3\4") ? "a PyTorch archive"
                               : text.starts_with(kPickled) ? "a PyTorch file"
                               : llmc                       ? "an llm.c checkpoint"
                                                            : nullptr;
    if (format)
        throw Error(cat(file.name(), ": ", format, "; `build/convert ", file.name(),
                        " OUT` makes a folder of it that can be read"));
}

// Where Hugging Face's library keeps what it has downloaded.
std::vector<fs::path> cache_folders() {
    std::vector<fs::path> folders;
    const auto add = [&](const char* variable, const char* below) {
        const char* const value = std::getenv(variable);
        if (value && *value) folders.push_back(path_of(value) / below);
    };
    add("HF_HUB_CACHE", "");
    add("HF_HOME", "hub");
    add("XDG_CACHE_HOME", "huggingface/hub");
    add("HOME", ".cache/huggingface/hub");
    return folders;
}

// The folder that the cache keeps of its model NAME or ORG/NAME; where it knows none, the file that
// is not there.
fs::path cached(const fs::path& cache, const std::string& name) {
    std::string folder = "models--";
    for (const char c : name) folder += c == '/' ? "--" : std::string(1, c);
    const fs::path newest = cache / path_of(folder) / "refs" / "main";
    if (!is_file(newest)) return newest;
    std::string commit(File::open(newest.string()).text());
    commit.erase(commit.find_last_not_of(" \r\n") + 1);
    return cache / path_of(folder) / "snapshots" / path_of(commit);
}

}  // namespace

Folder Folder::at(const std::string& path) {
    Folder folder;
    folder.on_disk_ = true;
    folder.name_ = path;
    if (is_folder(path_of(path))) return folder;
    refuse_foreign(File::open(path));
    if (!path.ends_with(".safetensors") && !path.ends_with(".safetensors.index.json"))
        throw Error(cat(path, ": neither a folder nor a .safetensors file"));
    folder.name_ = folder_of(path);
    folder.weights_ = path_of(path).filename().string();
    return folder;
}

bool Folder::has(const std::string& file) const {
    if (file.empty() || file == "." || file == "..") return false;
    // What is there but cannot be read is refused when it is opened, not passed over.
    std::error_code ignored;
    if (on_disk_) return fs::exists(fs::symlink_status(path_of(name_) / path_of(file), ignored));
    for (const File& known : files_)
        if (known.name() == file) return true;
    return false;
}

File Folder::open(const std::string& file) const {
    const std::string path = (path_of(name_) / path_of(file)).string();
    if (on_disk_) return File::open(path);
    for (const File& known : files_)
        if (known.name() == file) return File::view(path, known.bytes());
    throw Error(cat(path, ": no such file"));
}

std::string Folder::weights_file() const {
    if (!weights_.empty()) return weights_;
    for (const char* file : {"model.safetensors", "model.safetensors.index.json"})
        if (has(file)) return file;
    for (const char* file : {"pytorch_model.bin", "ckpt.pt"})
        if (has(file)) refuse_foreign(open(file));
    if (has("pytorch_model.bin.index.json"))
        throw Error(cat(name_, ": shards of PyTorch; `build/convert ", name_,
                        " OUT` makes a folder of them that can be read"));
    throw Error(cat(name_, ": no model.safetensors or model.safetensors.index.json in it"));
}

Folder find_model(const std::string& path_or_name) {
    std::vector<fs::path> places = {path_of(path_or_name)};
    const bool may_be_name =
        !path_or_name.empty() && !path_or_name.starts_with('.') && !places[0].is_absolute();
    if (may_be_name) {
        places.push_back("weights" / places[0]);
        for (const fs::path& cache : cache_folders()) places.push_back(cached(cache, path_or_name));
    }
    std::string looked;
    for (const fs::path& place : places) {
        if (std::error_code ignored; fs::exists(place, ignored)) return Folder::at(place.string());
        looked += (looked.empty() ? "" : ", ") + place.string();
    }
    throw Error(cat("no model '", path_or_name, "': looked for ", looked));
}

Shards read_index(const Folder& folder, const std::string& index) {
    const File file = folder.open(index);
    const Json json = parse_json(file.text(), file.name());
    std::set<std::string> names;
    std::vector<std::string> tensors;
    in_file(file.name(), [&] {
        json.require("weight_map", [&](const Json& map) {
            for (const auto& [tensor, shard] : map.object()) {
                names.insert(shard.string());
                tensors.push_back(tensor);
            }
        });
    });
    for (const std::string& name : names) {
        if (name.find_first_of("/\\") != std::string::npos)
            throw Error(cat(file.name(), ": the shard ", json_quote(name),
                            " is not the name of a file in the same folder"));
        if (!folder.has(name))
            throw Error(cat(file.name(), ": the shard ", json_quote(name), " is not there"));
    }
    return {{names.begin(), names.end()}, std::move(tensors)};
}
