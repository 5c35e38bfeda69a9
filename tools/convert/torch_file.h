// What torch.save writes: a pickle whose tensors lie in storages beside it. Either a zip archive
// or, before PyTorch 1.6, pickles and storages one after the other.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include "base/file.h"
#include "tools/convert/checkpoint.h"
#include "tools/convert/pickle.h"

namespace convert {

class TorchFile {
public:
    // Whether the bytes begin as one.
    static bool is_one(std::string_view bytes);

    // Reads what there is but the numbers. The file must outlive this and all tensors from it.
    explicit TorchFile(const File& file);

    std::string_view layout() const { return layout_; }
    const PickleValue& root() const { return pickle_.root(); }

    // The tensor, every element of it within its storage.
    StoredTensor tensor(const PickleValue& value) const;

private:
    using Storages = std::function<std::span<const std::byte>(const std::string& key)>;
    TorchFile(std::string_view layout, Pickle pickle, Storages storages)
        : layout_(layout), pickle_(std::move(pickle)), storages_(std::move(storages)) {}
    static TorchFile open_archive(const File& file);
    static TorchFile open_stream(const File& file);

    std::string_view layout_;
    Pickle pickle_;
    Storages storages_;
};

// Adds every tensor of a dict {name: tensor}.
void add_tensors(const TorchFile& torch, const PickleValue& dict, Checkpoint& checkpoint);

}  // namespace convert
