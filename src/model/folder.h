// Where a model's files are: a folder on disk, or the one inside the program.
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "base/file.h"

class Folder {
public:
    // A Hugging Face folder, or a .safetensors file with config.json beside it, which then is the
    // weights. Another program's checkpoint is refused, naming its format and what converts it.
    static Folder at(const std::string& path);
    // Files under their names, such as those built into the program.
    Folder(std::string name, std::vector<File> files)
        : name_(std::move(name)), files_(std::move(files)) {}

    const std::string& name() const { return name_; }
    bool has(const std::string& file) const;
    File open(const std::string& file) const;  // throws Error where there is none
    // The file of weights, or the index of its shards (*.index.json). Throws Error where there is
    // neither.
    std::string weights_file() const;

private:
    Folder() = default;

    std::string name_;  // the path, where it is on disk
    bool on_disk_ = false;
    std::string weights_;      // where a file was named rather than a folder
    std::vector<File> files_;  // where they are not on disk
};

// The model at that path; failing that, by that name in ./weights, and in the Hugging Face cache
// (as NAME or ORG/NAME). Throws Error naming every place it looked at.
Folder find_model(const std::string& path_or_name);

// What an index (*.index.json) names: files, each of which is there, and the tensors that they hold
// between them. Throws Error where a file is not there.
struct Shards {
    std::vector<std::string> files, tensors;
};
Shards read_index(const Folder& folder, const std::string& index);
