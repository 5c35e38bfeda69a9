// Paths in UTF-8, as all are here, whatever the system's own encoding.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include "base/error.h"

// Made of a plain string, a path would be in the encoding of the C locale, which on Windows has no
// name for most characters.
inline std::filesystem::path path_of(std::string_view utf8) {
    return std::u8string(utf8.begin(), utf8.end());
}

// A folder's path without the slashes, and the dots between them, that may end it. A .. stays: what
// is above a link only the system knows.
inline std::filesystem::path without_slash(std::filesystem::path folder) {
    while (folder.has_relative_path() && (!folder.has_filename() || folder.filename() == "."))
        folder = folder.parent_path();
    return folder;
}

// The path of the folder that a file is in.
inline std::string folder_of(std::string_view file) {
    const std::filesystem::path folder = path_of(file).parent_path();
    return folder.empty() ? "." : folder.string();
}

// Whether a folder is there. Where the system does not say, it is for opening to tell why.
inline bool is_folder(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

// What is there, links followed. Throws Error, "PATH: cannot be ...: why", where the system does
// not say, as it does not of a circle of links.
inline std::filesystem::file_status status_of(const std::string& path, std::string_view cannot) {
    std::error_code error;
    const auto status = std::filesystem::status(path_of(path), error);
    if (!std::filesystem::status_known(status))
        throw Error(cat(path, ": ", cannot, ": ", error.message()));
    return status;
}
