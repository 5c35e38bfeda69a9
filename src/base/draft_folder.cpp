#include "base/draft_folder.h"
#include <algorithm>
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"

namespace fs = std::filesystem;

namespace {

// Where the folder shall stand, behind any links. A file there stays, though a path that ends in a
// slash, or a dot, means none.
fs::path place(const std::string& path) {
    const fs::path given = without_slash(path_of(path));
    const auto status = status_of(given.string(), "cannot be written");
    if (fs::exists(status) && !fs::is_directory(status))
        throw Error(cat(given.string(), ": is there already, and no folder"));
    const fs::path place = without_slash(path_of(followed(given.string())));
    if (place.filename().empty() || place.filename() == "..")
        throw Error(cat("'", path, "' is no name for a folder to be made"));
    return place;
}

}  // namespace

FoldersAbove::FoldersAbove(const fs::path& path) {
    std::error_code error;
    std::vector<fs::path> missing;
    for (fs::path above = path.parent_path(); !above.empty() && !fs::exists(above, error);
         above = above.parent_path())
        missing.insert(missing.begin(), above);
    for (const fs::path& folder : missing) {
        if (folder.filename() == "..")  // of a folder that is not there: nothing, says the system
            error = std::make_error_code(std::errc::no_such_file_or_directory);
        else if (fs::create_directory(folder, error))
            made_.push_back(folder);
        if (!error) continue;
        remove();
        throw Error(cat(path.string(), ": cannot be written: ", error.message()));
    }
}

FoldersAbove::~FoldersAbove() { remove(); }

void FoldersAbove::remove() const {
    std::error_code ignored;  // as of a folder that is not empty
    std::for_each(made_.rbegin(), made_.rend(),
                  [&](const fs::path& folder) { fs::remove(folder, ignored); });
}

DraftFolder::DraftFolder(const std::string& path)
    : path_(place(path)), draft_(path_of(path_.string() + ".part")), above_(path_) {
    std::error_code error;
    const bool made = fs::create_directory(draft_, error);
    if (error == std::errc::file_exists || (!made && !error))
        throw Error(cat(draft_.string(),
                        ": is there already, perhaps of a run that was killed; it "
                        "has to be removed first"));
    check(error);
}

DraftFolder::~DraftFolder() {
    std::error_code ignored;
    fs::remove_all(draft_, ignored);
}

void DraftFolder::copy(const std::string& file) const {
    std::error_code error;
    const fs::path name = path_of(file).filename();
    fs::copy_file(path_of(file), draft_ / name, error);
    if (error)
        throw Error(cat(file, ": cannot be copied into ", path_.string(), ": ", error.message()));
}

void DraftFolder::publish() const {
    std::error_code error;
    fs::remove(path_, error);  // an empty folder, at most
    fs::rename(draft_, path_, error);
    check(error);
}

void DraftFolder::check(const std::error_code& error) const {
    if (error) throw Error(cat(path_.string(), ": cannot be written: ", error.message()));
}
