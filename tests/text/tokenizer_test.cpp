#include "text/tokenizer.h"
#include <doctest/doctest.h>
#include <tuple>
#include "base/error.h"
#include "base/random.h"
#include "text/unicode.h"

namespace {

using Ids = std::vector<int>;
using Special = Tokenizer::Special;

// The 256 bytes, the results of a few merges, and <|endoftext|>.
Vocabulary small_vocabulary() {
    Vocabulary v;
    for (int byte = 0; byte < 256; ++byte) v.pieces.emplace_back(1, char(byte));
    v.merges = {{"h", "a"}, {"p", "p"}, {"u", "n"},  {"ha", "pp"}, {" ", " "},
                {"i", "n"}, {"n", "i"}, {"l", "l"},  {"'", "ll"},  {"\xc3", "\xa9"},
                {"1", "2"}, {"A", "A"}, {"AA", "AA"}};
    for (const auto& [left, right] : v.merges) v.pieces.push_back(left + right);
    v.added = {{"<|endoftext|>", int(v.pieces.size()), true}};
    return v;
}

// The ids of pieces, written as such.
Ids ids_of(const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
    Ids ids;
    for (const std::string& piece : pieces) ids.push_back(tokenizer.find(piece).value());
    return ids;
}

std::string failure(const Tokenizer& tokenizer, std::string_view text) {
    try {
        tokenizer.encode(text);
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("merges apply by rank within words, and never across them") {
    const Tokenizer t(small_vocabulary());
    CHECK(t.encode("unhappin") == ids_of(t, {"un", "happ", "in"}));
    CHECK(t.encode("uni") == ids_of(t, {"un", "i"}));
    CHECK(t.encode("A A1") == ids_of(t, {"A", " ", "A", "1"}));
    CHECK(t.encode("AAAAAA") == ids_of(t, {"AAAA", "AA"}));
    CHECK(t.encode("we'll 'LL") == ids_of(t, {"w", "e", "'ll", " ", "'", "L", "L"}));
    CHECK(t.encode("112") == ids_of(t, {"1", "12"}));
    CHECK(t.encode("né") == ids_of(t, {"n", "é"}));
    CHECK(t.encode("a   b") == ids_of(t, {"a", "  ", " ", "b"}));
    CHECK(t.encode("").empty());
}

TEST_CASE("every byte has a token, and any bytes come back unchanged") {
    const Tokenizer t(small_vocabulary());
    for (int byte = 0; byte < 256; ++byte) CHECK(t.encode(std::string(1, char(byte))) == Ids{byte});
    CHECK(t.decode(t.encode("a\xff\xfe \xc3(\xe2\x82")) == "a\xff\xfe \xc3(\xe2\x82");
    CHECK(t.decode(t.encode("no , yes . ok !")) == "no , yes . ok !");
    Random random(5);
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (auto n = random.next() % 60; n > 0; --n)
            text += random.next() % 2 ? char(random.next()) : "hapun l'A\n1"[random.next() % 11];
        if (t.decode(t.encode(text)) != text) FAIL(in_quotes(text));
    }
}

TEST_CASE("special tokens in a text are tokens, or text, as wanted") {
    const Tokenizer t(small_vocabulary());
    const int end = t.find("<|endoftext|>").value();
    CHECK(end == t.size() - 1);
    CHECK(t.piece(end) == "<|endoftext|>");
    CHECK(t.encode("h<|endoftext|><|endoftext|>") == Ids{'h', end, end});
    CHECK(t.encode("  <|endoftext|> p") == Ids{t.find("  ").value(), end, ' ', 'p'});
    CHECK(t.encode("<|endoftext|>", Special::as_text).size() == 13);
    CHECK(t.decode(t.encode("<|endoftext|>", Special::as_text)) == "<|endoftext|>");
}

TEST_CASE("added tokens are found first, the longest of them, special or not") {
    Vocabulary v = small_vocabulary();
    const int n = int(v.pieces.size());
    v.added.insert(v.added.end(),
                   {{"<x>", n + 1, false}, {"<xy>", n + 2, false}, {"é", n + 3, true}});
    const Tokenizer t(std::move(v));
    CHECK(t.size() == n + 4);
    CHECK(t.encode("a<xy>b") == Ids{'a', n + 2, 'b'});
    CHECK(t.encode("a<x><xy") == Ids{'a', n + 1, '<', 'x', 'y'});
    CHECK(t.encode("<x>", Special::as_text) == Ids{n + 1});
    CHECK(t.encode("é") == Ids{n + 3});
    CHECK(t.encode("é", Special::as_text) != Ids{n + 3});
    CHECK(t.find("é") == n + 3);
    CHECK(!t.find("happy"));
}

TEST_CASE("a repeated word has the same tokens each time") {
    const Tokenizer t(small_vocabulary());
    std::string text;
    Ids wanted;
    Random random(9);
    for (int i = 0; i < 20000; ++i) {
        std::string word = " ";
        for (auto n = 1 + random.next() % 4; n > 0; --n) word += "hapunlA"[random.next() % 7];
        text += word;
        for (const int id : t.encode(word)) wanted.push_back(id);
    }
    CHECK(t.encode(text) == wanted);
}

TEST_CASE("a vocabulary of characters needs no merges, and no bytes") {
    const Tokenizer t({.pieces = {"\n", " ", "a", "é", "震"}, .merges = {}, .added = {}});
    CHECK(t.encode("é a震\n") == Ids{3, 1, 2, 4, 0});
    CHECK(t.decode(Ids{3, 1, 2, 4, 0}) == "é a震\n");
}

TEST_CASE("a character without a piece is refused by name, with where it stands") {
    const Tokenizer t({.pieces = {"\n", " ", "a", "\xc3"}, .merges = {}, .added = {}});
    CHECK(failure(t, "a é") == "the vocabulary has no piece for 'é' (U+00E9) at byte 2");
    CHECK(failure(t, "a a\na\n🎈") ==
          "the vocabulary has no piece for '🎈' (U+1F388) at byte 6, line 3");
    CHECK(failure(t, "\xc3\xff") == "the vocabulary has no piece for byte 0xff at byte 1");
    CHECK(failure(t, "aa\t") == "the vocabulary has no piece for U+0009 at byte 2");
    CHECK(failure(t, "a\xc3 ") == "");
}

TEST_CASE("pieces that only merges make need merges") {
    CHECK_THROWS_WITH_AS(
        Tokenizer({.pieces = {"a", "b", "ab"}, .merges = {}, .added = {}}),
        "there are no merges, and without them no text becomes the piece 'ab' (id 2)", Error);
    const Tokenizer t({.pieces = {"a", "b", "ab"}, .merges = {}, .added = {{"ab", 2, false}}});
    CHECK(t.encode("aab") == Ids{0, 2});
    // Some vocabularies hold pieces that their merges never make.
    CHECK_NOTHROW(Tokenizer({.pieces = {"a", "aa", "ab"}, .merges = {{"a", "a"}}, .added = {}}));
}

TEST_CASE("a merge of or into what is no piece is refused") {
    for (const auto& [left, right, piece] :
         {std::tuple("a", "c", "c"), {"c", "a", "c"}, {"b", "a", "ba"}})
        CHECK_THROWS_WITH_AS(
            Tokenizer(
                {.pieces = {"a", "b", "ab"}, .merges = {{"a", "b"}, {left, right}}, .added = {}}),
            cat("merge 1 needs the piece '", piece, "', which is not in the vocabulary").c_str(),
            Error);
}

TEST_CASE("a token that is added twice, normalized and not, is refused") {
    CHECK_THROWS_WITH_AS(
        Tokenizer({{"a", "b"}, {}, {{"c", 2, true, false}, {"d", 3, true}, {"c", 4, true, true}}}),
        "the added token 'c' is given twice", Error);
}

TEST_CASE("an id outside the vocabulary is refused, and a gap stands for nothing") {
    const Tokenizer t({.pieces = {"a", "", "b"}, .merges = {}, .added = {}});
    CHECK(t.piece(1) == "");
    CHECK(!t.find(""));
    for (const int id : {-1, 3, 1000000})
        CHECK_THROWS_WITH_AS(t.decode(Ids{0, id}),
                             cat("token id ", id, " is outside the vocabulary, 0 to 2").c_str(),
                             Error);
}

TEST_CASE("long words and long runs of white space are no trouble") {
    const Tokenizer t(small_vocabulary());
    CHECK(t.encode(std::string(1000000, 'A')).size() == 250000);
    CHECK(t.encode(std::string(100000, '\n')).size() == 100000);
    CHECK(t.encode(std::string(1000000, ' ')).size() == 500000);
    CHECK(t.encode(std::string(100000, ' ') + "a").size() == 50002);
}

TEST_CASE("a tokenizer works after it is moved or copied") {
    Tokenizer from(small_vocabulary());
    const Tokenizer moved = std::move(from);
    const Tokenizer copied = moved;
    for (const Tokenizer* t : {&moved, &copied})
        CHECK(t->encode("happ\xff") == ids_of(*t, {"happ", "\xff"}));
}

TEST_CASE("normalized tokens are found only in what the others leave") {
    Vocabulary v = small_vocabulary();
    const int first = int(v.pieces.size()) + 1;
    const auto with = [&](bool normalized) {
        v.added.resize(1);
        v.added.push_back({"q☃x", first, false, normalized});
        v.added.push_back({"☃x", first + 1, false, false});
        return Tokenizer(v);
    };
    CHECK(with(false).encode("q☃x") == Ids{first});
    CHECK(with(true).encode("q☃x") == Ids{'q', first + 1});
    const Tokenizer t = with(true);
    CHECK(t.encode("q☃xq☃ x") == Ids{'q', first + 1, 'q', 0xe2, 0x98, 0x83, ' ', 'x'});
    v.added[1].text = "ha";
    CHECK(Tokenizer(v).encode("haha☃x☃xhah☃x") ==
          Ids{first, first, first + 1, first + 1, first, 'h', first + 1});
}

TEST_CASE("a character without a piece is named with its place, behind added tokens too") {
    Vocabulary v;
    v.pieces = {"a", "\n"};
    v.added = {{"<x>", 2, true, false}, {"<y>", 3, false, true}};
    CHECK(failure(Tokenizer(v), "a\n<x>a<y>ab") ==
          "the vocabulary has no piece for 'b' at byte 10, line 2");
}
