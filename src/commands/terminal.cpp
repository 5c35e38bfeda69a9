#include "commands/terminal.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include "base/error.h"
#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <windows.h>
// windows.h comes first
#include <shellapi.h>
#include <filesystem>
#else
#include <unistd.h>
#endif

namespace {

[[noreturn]] void refuse() {
    throw Error(cat("standard output cannot be written: ", std::strerror(errno)));
}

}  // namespace

std::vector<std::string> begin([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#if defined(_WIN32)
    for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
    int count = 0;
    wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
    std::vector<std::string> words;
    for (int i = 1; wide && i < count; ++i)
        words.push_back(std::filesystem::path(wide[i]).string());
    ::LocalFree(wide);
    return words;
#else
    return {argv + std::min(argc, 1), argv + argc};
#endif
}

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) refuse();
}

void flush() {
    if (std::fflush(stdout) != 0) refuse();
}

void note(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0; }

bool has_colour(std::FILE* stream) {
    const char* refused = std::getenv("NO_COLOR");
    return is_terminal(stream) && !(refused && *refused);
}

int line_width() {
    const char* const columns = std::getenv("COLUMNS");
    const int width = columns ? std::atoi(columns) : 0;
    return width > 0 ? width : 120;
}
