#include "base/draft_folder.h"
#include <algorithm>
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"

namespace fs = std::filesystem;

namespace {

// Where the folder shall stand, behind any links.
fs::path place(const std::string& path) {
    status_of(path, "cannot be written");
    const fs::path given = without_slash(path_of(path));
    const fs::path place = without_slash(path_of(followed(given.string())));
    if (place.filename().empty() || place.filename() == "..")
        throw Error(cat("'", path, "' is no name for a folder to be made"));
    return place;
}

}  // namespace

FoldersAbove::FoldersAbove(const fs::path& path) {
    std::error_code error;
    for (fs::path above = path.parent_path(); !above.empty() && !fs::exists(above, error);
         above = above.parent_path())
        made_.push_back(above);
    std::ranges::reverse(made_);
    for (const fs::path& folder : made_)
        if (fs::create_directory(folder, error); error) {
            remove();
            throw Error(cat(path.string(), ": cannot be written: ", error.message()));
        }
}

FoldersAbove::~FoldersAbove() { remove(); }

void FoldersAbove::remove() const {
    std::error_code ignored;  // as of a folder that is not empty
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder)
        fs::remove(*folder, ignored);
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
