#include "text/split.h"
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>
#include "base/random.h"
#include "text/unicode.h"

namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t size = first_word(text);
        REQUIRE(size > 0);
        REQUIRE(size <= text.size());
        out.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return out;
}

// A regular expression the slow way: a pattern is a list of steps, each a kind of character and how
// often it may come; a search tries the longest first and goes back.
struct Unit {
    std::string bytes;
    CharClass type;
};
struct Step {
    std::function<bool(const Unit&)> fits;
    std::size_t least, most;
    bool only_looks = false;  // (?!...): the next unit, if any, must not fit
};
using Pattern = std::vector<Step>;

// Where the pattern's steps from `step` on can end, beginning at `at`; npos where they cannot.
std::size_t match(const Pattern& pattern, std::size_t step, const std::vector<Unit>& text,
                  std::size_t at) {
    if (step == pattern.size()) return at;
    const Step& s = pattern[step];
    if (s.only_looks)
        return at < text.size() && s.fits(text[at]) ? std::string::npos
                                                    : match(pattern, step + 1, text, at);
    std::size_t count = 0;
    while (count < s.most && at + count < text.size() && s.fits(text[at + count])) ++count;
    for (;; --count) {
        if (count < s.least) return std::string::npos;
        const std::size_t end = match(pattern, step + 1, text, at + count);
        if (end != std::string::npos) return end;
        if (count == 0) return std::string::npos;
    }
}

std::vector<Pattern> gpt2_patterns() {
    constexpr std::size_t kMany = 1000000;
    const auto is = [](std::string bytes) {
        return [bytes](const Unit& u) { return u.bytes == bytes; };
    };
    const auto of = [](CharClass type) { return [type](const Unit& u) { return u.type == type; }; };
    const auto not_space = [](const Unit& u) { return u.type != CharClass::space; };
    std::vector<Pattern> patterns;
    for (const std::string ending : {"s", "t", "re", "ve", "m", "ll", "d"}) {
        patterns.push_back({{is("'"), 1, 1}});
        for (const char c : ending) patterns.back().push_back({is(std::string(1, c)), 1, 1});
    }
    for (const CharClass type : {CharClass::letter, CharClass::number, CharClass::other})
        patterns.push_back({{is(" "), 0, 1}, {of(type), 1, kMany}});
    patterns.push_back({{of(CharClass::space), 1, kMany}, {not_space, 0, 0, true}});
    patterns.push_back({{of(CharClass::space), 1, kMany}});
    return patterns;
}

std::vector<std::string> slow_words(std::string_view text) {
    std::vector<Unit> units;
    while (!text.empty()) {
        const Character c = first_character(text);
        units.push_back({std::string(text.substr(0, c.size)), class_of(c)});
        text.remove_prefix(c.size);
    }
    static const std::vector<Pattern> patterns = gpt2_patterns();
    std::vector<std::string> out;
    for (std::size_t at = 0; at < units.size();) {
        std::size_t end = std::string::npos;
        for (const Pattern& pattern : patterns)
            if ((end = match(pattern, 0, units, at)) != std::string::npos) break;
        REQUIRE(end != std::string::npos);
        std::string& word = out.emplace_back();
        for (; at < end; ++at) word += units[at].bytes;
    }
    return out;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("letters, numbers and the rest part from each other, one space before them stays") {
    CHECK(words("") == Words{});
    CHECK(words("naïve façade") == Words{"naïve", " façade"});
    CHECK(words("x² 42abc,... ok") == Words{"x", "²", " 42", "abc", ",...", " ok"});
    CHECK(words("Ⅳ½ ok🎈") == Words{"Ⅳ½", " ok", "🎈"});
}

TEST_CASE("contractions part in lower case only, and only at the start of a word") {
    CHECK(words("We'll DON'T can't") == Words{"We", "'ll", " DON", "'", "T", " can", "'t"});
    CHECK(words("'stop 's ''s 're've'm'd") ==
          Words{"'s", "top", " '", "s", " ''", "s", " '", "re", "'ve", "'m", "'d"});
    CHECK(words("l'été n’est") == Words{"l", "'", "été", " n", "’", "est"});
}

TEST_CASE("of a run of white space the last goes its own way, to the next word if it is a space") {
    CHECK(words("a ") == Words{"a", " "});
    CHECK(words("a  ") == Words{"a", "  "});
    CHECK(words("a   b") == Words{"a", "  ", " b"});
    CHECK(words("a\n\n\nb") == Words{"a", "\n\n", "\n", "b"});
    CHECK(words(" \n ") == Words{" \n "});
    CHECK(words("a\u00a0\u3000 b") == Words{"a", "\u00a0\u3000", " b"});
    CHECK(words("\t\u2009x") == Words{"\t", "\u2009", "x"});
}

TEST_CASE("an invalid byte is like a character that is neither letter, number nor space") {
    CHECK(words("a\xff\xfe \xc3(\xe2\x82") == Words{"a", "\xff\xfe", " \xc3(\xe2\x82"});
    CHECK(words("é\xc3x") == Words{"é", "\xc3", "x"});
}

TEST_CASE("the scanner splits as the regular expression does, on random texts") {
    const std::string alphabet[] = {
        " ",    " ",    "'",      "'",      "s",      "t",      "re",   "ve",   "ll",     "d",
        "m",    "S",    "\n",     "\r",     "\t",     "a",      "é",    "7",    "½",      "-",
        "!",    "🎈",    "震",     "\u00a0", "\u3000", "\u0085", "\xff", "\xe2", "\xc3",   "\x80",
        "\x1c", "\x7f", "\u200b", "\ufeff", "\u0301", "\u2028", "Ⅳ",    "\xed", "\u180e", "_"};
    Random random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (auto n = 1 + random.next() % 24; n > 0; --n)
            text += alphabet[random.next() % std::size(alphabet)];
        if (words(text) != slow_words(text)) FAIL(in_quotes(text));
    }
}
