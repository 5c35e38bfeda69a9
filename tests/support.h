// What many tests share: seeded numbers, scratch folders, the optional reference data, and naming
// what is skipped.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "base/random.h"

// Reports in the summary that `what` was not tested, for want of the reference data.
void skip(const std::string& what);

// The path ../shared/`relative`, where it exists. Otherwise the caller should skip() itself by
// name.
inline std::optional<std::string> shared(const std::string& relative) {
    const auto path = std::filesystem::path("../shared") / relative;
    return std::filesystem::exists(path) ? std::optional(path.string()) : std::nullopt;
}

inline std::span<const std::byte> bytes_of_text(std::string_view text) {
    return std::as_bytes(std::span(text));
}

// n normal numbers times sigma, the same for the same seed.
inline std::vector<float> random_floats(std::size_t n, std::uint64_t seed, double sigma = 1) {
    Random random(seed);
    std::vector<float> values(n);
    for (float& v : values) v = float(sigma * random.normal());
    return values;
}

// A folder that is new and empty, and gone with the object.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "gpt-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string path(const std::string& file = "") const { return (path_ / file).string(); }

private:
    std::filesystem::path path_;
};
