#include "base/draft_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"

namespace fs = std::filesystem;

DraftFolder::DraftFolder(const std::string& path)
    : path_(without_slash(path_of(followed(without_slash(path_of(path)).string())))),
      draft_(path_of(path_.string() + ".part")) {
    const fs::path name = path_.filename();
    if (name.empty() || name == "..")
        throw Error(cat("'", path, "' is no name for a folder to be made"));
    if (fs::exists(draft_))
        throw Error(cat(draft_.string(),
                        ": is there already, perhaps of a run that was killed; it "
                        "has to be removed first"));
    std::error_code error;
    fs::create_directories(draft_, error);
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
