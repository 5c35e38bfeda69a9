#include "commands/terminal.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include "base/error.h"
#if __has_include(<unistd.h>)
#include <unistd.h>
#else
#include <io.h>
#endif

namespace {

[[noreturn]] void refuse() {
    throw Error(cat("standard output cannot be written: ", std::strerror(errno)));
}

}  // namespace

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
