#include "base/file.h"
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include "base/error.h"
#include "base/path.h"
#include "tests/support.h"

TEST_CASE("a file's bytes are its own, after a move too") {
    ScratchFolder scratch;
    std::ofstream(scratch.path("a")) << "some bytes";
    File file = File::open(scratch.path("a"));
    CHECK(file.text() == "some bytes");
    const File moved = std::move(file);
    CHECK(moved.text() == "some bytes");
    CHECK(moved.name() == scratch.path("a"));
}

TEST_CASE("an empty file is empty, and not an error") {
    ScratchFolder scratch;
    std::ofstream(scratch.path("empty"));
    CHECK(File::open(scratch.path("empty")).bytes().empty());
}

TEST_CASE("what is no readable file is refused by name") {
    ScratchFolder scratch;
    CHECK_THROWS_WITH_AS(File::open(scratch.path("none")),
                         (scratch.path("none") + ": no such file").c_str(), Error);
    CHECK_THROWS_WITH_AS(File::open(scratch.path()),
                         (scratch.path() + ": not a regular file").c_str(), Error);
    std::filesystem::create_symlink("circle", scratch.path("circle"));
    const std::string circle =
        scratch.path("circle") + ": cannot be opened: Too many levels of symbolic links";
    CHECK_THROWS_WITH_AS(File::open(scratch.path("circle")), circle.c_str(), Error);
}

TEST_CASE("a Git LFS pointer is recognised, and the error says what to do") {
    ScratchFolder scratch;
    const std::string path = scratch.path("merges.txt");
    std::ofstream(path)
        << "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff"
           "69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    const std::string wanted = path +
                               ": a Git LFS pointer, not the file it stands for; `git lfs pull` "
                               "in its repository fetches that";
    CHECK_THROWS_WITH_AS(File::open(path), wanted.c_str(), Error);
}

TEST_CASE("pages given back are read again from the file") {
    ScratchFolder scratch;
    const std::string text(100000, 'x');
    std::ofstream(scratch.path("big")) << text;
    const File file = File::open(scratch.path("big"));
    file.give_back(file.bytes().data(), file.bytes().size());
    CHECK(file.text() == text);
}

TEST_CASE("a file that another program cuts is noticed") {
    ScratchFolder scratch;
    std::ofstream(scratch.path("big")) << std::string(100000, 'x');
    File file = File::open(scratch.path("big"));
    CHECK_NOTHROW(file.check_unchanged());
    std::filesystem::resize_file(scratch.path("big"), 99999);
    CHECK_THROWS_WITH_AS(
        file.check_unchanged(),
        (scratch.path("big") + ": changed by another program while it was read").c_str(), Error);
    std::filesystem::remove(scratch.path("big"));
    std::ofstream(scratch.path("big")) << "another";
    file = File::open(scratch.path("big"));
    std::filesystem::remove(scratch.path("big"));  // the old bytes stay for who has them open
    CHECK_NOTHROW(file.check_unchanged());
}

TEST_CASE("a file is written whole") {
    ScratchFolder scratch;
    write_file(scratch.path("out"), [](const Append& append) {
        append(bytes_of_text("one "));
        append(bytes_of_text("two"));
    });
    CHECK(File::open(scratch.path("out")).text() == "one two");
}

TEST_CASE("a file that is replaced keeps its links and its mode, and what lies beside it") {
    ScratchFolder scratch;
    const auto write = [&](const std::string& name) {
        write_file(scratch.path(name), [](const Append& append) { append(bytes_of_text("new")); });
    };
    std::ofstream(scratch.path("target")) << "old";
    std::ofstream(scratch.path("target.part")) << "somebody's";
    std::filesystem::permissions(scratch.path("target"), std::filesystem::perms(0640));
    std::filesystem::create_symlink("target", scratch.path("link"));
    write("link");
    CHECK(std::filesystem::is_symlink(scratch.path("link")));
    CHECK(File::open(scratch.path("target")).text() == "new");
    CHECK(std::filesystem::status(scratch.path("target")).permissions() ==
          std::filesystem::perms(0640));
    CHECK(File::open(scratch.path("target.part")).text() == "somebody's");
    CHECK(!std::filesystem::exists(scratch.path("target.part1")));
}

TEST_CASE("a file that is not there yet is written where a link leads, or not at all") {
    ScratchFolder scratch;
    const auto write = [&](const std::string& name) {
        write_file(scratch.path(name), [](const Append& append) { append(bytes_of_text("new")); });
    };
    std::filesystem::create_directory(scratch.path("d"));
    std::filesystem::create_symlink("d/link", scratch.path("link"));
    std::filesystem::create_symlink("../new", scratch.path("d/link"));
    write("link");
    CHECK(std::filesystem::is_symlink(scratch.path("link")));
    CHECK(std::filesystem::is_symlink(scratch.path("d/link")));
    CHECK(File::open(scratch.path("new")).text() == "new");
    std::filesystem::create_symlink("none/new", scratch.path("lost"));
    std::filesystem::create_symlink("circle", scratch.path("circle"));
    for (const auto& [name, reason] : {std::pair("lost", "No such file or directory"),
                                       {"circle", "Too many levels of symbolic links"}}) {
        CHECK_THROWS_WITH_AS(
            write(name), (scratch.path(name) + ": cannot be written: " + reason).c_str(), Error);
        CHECK(std::filesystem::is_symlink(scratch.path(name)));
    }
}

TEST_CASE("two paths to one file are the same place, whether or not it is there") {
    ScratchFolder scratch;
    std::filesystem::create_directory(scratch.path("d"));
    std::filesystem::create_symlink("x", scratch.path("link"));
    for (int round = 0; round < 2; ++round) {
        for (const char* other : {"x", "./x", "d/../x", "link", "d/../link"})
            CHECK(same_place(scratch.path("x"), scratch.path(other)));
        CHECK_FALSE(same_place(scratch.path("x"), scratch.path("y")));
        CHECK_FALSE(same_place(scratch.path("x"), scratch.path("d/x")));
        std::ofstream(scratch.path("x")) << "there";
    }
    CHECK(same_place("not there", "./not there"));
    for (const char letter : {'a', 'b'})  // of a length that no system takes
        CHECK(same_place(std::string(300, 'a'), "./" + std::string(300, letter)) ==
              (letter == 'a'));
}

TEST_CASE("a pipe or a device is written to, not replaced") {
    ScratchFolder scratch;
    const std::string pipe = scratch.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    write_file(pipe, [](const Append& append) { append(bytes_of_text("text")); });
    char buffer[8] = {};
    CHECK(::read(reader, buffer, sizeof buffer) == 4);
    ::close(reader);
    CHECK(std::string(buffer) == "text");
    CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a write that fails leaves the old file and nothing else") {
    ScratchFolder scratch;
    std::ofstream(scratch.path("out")) << "old";
    const auto fails = [](const Append& append) {
        append(bytes_of_text("half"));
        throw Error("the rest is missing");
    };
    CHECK_THROWS_WITH_AS(write_file(scratch.path("out"), fails), "the rest is missing", Error);
    CHECK(File::open(scratch.path("out")).text() == "old");
    CHECK(std::distance(std::filesystem::directory_iterator(scratch.path()), {}) == 1);
    CHECK_THROWS_AS(write_file(scratch.path("no/such/folder"), fails), Error);
}

TEST_CASE("a file whose name is in any script is written and read under that name") {
    ScratchFolder scratch;
    const std::string name = scratch.path("модель é 震");
    write_file(name, [](const Append& append) { append(bytes_of_text("some bytes")); });
    CHECK(File::open(name).text() == "some bytes");
    CHECK(path_of(name).string() == name);
    CHECK(path_of("\xff/a").string() == "\xff/a");
}
