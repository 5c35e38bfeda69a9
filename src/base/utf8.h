// UTF-8: the character at the start of some bytes, and writing a code point.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include "base/error.h"

// The length in bytes of the valid character (RFC 3629) that text starts with: 1 to 4, and 0 where
// there is none.
inline int utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return text.empty() ? 0 : 1;
    if (first < 0xc2 || first > 0xf4 || !follows(1)) return 0;
    if (first < 0xe0) return 2;
    // Overlong forms, surrogates, and what lies above U+10FFFF show in the second byte.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    if (!follows(2)) return 0;
    if (first < 0xf0) return 3;
    return follows(3) ? 4 : 0;
}

// The code point of one valid character.
inline std::uint32_t utf8_code_point(std::string_view character) {
    std::uint32_t code = static_cast<unsigned char>(character[0]);
    if (character.size() > 1) code &= 0x7fu >> character.size();
    for (const char c : character.substr(1)) code = code << 6 | (c & 0x3f);
    return code;
}

// What a message calls the character that text, which is not empty, starts with: 'a', 'é' (U+00E9),
// by its number alone if it is a control character or a byte order mark, or byte 0xff where it is
// not valid.
inline std::string character_in_words(std::string_view text) {
    const std::string_view character = text.substr(0, std::size_t(utf8_length(text)));
    const bool valid = !character.empty();
    const std::uint32_t code =
        valid ? utf8_code_point(character) : static_cast<unsigned char>(text[0]);
    char number[16];
    std::snprintf(number, sizeof number, valid ? "U+%04X" : "byte 0x%02x", unsigned(code));
    if (code == 0xfeff) return cat(number, " (a byte order mark)");
    if (!valid || code < 0x20 || (code >= 0x7f && code < 0xa0)) return number;
    const std::string quoted = cat("'", character, "'");
    return code < 0x7f ? quoted : cat(quoted, " (", number, ")");
}

// Appends the code point, which must be at most 0x10ffff.
inline void append_utf8(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
        text += char(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes after the first
    text += char((0xf0 << (3 - more) & 0xff) | code >> 6 * more);
    for (int i = more - 1; i >= 0; --i) text += char(0x80 | (code >> 6 * i & 0x3f));
}
