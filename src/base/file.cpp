#include "base/file.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include "base/error.h"
#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define CAN_MAP 1
#else
#define CAN_MAP 0
#endif

namespace {

std::string reason() { return std::strerror(errno); }

std::vector<std::byte> read_all(const std::string& path) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw Error(cat(path, ": cannot be opened: ", reason()));
    const auto size = in.tellg();
    if (size < 0) throw Error(cat(path, ": its size cannot be found"));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(bytes.data()), size);
    if (!in)
        throw Error(
            cat(path, ": only ", in.gcount(), " of ", bytes.size(), " bytes could be read"));
    return bytes;
}

#if CAN_MAP
// The file's bytes as pages of memory; nothing where the system refuses.
std::optional<std::span<const std::byte>> map(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw Error(cat(path, ": cannot be opened: ", reason()));
    struct stat info {};
    void* pages = MAP_FAILED;
    if (::fstat(file, &info) == 0 && info.st_size > 0)
        pages = ::mmap(nullptr, std::size_t(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    if (pages == MAP_FAILED) return std::nullopt;
    return std::span(static_cast<const std::byte*>(pages), std::size_t(info.st_size));
}
#endif

}  // namespace

File File::open(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) throw Error(cat(path, ": no such file"));
    if (!std::filesystem::is_regular_file(status)) throw Error(cat(path, ": not a regular file"));
    File file;
    file.name_ = path;
#if CAN_MAP
    if (const auto pages = map(path)) {
        file.bytes_ = *pages;
        file.mapped_ = true;
        return file;
    }
#endif
    file.owned_ = read_all(path);
    file.bytes_ = file.owned_;
    return file;
}

File File::view(std::string name, std::span<const std::byte> bytes) {
    File file;
    file.name_ = std::move(name);
    file.bytes_ = bytes;
    return file;
}

File::File(File&& other) noexcept { *this = std::move(other); }

File& File::operator=(File&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(bytes_, other.bytes_);
    std::swap(owned_, other.owned_);
    std::swap(mapped_, other.mapped_);
    return *this;
}

File::~File() {
#if CAN_MAP
    if (mapped_) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
#endif
}

void File::give_back([[maybe_unused]] const std::byte* first,
                     [[maybe_unused]] std::size_t count) const {
#if CAN_MAP
    if (!mapped_) return;
    // Only pages that lie wholly inside the range: their neighbours may still be wanted.
    const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
    const auto start = std::size_t(first - bytes_.data()), end = start + count;
    const std::size_t from = (start + page - 1) / page * page, to = end / page * page;
    if (from < to)
        ::madvise(const_cast<std::byte*>(bytes_.data()) + from, to - from, MADV_DONTNEED);
#endif
}

void write_file(const std::string& path, const std::function<void(const Append&)>& write) {
    // A device or a pipe takes what is written to it; putting a file in its place would end it.
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    const bool replace =
        !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
    const std::string draft = replace ? path + ".part" : path;
    std::FILE* out = std::fopen(draft.c_str(), "wb");
    if (!out) throw Error(cat(path, ": cannot be written: ", reason()));
    const auto fail = [&](const std::string& why) {
        if (replace) std::remove(draft.c_str());
        throw Error(cat(path, ": cannot be written: ", why));
    };
    try {
        write([&](std::span<const std::byte> bytes) {
            if (std::fwrite(bytes.data(), 1, bytes.size(), out) != bytes.size())
                throw Error(reason());
        });
    } catch (const std::exception& e) {
        std::fclose(out);
        fail(e.what());
    }
    if (std::fclose(out) != 0) fail(reason());
    if (replace && std::rename(draft.c_str(), path.c_str()) != 0) fail(reason());
}
