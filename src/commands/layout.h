// How numbers and pieces of text are laid out in tables and messages.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
#include "base/error.h"

#if defined(__MINGW_PRINTF_FORMAT)  // the printf in use there is not that of the system
#define PRINTF_FORMAT __MINGW_PRINTF_FORMAT
#else
#define PRINTF_FORMAT printf
#endif
// printf's formatting, as a string.
[[gnu::format(PRINTF_FORMAT, 1, 2)]] std::string form(const char* format, ...);
#undef PRINTF_FORMAT

// 1234567 as 1,234,567.
std::string grouped(std::size_t number);
// A number of bytes as people read it: 3.2 MB.
std::string in_bytes(std::size_t bytes);

// Any bytes as one line of valid text in which white space shows: · for a space, ↵ for a line feed,
// ⇥ for a tab; other control characters and bytes that are not UTF-8 become \xNN.
std::string visible(std::string_view bytes);
// Any bytes as one line of valid text to read, as in a message: spaces stay, a line feed is \n.
std::string on_one_line(std::string_view bytes);
// How many columns a line of valid text takes in a terminal: wide characters two, combining ones
// none.
int columns(std::string_view text);
// The line of valid text, or as much of it as fits into `width` columns with … behind it.
std::string cut(std::string_view text, int width);
// The same with spaces behind it, to exactly `width` columns.
std::string fit(std::string_view text, int width);

// What a program says of an error, and of where to read on: one line, however long the names in it.
std::string error_line(std::string_view program, std::string_view message,
                       std::string_view hint = "");

// A list's items as text, with commas or whatever else between them.
template <typename List, typename AsText>
std::string join(const List& list, std::string_view between, AsText as_text) {
    std::string text;
    bool first = true;
    for (const auto& item : list) {
        if (!first) text += between;
        text += as_text(item);
        first = false;
    }
    return text;
}

// A list's items, each as JSON, as a JSON array.
template <typename List, typename AsJson>
std::string json_list(const List& list, AsJson as_json) {
    return cat("[", join(list, ",", as_json), "]");
}

// Token ids as JSON: [1,2,3].
std::string json_ids(const std::vector<int>& ids);
