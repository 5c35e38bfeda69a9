// UTF-8: how long the character at the start of some bytes is, and writing a code point.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

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
