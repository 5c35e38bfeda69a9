#include "text/byte_characters.h"
#include <doctest/doctest.h>
#include <set>
#include "base/error.h"

TEST_CASE("every byte has a character of its own, and comes back") {
    std::set<std::string> characters;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string bytes(1, char(byte)), text = to_byte_characters(bytes);
        CHECK(from_byte_characters(text) == bytes);
        characters.insert(text);
    }
    CHECK(characters.size() == 256);
}

TEST_CASE("the characters are those of GPT-2's files") {
    CHECK(to_byte_characters(std::string("\0 !~\n", 5)) == "ĀĠ!~Ċ");
    CHECK(to_byte_characters("\x7f\x80\xa0\xa1\xac\xad\xae\xff") == "ġĢł¡¬Ń®ÿ");
    CHECK(from_byte_characters("ĠÃ©") == " é");
}

TEST_CASE("a character that stands for no byte is refused by name") {
    for (const auto& [text, found] : {std::pair("a b", "' '"),
                                      {"é\n", "U+000A"},
                                      {"震", "'震' (U+9707)"},
                                      {"ń", "'ń' (U+0144)"},
                                      {"\u00ad", "'\u00ad' (U+00AD)"},
                                      {"\ufeffa", "U+FEFF (a byte order mark)"},
                                      {"a\xff", "byte 0xff"}})
        CHECK_THROWS_WITH_AS(from_byte_characters(text),
                             cat(found, " stands for no byte in GPT-2's alphabet").c_str(), Error);
}
