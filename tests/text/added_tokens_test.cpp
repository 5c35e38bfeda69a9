#include "text/added_tokens.h"
#include <doctest/doctest.h>
#include "base/error.h"
#include "base/random.h"
#include "text/unicode.h"

namespace {

int id_at_start(const AddedTokens& tokens, std::string_view text) {
    const AddedToken* const token = tokens.at_start(text);
    return token ? token->id : -1;
}

}  // namespace

TEST_CASE("the longest token that a text begins with is found") {
    const AddedTokens tokens({{"<x>", 1, true}, {"<xy>", 2, true}, {"<x", 3, false}});
    CHECK(id_at_start(tokens, "<xy>b") == 2);
    CHECK(id_at_start(tokens, "<x>") == 1);
    CHECK(id_at_start(tokens, "<xz>") == 3);
    CHECK(id_at_start(tokens, "<") == -1);
    CHECK(id_at_start(tokens, "") == -1);
    CHECK(id_at_start(tokens, "a<x>") == -1);
    CHECK(id_at_start(AddedTokens({}), "a") == -1);
}

TEST_CASE("the next place with a token is found, or the end") {
    const AddedTokens tokens({{"<x>", 1, true}, {"\xff", 2, false}});
    CHECK(tokens.next("ab<<x>", 0) == 3);
    CHECK(tokens.next("ab<<x>", 4) == 6);
    CHECK(tokens.next("a\xff", 0) == 1);
    CHECK(tokens.next("", 0) == 0);
}

TEST_CASE("an empty token and one given twice are refused") {
    CHECK_THROWS_WITH_AS(AddedTokens({{"", 7, true}}), "added token 7 is empty", Error);
    CHECK_THROWS_WITH_AS(AddedTokens({{"a", 1, true}, {"b", 2, true}, {"a", 3, true}}),
                         "the added token 'a' is given twice", Error);
}

TEST_CASE("random tokens in random texts agree with trying them all") {
    Random random(3);
    const auto some_text = [&](std::size_t most) {
        std::string text;
        for (auto n = 1 + random.next() % most; n > 0; --n) text += "ab\x80\xff"[random.next() % 4];
        return text;
    };
    for (int round = 0; round < 500; ++round) {
        std::vector<AddedToken> list;
        for (auto n = random.next() % 20; n > 0; --n) {
            const std::string text = some_text(6);
            bool known = false;
            for (const AddedToken& t : list) known |= t.text == text;
            if (!known) list.push_back({text, int(list.size()), false});
        }
        const AddedTokens tokens(list);
        const std::string text = some_text(10);
        const AddedToken* longest = nullptr;
        for (const AddedToken& t : list)
            if (text.starts_with(t.text) && (!longest || t.text.size() > longest->text.size()))
                longest = &t;
        if (id_at_start(tokens, text) != (longest ? longest->id : -1)) FAIL(in_quotes(text));
    }
}
