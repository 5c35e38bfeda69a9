#include "text/added_tokens.h"
#include <doctest/doctest.h>
#include "base/error.h"
#include "base/random.h"
#include "text/unicode.h"

namespace {

// "at:id" of each token found.
std::string found_in(const AddedTokens& tokens, std::string_view text) {
    std::string all;
    for (const auto& [at, token] : tokens.search(text)) all += cat(at, ":", token->id, " ");
    return all;
}

// The same, by trying every token at every place.
std::string tried_in(const std::vector<AddedToken>& tokens, std::string_view text) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* longest = nullptr;
        for (const AddedToken& t : tokens)
            if (text.substr(at).starts_with(t.text) &&
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
            if (!known) list.push_back({text, int(list.size()), false});
        }
        const AddedTokens tokens(list);
        const std::string text = some_text(40, letters);
        if (found_in(tokens, text) != tried_in(list, text)) FAIL(in_quotes(text));
    }
}

TEST_CASE("a long token takes no longer to look for") {
    const AddedTokens tokens({{std::string(100000, 'a') + "b", 1, false}, {"aa", 2, false}});
    CHECK(tokens.search(std::string(1000000, 'a')).size() == 500000);
}
