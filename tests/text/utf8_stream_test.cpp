#include "text/utf8_stream.h"
#include <doctest/doctest.h>
#include <vector>
#include "base/random.h"
#include "text/unicode.h"

TEST_CASE("a character comes out whole, once its last byte is there") {
    Utf8Stream stream;
    CHECK(stream.append("a\xe9") == "a");
    CHECK(stream.append("\x9c") == "");
    CHECK(stream.append("\x87!") == "震!");
    CHECK(stream.finish() == "");
}

TEST_CASE("bytes that can never become a character are not held back") {
    Utf8Stream stream;
    CHECK(stream.append("\xff") == "\xff");
    CHECK(stream.append("\x80") == "\x80");
    CHECK(stream.append("\xc0") == "\xc0");
    CHECK(stream.append("\xed") == "");
    CHECK(stream.append("\xa0") == "\xed\xa0");  // a surrogate
    CHECK(stream.append("\xf0\x9f") == "");
    CHECK(stream.append("\xf0\x9f") == "\xf0\x9f");  // the second start makes the first one junk
    CHECK(stream.append("x") == "\xf0\x9fx");
}

TEST_CASE("the end gives what is left, unchanged, and the stream can be used again") {
    Utf8Stream stream;
    CHECK(stream.append("ok\xf0\x9f\x8e") == "ok");
    CHECK(stream.finish() == "\xf0\x9f\x8e");
    CHECK(stream.finish() == "");
    CHECK(stream.append("\x88") == "\x88");
}

TEST_CASE("however a text is cut, nothing is lost and no valid character is split") {
    const std::string text = "aé震🎈\xff\xe9\x9c z\xf0\x9f\x8e\xc3\xc3\xa9\xe2\x82";
    for (std::size_t i = 0; i <= text.size(); ++i)
        for (std::size_t j = i; j <= text.size(); ++j) {
            Utf8Stream stream;
            std::string all;
            for (const auto& part : {text.substr(0, i), text.substr(i, j - i), text.substr(j)}) {
                all += stream.append(part);
                // What is out ends where a character of the whole text ends.
                std::size_t at = 0;
                while (at < all.size())
                    at += first_character(std::string_view(text).substr(at)).size;
                CHECK(at == all.size());
            }
            CHECK(all + stream.finish() == text);
        }
}
