#include "tools/train/data.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <numeric>
#include "base/error.h"

namespace {

Tokens counting_tokens(int n, std::vector<std::size_t> paragraphs = {}) {
    Tokens tokens{std::vector<int>(static_cast<std::size_t>(n)), std::move(paragraphs)};
    std::iota(tokens.ids.begin(), tokens.ids.end(), 1000);
    return tokens;
}

}  // namespace

TEST_CASE("the last tenth of a text, rounded up, is held out") {
    const std::string text(1115394, 'x');  // as long as tinyshakespeare
    CHECK(split_text(text).validation.size() == 111540);
    CHECK(split_text(text).training.size() == 1115394 - 111540);
    CHECK(split_text("0123456789a").validation == "9a");
    CHECK(split_text("0123456789").training == "012345678");
}

TEST_CASE("tokens begin with the end of another text, and know where paragraphs begin") {
    Vocabulary bytes;
    for (int b = 0; b < 256; ++b) bytes.pieces.emplace_back(1, static_cast<char>(b));
    const Tokens tokens = tokens_of(Tokenizer(bytes), "a\n\nb\nc\n\nd", 256);
    CHECK(tokens.ids == std::vector<int>{256, 'a', '\n', '\n', 'b', '\n', 'c', '\n', '\n', 'd'});
    CHECK(tokens.paragraphs == std::vector<std::size_t>{1, 4, 9});
}

TEST_CASE("cut tokens spell the same text, its paragraphs where they were") {
    const std::string_view text = "to be or not to be\n\nthat is to be or not to be\n\nor not";
    const Vocabulary vocabulary = learn_bpe(text, 264);
    const Tokenizer tokenizer(vocabulary);
    const Tokens tokens = tokens_of(tokenizer, text, 263);
    const std::vector<Halves> halves = halves_of(vocabulary);
    CHECK(cut(tokens, {halves, 0, 0}, 1) == tokens);

    const Tokens some = cut(tokens, {halves, 0.5, 0}, 1);
    CHECK(some.ids.size() > tokens.ids.size());
    CHECK(tokenizer.decode(some.ids) == tokenizer.decode(tokens.ids));
    CHECK(cut(tokens, {halves, 0.5, 0}, 1) == some);
    CHECK(cut(tokens, {halves, 0.5, 0}, 2).ids != some.ids);
    REQUIRE(some.paragraphs.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto before = [&](const Tokens& t) {
            return tokenizer.decode(std::span(t.ids).first(t.paragraphs[i]));
        };
        CHECK(before(some) == before(tokens));
    }
}

TEST_CASE("tokens are cut anew in each epoch") {
    const Tokens tokens{std::vector<int>(57, 2), {}};
    Batches batches(tokens, 7, 1, 1, {{{}, {}, {0, 1}}, 0.5, 1000});
    const std::vector<int> first = batches.at(0).ids;
    CHECK(std::count(first.begin(), first.end(), 2) < 7);
    CHECK(batches.at(7).ids != first);  // seven windows make an epoch
    CHECK(batches.at(0).ids == first);
    const std::vector<int> last = batches.at(1000).ids;
    CHECK(std::count(last.begin(), last.end(), 2) == 7);
}

TEST_CASE(
    "an epoch shows each token at most once, nearly all of them, and each with its successor") {
    const int T = 7, B = 5;
    const Tokens tokens = counting_tokens(7 * 31 + 4);
    Batches batches(tokens, T, B, 1);
    std::vector<int> seen(tokens.ids.size());
    for (int step = 0; step < 6; ++step) {  // 30 windows: the whole first epoch
        const Batch batch = batches.at(step);
        REQUIRE(batch.ids.size() == std::size_t(T * B));
        for (std::size_t i = 0; i < batch.ids.size(); ++i) {
            CHECK(batch.targets[i] == batch.ids[i] + 1);
            ++seen[std::size_t(batch.ids[i] - 1000)];
        }
    }
    CHECK(*std::max_element(seen.begin(), seen.end()) == 1);
    CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 30 * T);
}

TEST_CASE("a batch depends on the seed and the step alone") {
    Batches one(counting_tokens(300), 7, 5, 1), other(counting_tokens(300), 7, 5, 2);
    const Batch late = one.at(30);
    Batches again(counting_tokens(300), 7, 5, 1);
    for (const int step : {3, 0, 30}) again.at(step);
    CHECK(again.at(30).ids == late.ids);
    CHECK(other.at(30).ids != late.ids);
}

TEST_CASE("now and then a window opens a text at a paragraph") {
    Batches batches(counting_tokens(3000, {1, 500, 1500, 2500}), 8, 16, 1);
    int openings = 0;
    for (int step = 0; step < 20; ++step) {
        const Batch batch = batches.at(step);
        for (std::size_t i = 0; i < batch.ids.size(); i += 8)
            if (batch.ids[i] == 1000 && batch.targets[i] > 1001) {
                ++openings;
                CHECK((batch.targets[i] - 1000) % 1000 == 500);
                CHECK(batch.ids[i + 1] == batch.targets[i]);
            }
    }
    CHECK(openings > 5);
    CHECK(openings < 40);
}

TEST_CASE("windows for measuring make each token but the first a target once, with the overlap") {
    for (const int n : {9, 10, 16, 17, 18, 100})
        for (const int overlap : {0, 3, 4, 7}) {
            const int T = 8;
            std::vector<int> scored(std::size_t(n) - 1);
            for (const Window& w : windows_over(std::size_t(n), T, overlap)) {
                REQUIRE(w.start + std::size_t(T) < std::size_t(n));
                for (int t = w.first_scored; t < T; ++t) ++scored[w.start + std::size_t(t)];
                CHECK((w.start == 0 || w.first_scored >= overlap));
            }
            CHECK(scored == std::vector<int>(scored.size(), 1));
        }
}

TEST_CASE("fewer tokens than a window needs are refused") {
    CHECK_NOTHROW(Batches(counting_tokens(9), 8, 1, 1).at(5));
    CHECK_THROWS_WITH_AS(Batches(counting_tokens(8), 8, 1, 1),
                         "the text has 8 tokens to learn from, a context of 8 needs 9", Error);
}
