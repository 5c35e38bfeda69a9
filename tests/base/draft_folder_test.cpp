#include "base/draft_folder.h"
#include <doctest/doctest.h>
#include <fstream>
#include "base/error.h"
#include "tests/support.h"

namespace fs = std::filesystem;

TEST_CASE("a folder stands under its name when it is published, or not at all") {
    const ScratchFolder scratch;
    std::ofstream(scratch.path("more")) << "text";
    {
        const DraftFolder draft(scratch.path("deep/out/"));
        draft.copy(scratch.path("more"));
        CHECK(fs::exists(draft.path() / "more"));
        CHECK(!fs::exists(scratch.path("deep/out")));
    }
    fs::create_directories(scratch.path("deep/out"));
    {
        const DraftFolder draft(scratch.path("deep/out"));
        draft.copy(scratch.path("more"));
        draft.publish();
    }
    CHECK(fs::exists(scratch.path("deep/out/more")));
    CHECK(!fs::exists(scratch.path("deep/out.part")));
}

TEST_CASE("folders above that were made for it go with a draft, and stay with what is published") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("mine"));
    { const DraftFolder draft(scratch.path("mine/a/b/out")); }
    CHECK(fs::is_empty(scratch.path("mine")));
    const std::string too_long(255, 'a');
    CHECK_THROWS_WITH_AS(
        DraftFolder(scratch.path("mine/a/" + too_long)),
        cat(scratch.path("mine/a/" + too_long), ": cannot be written: File name too long").c_str(),
        Error);
    CHECK(fs::is_empty(scratch.path("mine")));
    CHECK_THROWS_WITH_AS(
        DraftFolder(scratch.path("mine/a/../out")),
        (scratch.path("mine/a/../out") + ": cannot be written: No such file or directory").c_str(),
        Error);
    CHECK(fs::is_empty(scratch.path("mine")));
    DraftFolder(scratch.path("mine/a/b/out")).publish();
    CHECK(fs::is_directory(scratch.path("mine/a/b/out")));
    {
        const FoldersAbove above(scratch.path("mine/used/x/file"));
        std::ofstream(scratch.path("mine/used/file")) << "text";
    }
    CHECK(fs::exists(scratch.path("mine/used/file")));
    CHECK(!fs::exists(scratch.path("mine/used/x")));
}

TEST_CASE("what stands where a folder should be stays") {
    const ScratchFolder scratch;
    std::ofstream(scratch.path("file")) << "text";
    for (const char* path : {"file", "file/", "file/."})
        CHECK_THROWS_WITH_AS(DraftFolder(scratch.path(path)),
                             (scratch.path("file") + ": is there already, and no folder").c_str(),
                             Error);
    CHECK(fs::file_size(scratch.path("file")) == 4);
    fs::create_directory_symlink("none", scratch.path("link"));
    CHECK_THROWS_WITH_AS(DraftFolder(scratch.path("link/out")),
                         (scratch.path("link/out") + ": cannot be written: File exists").c_str(),
                         Error);
    CHECK(fs::is_symlink(scratch.path("link")));
}

TEST_CASE("a draft that is there, or cannot be made, is refused and left alone") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("out.part"));
    CHECK_THROWS_AS(DraftFolder(scratch.path("out")), Error);
    CHECK(fs::exists(scratch.path("out.part")));
    std::ofstream(scratch.path("file")) << "text";
    CHECK_THROWS_AS(DraftFolder(scratch.path("file/out")), Error);
}

TEST_CASE("a link to an empty folder stays one, and what it leads to is written") {
    const ScratchFolder scratch;
    std::ofstream(scratch.path("more")) << "text";
    fs::create_directory(scratch.path("target"));
    fs::create_directory_symlink("target", scratch.path("link"));
    fs::create_directory_symlink("new/", scratch.path("dangling"));
    for (const char* name : {"link/", "dangling"}) {
        const DraftFolder draft(scratch.path(name));
        draft.copy(scratch.path("more"));
        draft.publish();
    }
    CHECK(fs::is_symlink(scratch.path("link")));
    CHECK(fs::exists(scratch.path("target/more")));
    CHECK(fs::exists(scratch.path("new/more")));
}

TEST_CASE("what is above a link is where the system finds it, and a circle is refused") {
    const ScratchFolder scratch;
    fs::create_directories(scratch.path("far/away"));
    fs::create_directory_symlink("far/away", scratch.path("link"));
    DraftFolder(scratch.path("link/../new")).publish();
    CHECK(fs::exists(scratch.path("far/new")));
    CHECK(!fs::exists(scratch.path("new")));
    fs::create_directory_symlink("circle", scratch.path("circle"));
    CHECK_THROWS_WITH_AS(
        DraftFolder(scratch.path("circle")),
        (scratch.path("circle") + ": cannot be written: Too many levels of symbolic links").c_str(),
        Error);
    CHECK(fs::is_symlink(scratch.path("circle")));
}

TEST_CASE("what names no new folder is refused") {
    for (const char* path : {"", ".", "./", "..", "a/..", "/", "../.."})
        CHECK_THROWS_WITH_AS(DraftFolder{path},
                             cat("'", path, "' is no name for a folder to be made").c_str(), Error);
}
