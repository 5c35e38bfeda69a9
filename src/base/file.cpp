#include "base/file.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <utility>
#include "base/error.h"
#include "base/path.h"
#include "base/signals.h"
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

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

std::vector<std::byte> read_all(const std::string& path) {
    std::ifstream in(path_of(path), std::ios::binary | std::ios::ate);
    if (!in) throw Error(cat(path, ": cannot be opened: ", reason()));
    const auto size = in.tellg();
    if (size < 0) throw Error(cat(path, ": its size cannot be found"));
    std::vector<std::byte> bytes;
    try {
        bytes.resize(static_cast<std::size_t>(size));
    } catch (const std::bad_alloc&) {
        throw Error(cat(path, ": out of memory for its ", size, " bytes"));
    }
    in.seekg(0);
    in.read(reinterpret_cast<char*>(bytes.data()), size);
    if (!in)
        throw Error(
            cat(path, ": only ", in.gcount(), " of ", bytes.size(), " bytes could be read"));
    return bytes;
}

#if CAN_MAP
// When the file was written last, in nanoseconds.
std::int64_t written(const struct stat& info) {
#if defined(__APPLE__)
    const std::timespec time = info.st_mtimespec;
#else
    const std::timespec time = info.st_mtim;
#endif
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

struct Pages {
    int file;
    std::int64_t changed;
    std::span<const std::byte> bytes;
};

// The file's bytes as pages of memory; nothing where the system refuses.
std::optional<Pages> map(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw Error(cat(path, ": cannot be opened: ", reason()));
    struct stat info {};
    void* pages = MAP_FAILED;
    if (::fstat(file, &info) == 0 && info.st_size > 0)
        pages = ::mmap(nullptr, std::size_t(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (pages == MAP_FAILED) {
        ::close(file);
        return std::nullopt;
    }
    return Pages{
        file, written(info), {static_cast<const std::byte*>(pages), std::size_t(info.st_size)}};
}
#endif

void refuse_pointer(const File& file) {
    if (file.text().starts_with("version https://git-lfs.github.com/spec/v1"))
        throw Error(cat(file.name(),
                        ": a Git LFS pointer, not the file it stands for; "
                        "`git lfs pull` in its repository fetches that"));
}

// A name beside the file that nobody uses.
std::string draft_beside(const std::string& path) {
    std::error_code error;
    for (int n = 0;; ++n) {
        const std::string name = cat(path, ".part", n == 0 ? "" : std::to_string(n));
        if (!fs::exists(fs::symlink_status(path_of(name), error))) return name;
    }
}

}  // namespace

File File::open(const std::string& path) {
    const auto status = status_of(path, "cannot be opened");
    if (!fs::exists(status)) throw Error(cat(path, ": no such file"));
    if (!fs::is_regular_file(status)) throw Error(cat(path, ": not a regular file"));
    File file;
    file.name_ = path;
#if CAN_MAP
    if (const auto pages = map(path)) {
        file.mapped_ = pages->file;
        file.changed_ = pages->changed;
        file.bytes_ = pages->bytes;
    }
#endif
    if (file.mapped_ < 0) {
        file.owned_ = read_all(path);
        file.bytes_ = file.owned_;
    }
    refuse_pointer(file);
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
    std::swap(changed_, other.changed_);
    return *this;
}

File::~File() {
#if CAN_MAP
    if (mapped_ < 0) return;
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    ::close(mapped_);
#endif
}

void File::check_unchanged() const {
#if CAN_MAP
    struct stat info {};
    if (mapped_ < 0 || ::fstat(mapped_, &info) != 0) return;
    if (std::size_t(info.st_size) != bytes_.size() || written(info) != changed_)
        throw Error(cat(name_, ": changed by another program while it was read"));
#endif
}

void File::give_back([[maybe_unused]] const std::byte* first,
                     [[maybe_unused]] std::size_t count) const {
#if CAN_MAP
    if (mapped_ < 0) return;
    // Only pages that lie wholly inside the range: their neighbours may still be wanted.
    const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
    const auto start = std::size_t(first - bytes_.data());
    const std::size_t end = std::min(start + count, bytes_.size());
    const std::size_t from = (start + page - 1) / page * page, to = end / page * page;
    if (from < to)
        ::madvise(const_cast<std::byte*>(bytes_.data()) + from, to - from, MADV_DONTNEED);
#endif
}

std::FILE* open_stream(const std::string& path, const char* mode) {
#if defined(_WIN32)
    return ::_wfopen(path_of(path).c_str(), path_of(mode).c_str());
#else
    return std::fopen(path.c_str(), mode);
#endif
}

std::string followed(const std::string& path) {
    constexpr int kMostLinks = 40;  // as many as Linux follows: they may form a circle
    std::error_code ignored;
    fs::path target = path_of(path);
    for (int n = 0; n < kMostLinks && fs::is_symlink(fs::symlink_status(target, ignored)); ++n)
        target = target.parent_path() / fs::read_symlink(target, ignored);
    return target.string();
}

bool same_place(const std::string& a, const std::string& b) {
    const auto place = [](const std::string& path) {
        std::error_code error;
        const fs::path full = fs::absolute(path_of(followed(path)), error);
        const fs::path found = fs::weakly_canonical(full, error);
        return error ? full.lexically_normal() : found;
    };
    return place(a) == place(b);
}

void write_file(const std::string& path, const std::function<void(const Append&)>& write) {
    // A device or a pipe takes what is written to it; putting a file in its place would end it.
    std::error_code error, ignored;
    const auto status = status_of(path, "cannot be written");
    const bool is_there = fs::exists(status), replace = !is_there || fs::is_regular_file(status);
    const std::string target = followed(path), draft = replace ? draft_beside(target) : path;
    const DraftInWork in_work(replace ? draft : "");
    std::FILE* out = open_stream(draft, "wb");
    const auto failure = [&](const std::string& why) {
        return Error(cat(path, ": cannot be written: ", why));
    };
    if (!out) throw failure(reason());
    const auto discard = [&] {
        if (replace) fs::remove(path_of(draft), ignored);
    };
    try {
        write([&](std::span<const std::byte> bytes) {
            if (std::fwrite(bytes.data(), 1, bytes.size(), out) != bytes.size())
                throw failure(reason());
        });
        if (std::fclose(std::exchange(out, nullptr)) != 0) throw failure(reason());
        if (!replace) return;
        if (is_there) fs::permissions(path_of(draft), status.permissions(), ignored);
        fs::rename(path_of(draft), path_of(target), error);
        if (error) throw failure(error.message());
    } catch (...) {
        if (out) std::fclose(out);
        discard();
        throw;
    }
}

void write_file(const std::string& path, std::string_view text) {
    write_file(path, [&](const Append& append) { append(std::as_bytes(std::span(text))); });
}
