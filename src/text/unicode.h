// Characters as GPT-2's tokenizer sees them: UTF-8 in which no byte is ever lost, and the three
// Unicode classes that its split knows. ASCII takes the short way.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

// What a text begins with: a character in valid UTF-8 or, where the bytes are none, one byte.
struct Character {
    char32_t code;     // the byte's own value where it is not valid
    std::size_t size;  // in bytes
    bool valid;
};

enum class CharClass { other, letter, number, space };  // neither, \p{L}, \p{N}, White_Space

namespace unicode {
Character first_character(std::string_view text);
CharClass class_of(Character c);

inline constexpr auto kAscii = [] {
    std::array<CharClass, 128> types{};
    for (char c = 'a'; c <= 'z'; ++c) types[c] = types[c - 'a' + 'A'] = CharClass::letter;
    for (char c = '0'; c <= '9'; ++c) types[c] = CharClass::number;
    for (char c : {'\t', '\n', '\v', '\f', '\r', ' '}) types[c] = CharClass::space;
    return types;
}();
}  // namespace unicode

// The first character of text, which is not empty.
inline Character first_character(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text[0]);
    return byte < 128 ? Character{byte, 1, true} : unicode::first_character(text);
}

// An invalid byte is other.
inline CharClass class_of(Character c) {
    return c.code < 128 ? unicode::kAscii[c.code] : unicode::class_of(c);
}

// Whether bytes are the beginning of some character and lack its end.
bool is_cut_short(std::string_view bytes);

// The text in single quotes, for a message of one line: control characters and invalid bytes as
// \xNN, a long text cut short.
std::string in_quotes(std::string_view text);

// The Unicode version of the classes.
const char* unicode_version();
