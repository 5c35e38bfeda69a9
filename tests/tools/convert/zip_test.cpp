#include "tools/convert/zip.h"
#include <doctest/doctest.h>
#include "tests/tools/convert/foreign.h"

using convert::ZipArchive;

namespace {

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const foreign::Entries kEntries = {
    {"ckpt/data.pkl", "a pickle"}, {"ckpt/data/0", std::string("\0\1", 2)}, {"ckpt/empty", ""}};

}  // namespace

TEST_CASE("stored entries are parts of the archive, in zip and in zip64") {
    for (const bool zip64 : {false, true}) {
        const std::string file = foreign::zip(kEntries, {.zip64 = zip64});
        ZipArchive archive(bytes_of_text(file));
        for (const auto& [name, content] : kEntries) CHECK(text_of(archive.open(name)) == content);
        CHECK(archive.has("ckpt/empty"));
        CHECK_FALSE(archive.has("empty"));
        CHECK(archive.folder_of("data.pkl") == "ckpt/");
    }
}

TEST_CASE("a comment at the archive's end hides nothing") {
    std::string file = foreign::zip(kEntries);
    file.replace(file.size() - 2, 2, foreign::u16(5));
    file += "PK\5\6!";
    CHECK(text_of(ZipArchive(bytes_of_text(file)).open("ckpt/data.pkl")) == "a pickle");
}

TEST_CASE("an archive cut anywhere is refused") {
    for (const bool zip64 : {false, true}) {
        const std::string file = foreign::zip(kEntries, {.zip64 = zip64});
        for (std::size_t size = 0; size < file.size(); ++size)
            CHECK_THROWS_AS(ZipArchive(bytes_of_text(file.substr(0, size))), Error);
    }
}

TEST_CASE("compressed, encrypted, doubled and missing entries are refused by name") {
    const std::string packed = foreign::zip(kEntries, {.method = 8});
    CHECK_THROWS_WITH_AS(ZipArchive(bytes_of_text(packed)).open("ckpt/data.pkl"),
                         "ckpt/data.pkl: is compressed or encrypted, which PyTorch never writes",
                         Error);
    const std::string secret = foreign::zip(kEntries, {.flags = 1});
    CHECK_THROWS_AS(ZipArchive(bytes_of_text(secret)).open("ckpt/data.pkl"), Error);
    const std::string twice = foreign::zip({{"a", "1"}, {"a", "2"}});
    CHECK_THROWS_WITH_AS(ZipArchive(bytes_of_text(twice)), "holds 'a' twice", Error);
    const std::string file = foreign::zip(kEntries);
    ZipArchive archive(bytes_of_text(file));
    CHECK_THROWS_WITH_AS(archive.open("ckpt/data/1"), "holds no 'ckpt/data/1'", Error);
    CHECK_THROWS_AS(archive.folder_of("model.json"), Error);
}

TEST_CASE(
    "an entry whose bytes were changed is refused with both checksums, its neighbours are not") {
    std::string file = foreign::zip(kEntries);
    file[file.find("a pickle")] = 'A';
    ZipArchive archive(bytes_of_text(file));
    for (int time = 0; time < 2; ++time)
        CHECK_THROWS_WITH_AS(
            archive.open("ckpt/data.pkl"),
            "ckpt/data.pkl: is damaged: its checksum is 4929f12b, expected b05f937d", Error);
    CHECK_NOTHROW(archive.open("ckpt/data/0"));
}

TEST_CASE("a checksum of zero is one that was left out") {
    std::string file = foreign::zip(kEntries);
    file.replace(file.find("PK\1\2") + 16, 4, foreign::u32(0));
    CHECK(text_of(ZipArchive(bytes_of_text(file)).open("ckpt/data.pkl")) == "a pickle");
}

TEST_CASE("entries that are the same bytes over and over are refused, one opened twice is not") {
    const std::string content(1000, 'x'), one = foreign::zip({{"a", content}});
    const std::size_t at = one.find("PK\1\2"), end = one.size() - 22;
    std::string entry = one.substr(at, end - at);
    entry.back() = 'b';
    const std::string file = one.substr(0, end) + entry + "PK\5\6" + foreign::u32(0) +
                             foreign::u16(2) + foreign::u16(2) + foreign::u32(2 * entry.size()) +
                             foreign::u32(at) + foreign::u16(0);
    ZipArchive archive(bytes_of_text(file));
    for (int time = 0; time < 9; ++time) CHECK(text_of(archive.open("a")) == content);
    CHECK_THROWS_WITH_AS(archive.open("b"), "b: shares its bytes with other entries", Error);
}

TEST_CASE("a directory with wrong places and sizes is refused, and nothing outside is read") {
    const std::string file = foreign::zip(kEntries);
    const std::size_t end = file.size() - 22;
    for (std::size_t at = file.find("PK\1\2"); at < file.size(); ++at) {
        std::string broken = file;
        broken[at] = char(broken[at] ^ 0x80);
        try {
            ZipArchive archive(bytes_of_text(broken));
            for (const auto& [name, content] : kEntries)
                if (archive.has(name)) archive.open(name);
        } catch (const Error&) {}
    }
    std::string far = file;
    far.replace(end + 16, 4, foreign::u32(0xfffffff0));
    CHECK_THROWS_AS(ZipArchive(bytes_of_text(far)), Error);
}
