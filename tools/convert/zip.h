// Zip archives as PyTorch writes them: every entry stored as it is, so that each is a part of the
// file. Zip64 included.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace convert {

class ZipArchive {
public:
    // Throws Error where the bytes are no whole archive. They must outlive it.
    explicit ZipArchive(std::span<const std::byte> bytes);

    bool has(std::string_view name) const { return entries_.count(name) > 0; }

    // The entry's bytes. Refuses an entry that is not there, is compressed or encrypted, or has not
    // the checksum that the archive says.
    std::span<const std::byte> open(std::string_view name);

    // What stands before `file` in the name of the entry FOLDER/file; refuses none, and several.
    std::string folder_of(std::string_view file) const;

private:
    struct Entry {
        std::uint64_t header = 0, packed = 0, size = 0;
        unsigned method = 0, flags = 0;
        std::uint32_t checksum = 0;
        bool is_checked = false;
    };
    void check(Entry& entry, std::span<const std::byte> content);

    std::span<const std::byte> bytes_;
    std::map<std::string_view, Entry> entries_;
    std::size_t checked_bytes_ = 0;
};

}  // namespace convert
