#include "text/added_tokens.h"
#include <doctest/doctest.h>
#include "base/error.h"
#include "base/random.h"
#include "text/unicode.h"

namespace {

using Special = AddedTokens::Special;

// "at:id" of each token found.
std::string found_in(const AddedTokens& tokens, std::string_view text,
                     Special special = Special::as_tokens) {
    std::string all;
    for (const auto& [at, token] : tokens.search(text, special))
        all += cat(at, ":", token->id, " ");
    return all;
}

// The same, by trying every token at every place.
std::string tried_in(const std::vector<AddedToken>& tokens, std::string_view text,
                     Special special) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* longest = nullptr;
        for (const AddedToken& t : tokens)
            if (text.substr(at).starts_with(t.text) &&
                !(t.special && special == Special::as_text) &&
                (!longest || t.text.size() > longest->text.size()))
                longest = &t;
        if (longest) all += cat(at, ":", longest->id, " ");
        at += longest ? longest->text.size() : 1;
    }
    return all;
}

}  // namespace

TEST_CASE("the leftmost token is found, and the longest that begins there") {
    const AddedTokens tokens({{"<x>", 1, true}, {"<xy>", 2, true}, {"<x", 3, false}});
    CHECK(found_in(tokens, "<xy>b") == "0:2 ");
    CHECK(found_in(tokens, "<x>") == "0:1 ");
    CHECK(found_in(tokens, "<xz>") == "0:3 ");
    CHECK(found_in(tokens, "ab<<x><x") == "3:1 6:3 ");
    CHECK(found_in(tokens, "<") == "");
    CHECK(found_in(tokens, "") == "");
    CHECK(found_in(AddedTokens({}), "a") == "");
    CHECK(found_in(AddedTokens({{"abc", 1, true}, {"bcdef", 2, true}}), "abcdef") == "0:1 ");
}

TEST_CASE("special tokens may be read as text, where others are found") {
    const AddedTokens tokens({{"<x>", 1, true}, {"<x", 2, false}, {"x>>", 3, false}});
    CHECK(found_in(tokens, "<x>><x>") == "0:1 4:1 ");
    CHECK(found_in(tokens, "<x>><x>", Special::as_text) == "0:2 4:2 ");
    CHECK(found_in(AddedTokens({{"<x>", 1, true}}), "<x>", Special::as_text) == "");
}

TEST_CASE("a token is found by its whole text") {
    const AddedTokens tokens({{"<x>", 1, true}, {"x>", 2, false}});
    CHECK(tokens.find("<x>")->id == 1);
    CHECK(tokens.find("x>")->id == 2);
    for (const char* none : {"", ">", "<x", "a<x>", "<<x>"}) CHECK(!tokens.find(none));
    CHECK(!AddedTokens({}).find(""));
}

TEST_CASE("an empty token and one given twice are refused") {
    CHECK_THROWS_WITH_AS(AddedTokens({{"", 7, true}}), "added token 7 is empty", Error);
    CHECK_THROWS_WITH_AS(AddedTokens({{"a", 1, true}, {"b", 2, true}, {"a", 3, true}}),
                         "the added token 'a' is given twice", Error);
}

TEST_CASE("random tokens in random texts agree with trying them all") {
    Random random(3);
    const auto some_text = [&](std::size_t most, std::size_t letters) {
        std::string text;
        for (auto n = 1 + random.next() % most; n > 0; --n)
            text += "ab\x80\xff"[random.next() % letters];
        return text;
    };
    for (int round = 0; round < 3000; ++round) {
        const std::size_t letters = 1 + random.next() % 4;
        std::vector<AddedToken> list;
        for (auto n = random.next() % 20; n > 0; --n) {
            const std::string text = some_text(6, letters);
            bool known = false;
            for (const AddedToken& t : list) known |= t.text == text;
            if (!known) list.push_back({text, int(list.size()), random.next() % 2 == 0});
        }
        const AddedTokens tokens(list);
        const std::string text = some_text(40, letters);
        for (const auto special : {Special::as_tokens, Special::as_text})
            if (found_in(tokens, text, special) != tried_in(list, text, special))
                FAIL(in_quotes(text));
        for (const AddedToken& t : list) CHECK(tokens.find(t.text)->id == t.id);
    }
}

TEST_CASE("a long token takes no longer to look for") {
    const AddedTokens tokens({{std::string(100000, 'a') + "b", 1, false}, {"aa", 2, false}});
    CHECK(tokens.search(std::string(1000000, 'a'), Special::as_tokens).size() == 500000);
}
