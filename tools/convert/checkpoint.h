// A GPT-2 checkpoint of whatever program, read but for the numbers, and what all of them become:
// the tensors of a Hugging Face folder.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "base/file.h"
#include "formats/safetensors.h"
#include "model/config.h"
#include "model/folder.h"
#include "text/tokenizer.h"

namespace convert {

// A tensor as its file has it.
struct StoredTensor {
    std::string name;                   // in that program's words, as is
    std::string type;                   // "Q4_0", "torch.HalfStorage"
    std::optional<NumberType> kept_as;  // holds all its values; none where they cannot be read
    std::vector<std::int64_t> shape;
    std::function<std::vector<float>()> values;
    std::size_t file = 0;  // which of the checkpoint's files holds it; add_tensor says so
};

struct Checkpoint {
    std::string name;    // of the file or folder
    std::string format;  // "nanoGPT checkpoint (zip archive)"
    Config config;
    std::map<std::string, StoredTensor> tensors;  // by GPT-2's names, without "transformer."
    bool out_by_in = false;  // projections are [out,in], as y = W x has it: GPT-2's are [in,out]
    std::optional<Vocabulary> vocabulary;
    std::vector<std::string> companions;  // paths of files that go along as they are
    std::vector<std::string> notes;       // what else the user should know
    std::vector<File> files;              // what the tensors point into; each comes after its own
};

// Numbers as a file stores them, one after the other.
std::vector<float> read_numbers(NumberType type, std::span<const std::byte> bytes);

// Adds a tensor by GPT-2's name for it, where that is known but for what plain_name takes away.
// Refuses one that is there already.
void add_tensor(Checkpoint& checkpoint, std::string_view gpt2_name, StoredTensor tensor);

// Makes the tokenizer files of Hugging Face in that folder go along, or notes that there are none.
void add_tokenizer_files(Checkpoint& checkpoint, const Folder& folder);

// The tensors in GPT-2's order and layout, under their full names ("transformer.h.0.ln_1.weight"),
// every shape checked, missing biases zero. A head equal to wte becomes a tied one. Completes the
// config, and notes what is left out. Each is stored as `type`, where that is given.
std::vector<TensorSource> gpt2_tensors(Checkpoint& checkpoint, std::optional<NumberType> type);

}  // namespace convert
