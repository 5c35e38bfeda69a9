#include "model/builtin.h"
#include <string>
#include "base/built_in.h"

// The Makefile says which folder: BUILTIN_MODEL is "weights/NAME", relative to where it runs.
BUILD_IN(config, BUILTIN_MODEL "/config.json");
BUILD_IN(weights, BUILTIN_MODEL "/model.safetensors");
BUILD_IN(vocab, BUILTIN_MODEL "/vocab.json");
BUILD_IN(merges, BUILTIN_MODEL "/merges.txt");

Folder builtin_model() {
    const std::string path = BUILTIN_MODEL;
    std::vector<File> files;
    files.push_back(File::view("config.json", {built_in_config, built_in_config_end}));
    files.push_back(File::view("model.safetensors", {built_in_weights, built_in_weights_end}));
    files.push_back(File::view("vocab.json", {built_in_vocab, built_in_vocab_end}));
    files.push_back(File::view("merges.txt", {built_in_merges, built_in_merges_end}));
    return Folder(path.substr(path.rfind('/') + 1), std::move(files));
}
