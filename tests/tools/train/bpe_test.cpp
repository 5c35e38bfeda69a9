#include "tools/train/bpe.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <map>
#include "base/error.h"
#include "base/file.h"
#include "tests/support.h"
#include "text/split.h"

namespace {

using Merges = std::vector<std::pair<std::string, std::string>>;

// The definition, slowly: count all neighbours anew before each merge.
Merges learn_slowly(std::string_view text, int size) {
    const auto order = byte_order();
    std::vector<std::string> pieces;
    for (const unsigned char byte : order) pieces.emplace_back(1, static_cast<char>(byte));
    std::vector<std::vector<int>> words;
    while (!text.empty()) {
        words.emplace_back();
        for (const char c : text.substr(0, first_word(text)))
            words.back().push_back(
                int(std::find(order.begin(), order.end(), static_cast<unsigned char>(c)) -
                    order.begin()));
        text.remove_prefix(first_word(text));
    }
    Merges merges;
    while (int(pieces.size()) < size - 1) {
        std::map<std::pair<int, int>, int> counts;
        for (const auto& word : words)
            for (std::size_t i = 0; i + 1 < word.size(); ++i) ++counts[{word[i], word[i + 1]}];
        const auto best = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
            return a.second < b.second;  // the first of equals, so the lowest ids
        });
        const auto [left, right] = best->first;
        merges.emplace_back(pieces[std::size_t(left)], pieces[std::size_t(right)]);
        pieces.push_back(merges.back().first + merges.back().second);
        for (auto& word : words)
            for (std::size_t i = 0; i + 1 < word.size(); ++i)
                if (word[i] == left && word[i + 1] == right) {
                    word[i] = int(pieces.size()) - 1;
                    word.erase(word.begin() + std::ptrdiff_t(i) + 1);
                }
    }
    return merges;
}

}  // namespace

TEST_CASE("the first merges of a text made by hand are its most frequent neighbours") {
    // "ab" occurs 5 times; then " d", " ab" and "abc" 3 times each, of which the one with the lower
    // ids goes first: " " is 220, "d" is 67, "ab" is 256.
    const Vocabulary v = learn_bpe("abc abc abc ab.ab d d d", 256 + 3 + 1);
    CHECK(v.merges == Merges{{"a", "b"}, {" ", "d"}, {" ", "ab"}});
    CHECK(v.pieces.size() == 259);
    CHECK(v.pieces[0] == "!");
    CHECK(v.pieces[256] == "ab");
    REQUIRE(v.added.size() == 1);
    CHECK(v.added[0].text == "<|endoftext|>");
    CHECK(v.added[0].id == 259);
    CHECK(v.added[0].special);
}

TEST_CASE("merges kept from step to step are those counted anew, runs of one letter among them") {
    std::string text = "aaaa aaaaa aaa aaaaaaa banana bananas anna\n\n nana aaaaaaaa 1111 11\n";
    Random random(3);
    for (int i = 0; i < 2000; ++i) text += "abc \n\xc3\xa9"[random.next() % 7];
    const Vocabulary v = learn_bpe(text, 256 + 60 + 1);
    CHECK(v.merges == learn_slowly(text, 256 + 60 + 1));
}

TEST_CASE("a text comes back whole through the vocabulary that was learned from it") {
    std::string text =
        "To be, or not to be; that is the question.\n\nTo be -- \xff\xfe na\xc3\xafve. "
        "The quest is to be the question that is not.";
    const Tokenizer tokenizer(learn_bpe(text, 265));
    const std::vector<int> ids = tokenizer.encode(text);
    CHECK(ids.size() < text.size());
    CHECK(tokenizer.decode(ids) == text);
    CHECK(tokenizer.encode("<|endoftext|>") == std::vector<int>{264});
}

TEST_CASE("a vocabulary larger than the text allows is refused") {
    CHECK_THROWS_WITH_AS(learn_bpe("ab ab", 400),
                         "a vocabulary of 400 is larger than the text allows: after 258 no two "
                         "neighbours occur twice",
                         Error);
    CHECK_THROWS_AS(learn_bpe("", 258), Error);
}

TEST_CASE("a megabyte of one word is learned from in a moment") {
    const Vocabulary v = learn_bpe(std::string(1 << 20, 'a'), 256 + 19 + 1);
    CHECK(v.pieces.back() == std::string(1 << 19, 'a'));
}

TEST_CASE("the halves of a piece spell it, and bytes have none") {
    const Vocabulary vocabulary = learn_bpe("the cat, the hat, the cat and the hat", 262);
    const std::vector<Halves> halves = halves_of(vocabulary);
    REQUIRE(halves.size() == 262);
    for (std::size_t id = 0; id < halves.size(); ++id) {
        CHECK(halves[id].whole() == (id < 256 || id == 261));  // the last is end-of-text
        if (halves[id].whole()) continue;
        CHECK(vocabulary.pieces[std::size_t(halves[id].left)] +
                  vocabulary.pieces[std::size_t(halves[id].right)] ==
              vocabulary.pieces[id]);
    }
}
