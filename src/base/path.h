// Paths in UTF-8, as all are here, whatever the system's own encoding.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

// Made of a plain string, a path would be in the encoding of the C locale, which on Windows has no
// name for most characters.
inline std::filesystem::path path_of(std::string_view utf8) {
    return std::u8string(utf8.begin(), utf8.end());
}

// A folder's path without . and .., as text, nor the slashes that may end it.
inline std::filesystem::path without_slash(const std::filesystem::path& folder) {
    return (folder / "").lexically_normal().parent_path();
}
