#include "text/unicode.h"
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <set>
#include "base/utf8.h"
#include "tests/support.h"

namespace {

CharClass class_of_code(char32_t code) {
    std::string text;
    append_utf8(text, code);
    const Character c = first_character(text);
    if (!c.valid || c.code != code || c.size != text.size()) FAIL("code point ", +code);
    return class_of(c);
}

}  // namespace

TEST_CASE("well-known code points are letters, numbers, white space or neither") {
    for (const char32_t letter : {U'a', U'Z', U'ª', U'é', U'ß', U'Ж', U'ʰ', U'א', U'あ', U'震',
                                  U'가', U'𝔸', char32_t(0x323af)})
        CHECK(class_of_code(letter) == CharClass::letter);
    for (const char32_t number : {U'0', U'9', U'²', U'½', U'Ⅳ', U'٣', U'〇', U'①', U'𝟘'})
        CHECK(class_of_code(number) == CharClass::number);
    for (const char32_t space : {0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000,
                                 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000})
        CHECK(class_of_code(space) == CharClass::space);
    for (const char32_t other : {0x00, 0x1c, 0x1f, 0x21, 0x27, 0x5f, 0x7f, 0xad, 0x0301, 0x180e,
                                 0x200b, 0x200d, 0x20ac, 0xfeff, 0xe000, 0x1f388, 0x10ffff})
        CHECK(class_of_code(other) == CharClass::other);
}

TEST_CASE("every code point has the class that the Unicode data give it") {
    std::ifstream properties("/usr/share/unicode/PropList.txt");
    std::ifstream characters("/usr/share/unicode/UnicodeData.txt");
    std::string line;
    std::getline(properties, line);
    if (line != "# PropList-" + std::string(unicode_version()) + ".txt")
        return skip("the whole Unicode table, for want of Debian's unicode-data of its version");

    std::map<char32_t, CharClass> wanted;
    char32_t first = 0;
    while (std::getline(characters, line)) {
        const auto code = char32_t(std::stoul(line, nullptr, 16));
        if (line.find(", Last>") == line.npos) first = code;
        const char category = line[line.find(';', line.find(';') + 1) + 1];
        for (; first <= code; ++first)
            wanted[first] = category == 'L'   ? CharClass::letter
                            : category == 'N' ? CharClass::number
                                              : CharClass::other;
    }
    while (std::getline(properties, line) && !line.ends_with("White_Space"))
        if (const std::size_t dots = line.find(".."); line.find("; White_Space") != line.npos)
            for (auto code = std::stoul(line, nullptr, 16);
                 code <= std::stoul(dots < 7 ? line.substr(dots + 2) : line, nullptr, 16); ++code)
                wanted[char32_t(code)] = CharClass::space;

    for (char32_t code = 0; code <= 0x10ffff; ++code) {
        if (code >= 0xd800 && code <= 0xdfff) continue;  // surrogates are no characters
        const auto entry = wanted.find(code);
        if (class_of_code(code) != (entry == wanted.end() ? CharClass::other : entry->second))
            FAIL("code point ", +code);
    }
}

TEST_CASE("what is not valid UTF-8 is read byte by byte, as neither letter, number nor space") {
    for (const std::string text :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82",
          "\xe2(\xa1", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x8e", "\xf4\x90\x80\x80",
          "\xf5\x80\x80\x80", "\xff"}) {
        const Character c = first_character(text);
        CHECK(c.size == 1);
        CHECK(!c.valid);
        CHECK(c.code == static_cast<unsigned char>(text[0]));
        CHECK(class_of(c) == CharClass::other);
    }
    CHECK(first_character(std::string(1, '\0')).valid);
    CHECK(first_character("\xed\x9f\xbf").code == 0xd7ff);
    CHECK(first_character("\xf4\x8f\xbf\xbf").code == 0x10ffff);
}

TEST_CASE("bytes are cut short exactly when more bytes can make them one character") {
    std::set<std::string> beginnings;  // of all characters: their last byte does not matter
    for (char32_t code = 0x80; code <= 0x10ffff; code += 0x40) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        std::string text;
        append_utf8(text, code);
        while (text.size() > 1) {
            text.pop_back();
            beginnings.insert(text);
        }
    }
    CHECK(!is_cut_short(""));
    for (int a = 0; a < 256; ++a)
        for (int b = -1; b < 256; ++b)
            for (int c = -1; c < (b < 0 ? 0 : 256); c += 15) {  // 0x80 and 0xbf are among them
                std::string text(1, char(a));
                if (b >= 0) text += char(b);
                if (c >= 0) text += char(c);
                if (is_cut_short(text) != beginnings.contains(text)) FAIL(in_quotes(text));
            }
}

TEST_CASE("a quoted text is one line of valid UTF-8, and not too long") {
    CHECK(in_quotes("a é\n\x1b[\x7f\xff") == "'a é\\x0a\\x1b[\\x7f\\xff'");
    CHECK(in_quotes("\xc2\x85") == "'\\xc2\\x85'");
    CHECK(in_quotes(std::string(1000, 'x')) == "'" + std::string(80, 'x') + "…'");
}
