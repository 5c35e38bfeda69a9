#include "text/byte_characters.h"
#include <array>
#include "base/error.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace {

constexpr char32_t kCharacters = 256 + 68;  // the code points in use, and some below that are not

struct Alphabet {
    std::array<char32_t, 256> code_of{};
    std::array<int, kCharacters> byte_of{};  // -1 where a code point stands for no byte
};

// A byte that is a visible character of Latin-1 stands for itself; the 68 others take the code
// points from 256 on.
constexpr Alphabet kAlphabet = [] {
    Alphabet alphabet;
    alphabet.byte_of.fill(-1);
    char32_t next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool visible = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
        const char32_t code = visible ? char32_t(byte) : next++;
        alphabet.code_of[std::size_t(byte)] = code;
        alphabet.byte_of[code] = byte;
    }
    return alphabet;
}();

}  // namespace

std::string to_byte_characters(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes)
        append_utf8(text, kAlphabet.code_of[static_cast<unsigned char>(byte)]);
    return text;
}

std::string from_byte_characters(std::string_view text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = first_character(text.substr(at));
        const int byte = c.valid && c.code < kCharacters ? kAlphabet.byte_of[c.code] : -1;
        if (byte < 0)
            throw Error(cat(character_in_words(text.substr(at)),
                            " stands for no byte in GPT-2's alphabet"));
        bytes += char(byte);
        at += c.size;
    }
    return bytes;
}
