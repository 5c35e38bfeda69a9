// A folder that stands under its name complete, or not at all.
#pragma once
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

// The folders above a path. Makes those that are missing, and takes them away again where nothing
// has come to stand in them.
class FoldersAbove {
public:
    explicit FoldersAbove(const std::filesystem::path& path);
    ~FoldersAbove();
    FoldersAbove(const FoldersAbove&) = delete;
    FoldersAbove& operator=(const FoldersAbove&) = delete;

private:
    void remove() const;

    std::vector<std::filesystem::path> made_;  // the outermost first
};

// PATH.part, which becomes `path` when it is published, and is gone with the object where it is
// not.
class DraftFolder {
public:
    // Refuses a draft that is there already. A link is followed.
    explicit DraftFolder(const std::string& path);
    ~DraftFolder();
    DraftFolder(const DraftFolder&) = delete;
    DraftFolder& operator=(const DraftFolder&) = delete;

    const std::filesystem::path& path() const { return draft_; }
    void copy(const std::string& file) const;  // into it, under the same name
    // Takes the place of an empty folder, if there is one.
    void publish() const;

private:
    void check(const std::error_code& error) const;

    std::filesystem::path path_, draft_;
    FoldersAbove above_;
};
