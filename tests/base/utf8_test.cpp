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
        if (utf8_length(text + "\x80") != expected) FAIL("code point ", code, " and more");
        if (utf8_length(text.substr(0, text.size() - 1)) != 0) FAIL("code point ", code, ", cut");
    }
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
