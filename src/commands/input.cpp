#include "commands/input.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include "base/error.h"
#include "base/file.h"
#include "commands/layout.h"

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_bytes(const std::string& path, std::size_t most) {
    const bool standard = path == "-";
    const std::string name = input_name(path);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(
        standard ? nullptr : open_stream(path, "rb"), [](std::FILE* f) { return std::fclose(f); });
    std::FILE* in = standard ? stdin : opened.get();
    if (!in) throw Error(cat(name, ": cannot be opened: ", std::strerror(errno)));
    std::string bytes;
    char buffer[65536];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, in)) {
        bytes.append(buffer, count);
        if (bytes.size() > most) throw Error(cat(name, ": goes on beyond ", most, " bytes"));
    }
    if (std::ferror(in)) throw Error(cat(name, ": cannot be read: ", std::strerror(errno)));
    return bytes;
}

namespace {

int parse_id(std::string_view word, int limit) {
    int id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    const bool whole = end == word.data() + word.size();
    if (!whole || error == std::errc::invalid_argument)
        throw UsageError(
            cat("'", cut(on_one_line(word), 40), "' is no token id, which is a whole number"));
    if (error != std::errc{} || id < 0 || id >= limit)
        throw UsageError(cat("token ", cut(word, 40), " is outside the vocabulary of ", limit,
                             " tokens, 0 to ", limit - 1));
    return id;
}

}  // namespace

void check_is_file(const char* option, const std::string& path) {
    if (path == "-") throw UsageError(cat(option, " writes a file, expected its name, found '-'"));
}

Ids parse_ids(std::string_view list, int limit) {
    constexpr std::string_view kSpace = " \t\r\n", kEnd = ", \t\r\n";
    Ids ids;
    const auto skip_space = [&] {
        list.remove_prefix(std::min(list.find_first_not_of(kSpace), list.size()));
    };
    bool more = false;  // a comma promises one
    for (skip_space(); !list.empty() || more; skip_space()) {
        const std::size_t end = std::min(list.find_first_of(kEnd), list.size());
        ids.push_back(parse_id(list.substr(0, end), limit));
        list.remove_prefix(end);
        skip_space();
        more = list.starts_with(',');
        if (more) list.remove_prefix(1);
    }
    return ids;
}
