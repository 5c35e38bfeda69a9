#include "base/utf8.h"
#include <doctest/doctest.h>

TEST_CASE("every code point but the surrogates is valid as written, at its own length only") {
    for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
        std::string text;
        append_utf8(text, code);
        const bool surrogate = code >= 0xd800 && code <= 0xdfff;
        const int expected = surrogate        ? 0
                             : code < 0x80    ? 1
                             : code < 0x800   ? 2
                             : code < 0x10000 ? 3
                                              : 4;
        if (utf8_length(text) != expected) FAIL("code point ", code);
        if (!surrogate && utf8_code_point(text) != code) FAIL("code point ", code, ", read");
        if (utf8_length(text + "\x80") != expected) FAIL("code point ", code, " and more");
        if (utf8_length(text.substr(0, text.size() - 1)) != 0) FAIL("code point ", code, ", cut");
    }
}

TEST_CASE("a character is called by what shows, and by its number where that is not enough") {
    for (const auto& [text, name] : {std::pair("a b", "'a'"),
                                     {"~", "'~'"},
                                     {"é", "'é' (U+00E9)"},
                                     {"🎈!", "'🎈' (U+1F388)"},
                                     {"\x01", "U+0001"},
                                     {"\x7f", "U+007F"},
                                     {"\u0085", "U+0085"},
                                     {"\ufeff{}", "U+FEFF (a byte order mark)"},
                                     {"\xff", "byte 0xff"},
                                     {"\xc3(", "byte 0xc3"}})
        CHECK(character_in_words(text) == name);
}

TEST_CASE("bytes that are no character have length 0") {
    for (const char* text :
         {"", "\x80",
          "\xbf"
          "a",
          "\xc0\x80", "\xc1\xbf", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82(", "\xf0\x8f\xbf\xbf",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff"})
        CHECK(utf8_length(text) == 0);
}
