// Files: read-only bytes that are mapped (or, where that fails, read), and files that appear whole
// or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The bytes of one file for as long as the object lives. Moves, does not copy.
class File {
public:
    // Throws Error where the path is missing, is a folder, cannot be read, or holds only the Git
    // LFS pointer to the file that should be there.
    static File open(const std::string& path);
    // Bytes that live elsewhere for the whole run, such as those built into the program.
    static File view(std::string name, std::span<const std::byte> bytes);

    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    ~File();

    const std::string& name() const { return name_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    std::string_view text() const {
        return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    }

    // Throws Error where another program has cut or rewritten the file since it was opened: what
    // was read of it may be anything. (The part that was cut off raises SIGBUS when read.)
    void check_unchanged() const;

    // Tells the system that these bytes will not be needed again soon: mapped pages leave memory,
    // and come back from the file when read.
    void give_back(const std::byte* first, std::size_t count) const;

private:
    File() = default;

    std::string name_;
    std::span<const std::byte> bytes_;
    std::vector<std::byte> owned_;  // where mapping was refused
    int mapped_ = -1;               // the open file, where it is mapped
    std::int64_t changed_ = 0;      // when it was written last
};

// std::fopen for a path in UTF-8, as all paths are here, whatever the system's own encoding.
std::FILE* open_stream(const std::string& path, const char* mode);

// Calls write(append) and puts what it appends at `path`: complete, or not at all, whatever goes
// wrong. What `write` itself throws goes on to the caller as it is.
using Append = std::function<void(std::span<const std::byte>)>;
void write_file(const std::string& path, const std::function<void(const Append&)>& write);
void write_file(const std::string& path, std::string_view text);

// Where a link leads, be it to what is not there yet; `path` itself where it is none.
std::string followed(const std::string& path);

// Whether both paths, neither of them empty, lead to one file, which need not be there yet.
bool same_place(const std::string& a, const std::string& b);
