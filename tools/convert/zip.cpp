#include "tools/convert/zip.h"
#include <algorithm>
#include "tools/convert/byte_reader.h"
#include "tools/convert/crc32.h"

namespace convert {
namespace {

constexpr std::uint32_t kEntry = 0x02014b50, kLocal = 0x04034b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the zip64 record has the number
constexpr std::size_t kEndSize = 22, kLocatorSize = 20;

struct Directory {
    std::uint64_t entries, at;
};

// The directory's end stands at the end of the file, before a comment of at most 64 KiB.
std::size_t find_end(std::span<const std::byte> bytes) {
    for (std::size_t comment = 0; comment <= 0xffff && kEndSize + comment <= bytes.size();
         ++comment) {
        const std::size_t at = bytes.size() - kEndSize - comment;
        if (load_little_endian<std::uint32_t>(&bytes[at]) == kEnd &&
            load_little_endian<std::uint16_t>(&bytes[at + 20]) == comment)
            return at;
    }
    throw Error("no zip directory at its end: it is cut short, or no PyTorch file");
}

Directory find_directory(std::span<const std::byte> bytes) {
    const std::size_t end = find_end(bytes);
    ByteReader reader(bytes, end + 10);
    Directory directory;
    directory.entries = reader.number<std::uint16_t>();
    reader.take(4);
    directory.at = reader.number<std::uint32_t>();
    if (end < kLocatorSize ||
        load_little_endian<std::uint32_t>(&bytes[end - kLocatorSize]) != kLocator64)
        return directory;
    ByteReader end64(bytes, load_little_endian<std::uint64_t>(&bytes[end - kLocatorSize + 8]));
    if (end64.number<std::uint32_t>() != kEnd64)
        throw Error("no zip64 directory where it should be");
    end64.take(28);
    directory.entries = end64.number<std::uint64_t>();
    end64.take(8);
    directory.at = end64.number<std::uint64_t>();
    return directory;
}

// The value itself, or the next of the zip64 record.
std::uint64_t widen(std::uint32_t value, ByteReader& zip64) {
    return value == kIn64 ? zip64.number<std::uint64_t>() : value;
}

// The zip64 record of an entry's extra fields; empty where there is none.
ByteReader find_zip64(std::span<const std::byte> extra) {
    for (ByteReader fields(extra); fields.left() >= 4;) {
        const auto id = fields.number<std::uint16_t>();
        const auto content = fields.take(fields.number<std::uint16_t>());
        if (id == 1) return ByteReader(content);
    }
    return ByteReader({});
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes) : bytes_(bytes) {
    const Directory directory = find_directory(bytes);
    ByteReader reader(bytes, directory.at);
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        if (reader.number<std::uint32_t>() != kEntry)
            throw Error(
                cat("its zip directory ends after ", i, " of ", directory.entries, " entries"));
        Entry entry;
        reader.take(4);
        entry.flags = reader.number<std::uint16_t>();
        entry.method = reader.number<std::uint16_t>();
        reader.take(4);
        entry.checksum = reader.number<std::uint32_t>();
        const auto packed = reader.number<std::uint32_t>(), size = reader.number<std::uint32_t>();
        const auto name_size = reader.number<std::uint16_t>();
        const auto extra_size = reader.number<std::uint16_t>();
        const auto comment_size = reader.number<std::uint16_t>();
        reader.take(8);
        const auto header = reader.number<std::uint32_t>();
        const std::string_view name = reader.text(name_size);
        ByteReader zip64 = find_zip64(reader.take(extra_size));
        entry.size = widen(size, zip64);
        entry.packed = widen(packed, zip64);
        entry.header = widen(header, zip64);
        reader.take(comment_size);
        if (!entries_.insert({name, entry}).second) throw Error(cat("holds '", name, "' twice"));
    }
}

std::span<const std::byte> ZipArchive::open(std::string_view name) {
    const auto at = entries_.find(name);
    if (at == entries_.end()) throw Error(cat("holds no '", name, "'"));
    Entry& entry = at->second;
    return in_file(name, [&] {
        if (entry.method != 0 || entry.packed != entry.size || entry.flags & 1)
            throw Error("is compressed or encrypted, which PyTorch never writes");
        ByteReader reader(bytes_, entry.header);
        if (reader.number<std::uint32_t>() != kLocal) throw Error("does not begin where it should");
        reader.take(22);
        const auto name_size = reader.number<std::uint16_t>();
        const auto extra_size = reader.number<std::uint16_t>();
        reader.take(std::size_t(name_size) + extra_size);
        const auto content = reader.take(entry.size);
        check(entry, content);
        return content;
    });
}

// Each entry once. Entries that lie apart take no longer together than the file takes to read.
void ZipArchive::check(Entry& entry, std::span<const std::byte> content) {
    constexpr std::uint32_t kNone = 0;  // PyTorch leaves checksums out where it is told to
    if (entry.is_checked || entry.checksum == kNone) return;
    checked_bytes_ += content.size();
    if (checked_bytes_ > bytes_.size()) throw Error("shares its bytes with other entries");
    if (const auto found = crc32(content); found != entry.checksum)
        throw Error(
            cat("is damaged: its checksum is ", std::hex, found, ", expected ", entry.checksum));
    entry.is_checked = true;
}

std::string ZipArchive::folder_of(std::string_view file) const {
    std::string folder;
    for (const auto& [name, entry] : entries_) {
        const std::size_t slash = name.find('/');
        if (slash == name.npos || name.substr(slash + 1) != file) continue;
        if (!folder.empty()) throw Error(cat("holds '", file, "' in two folders"));
        folder = name.substr(0, slash + 1);
    }
    if (folder.empty()) throw Error(cat("is a zip archive without ", file, ": not of PyTorch"));
    return folder;
}

}  // namespace convert
