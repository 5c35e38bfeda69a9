#include "base/path.h"
#include <doctest/doctest.h>
#include "tests/support.h"

TEST_CASE("of a folder's path only what ends it and changes nothing goes") {
    for (const auto& [path, expected] : {std::pair("a", "a"),
                                         {"a/", "a"},
                                         {"a//", "a"},
                                         {"a/./", "a"},
                                         {"./a/.", "./a"},
                                         {"a/../b/", "a/../b"},
                                         {"a/..", "a/.."},
                                         {".", ""},
                                         {"", ""},
                                         {"/", "/"},
                                         {"/a/", "/a"}})
        CHECK(without_slash(path) == expected);
}

TEST_CASE("a file's folder is above it, or here") {
    CHECK(folder_of("a/b") == "a");
    CHECK(folder_of("/b") == "/");
    CHECK(folder_of("b") == ".");
}

TEST_CASE("what the system does not say of a path is an error with the path") {
    const ScratchFolder scratch;
    CHECK(is_directory(status_of(scratch.path(), "cannot be read")));
    CHECK_FALSE(exists(status_of(scratch.path("none"), "cannot be read")));
    CHECK(is_folder(scratch.path()));
    std::filesystem::create_symlink("circle", scratch.path("circle"));
    for (const auto& [name, reason] :
         {std::pair(std::string("circle"), "Too many levels of symbolic links"),
          {std::string(300, 'a'), "File name too long"}}) {
        CHECK_THROWS_WITH_AS(status_of(scratch.path(name), "cannot be read"),
                             cat(scratch.path(name), ": cannot be read: ", reason).c_str(), Error);
        CHECK_FALSE(is_folder(scratch.path(name)));
    }
}
