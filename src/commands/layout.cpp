#include "commands/layout.h"
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include "base/utf8.h"

std::string form(const char* format, ...) {
    std::va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int size = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    std::string text(std::size_t(size), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    return text;
}

std::string grouped(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
    return text;
}

std::string in_bytes(std::size_t bytes) {
    constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = double(bytes);
    int unit = 0;
    for (; value >= 999.5 && unit < 4; ++unit) value /= 1000;
    return form(unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
}

namespace {

// Characters that move the cursor or turn the direction of what follows.
bool is_control(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

struct Marks {
    std::string_view space, line_feed, tab;
};

std::string marked(std::string_view bytes, const Marks& marks) {
    std::string text;
    while (!bytes.empty()) {
        const bool valid = utf8_length(bytes) > 0;
        const auto length = std::size_t(std::max(utf8_length(bytes), 1));
        if (bytes[0] == ' ')
            text += marks.space;
        else if (bytes[0] == '\n')
            text += marks.line_feed;
        else if (bytes[0] == '\t')
            text += marks.tab;
        else if (valid && !is_control(utf8_code_point(bytes.substr(0, length))))
            text += bytes.substr(0, length);
        else
            for (const char c : bytes.substr(0, length))
                text += form("\\x%02x", static_cast<unsigned char>(c));
        bytes.remove_prefix(length);
    }
    return text;
}

struct Range {
    std::uint32_t first, last;
    int columns;
};

// The large blocks of combining characters and of wide ones (Unicode's East Asian Width W and F,
// and emoji): enough to align a table.
constexpr Range kNotOneColumn[] = {
    {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0}, {0x0591, 0x05bd, 0}, {0x064b, 0x065f, 0},
    {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0}, {0x200b, 0x200f, 0}, {0x20d0, 0x20ff, 0},
    {0x2e80, 0xa4cf, 2},   {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},
    {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2},
    {0x20000, 0x3fffd, 2},
};

int columns_of(std::uint32_t code) {
    for (const Range& range : kNotOneColumn)
        if (code >= range.first && code <= range.last) return range.columns;
    return 1;
}

}  // namespace

std::string visible(std::string_view bytes) { return marked(bytes, {"·", "↵", "⇥"}); }

std::string on_one_line(std::string_view bytes) { return marked(bytes, {" ", "\\n", "\\t"}); }

std::string error_line(std::string_view program, std::string_view message, std::string_view hint) {
    constexpr int kLongest = 1000;  // columns: names in a file may be of any length
    return cat(program, ": ", cut(on_one_line(message), kLongest), hint, "\n");
}

int columns(std::string_view text) {
    int width = 0;
    while (!text.empty()) {
        const auto length = std::size_t(utf8_length(text));
        width += columns_of(utf8_code_point(text.substr(0, length)));
        text.remove_prefix(length);
    }
    return width;
}

std::string cut(std::string_view text, int width) {
    if (columns(text) <= width) return std::string(text);
    int used = 0;
    std::size_t end = 0;
    for (;;) {
        const auto length = std::size_t(utf8_length(text.substr(end)));
        used += columns_of(utf8_code_point(text.substr(end, length)));
        if (used > width - 1) break;
        end += length;
    }
    return std::string(text.substr(0, end)) + "…";
}

std::string fit(std::string_view text, int width) {
    std::string fitted = cut(text, width);
    return fitted.append(std::size_t(width - columns(fitted)), ' ');
}

std::string json_ids(const std::vector<int>& ids) {
    return json_list(ids, [](int id) { return std::to_string(id); });
}
