#include "tools/train/trainer.h"
#include <doctest/doctest.h>
#include "base/error.h"
#include "tests/support.h"

namespace {

Settings tiny_settings(int threads) {
    Settings s;
    s.shape = {.L = 2, .H = 3, .C = 21, .V = 40, .T = 27};
    s.batch = 3;
    s.steps = 6;
    s.warmup = 2;
    s.dropout = 0.2;
    s.cut = 0.1;
    s.seed = 7;
    s.threads = threads;
    return s;
}

Tokens random_tokens(int n) {
    Random random(1);
    Tokens tokens{{}, {1}};
    for (int i = 0; i < n; ++i) tokens.ids.push_back(int(random.next() % 40));
    return tokens;
}

Trainer new_trainer(const Settings& settings) {
    std::vector<Halves> halves(40);
    for (int id = 20; id < 40; ++id) halves[std::size_t(id)] = {id - 20, id - 19};
    return Trainer(settings, random_tokens(400), halves, random_tokens(90).ids);
}

}  // namespace

TEST_CASE("any number of threads makes the same weights, bit for bit") {
    const Settings one = tiny_settings(1);
    Trainer alone = new_trainer(one);
    for (int i = 0; i < 4; ++i) alone.step();
    for (const int threads : {2, 3}) {
        const Settings several = tiny_settings(threads);
        Trainer team = new_trainer(several);
        for (int i = 0; i < 4; ++i) team.step();
        CHECK(team.state().parameters == alone.state().parameters);
        CHECK(team.state().average == alone.state().average);
        CHECK(team.validate(0) == alone.validate(0));
    }
}

TEST_CASE("a run taken up again goes where the straight one goes") {
    const Settings settings = tiny_settings(2);
    Trainer straight = new_trainer(settings), first = new_trainer(settings),
            second = new_trainer(settings);
    for (int i = 0; i < 5; ++i) straight.step();
    for (int i = 0; i < 2; ++i) first.step();
    first.validate(3);
    second.restore(first.state(), first.steps_done());
    for (int i = 2; i < 5; ++i) second.step();
    CHECK(second.state().parameters == straight.state().parameters);
    CHECK(second.state().mean == straight.state().mean);
    CHECK(second.state().square == straight.state().square);
    CHECK(second.state().average == straight.state().average);
}

TEST_CASE("a text that repeats itself is soon learned") {
    Settings settings = tiny_settings(1);
    settings.dropout = settings.cut = 0;
    settings.adamw.learning_rate = 0.01;
    settings.adamw.averaging = 0;
    settings.steps = 60;
    Tokens tokens{{}, {1}};
    for (int i = 0; i < 400; ++i) tokens.ids.push_back(i % 9);
    Trainer trainer(settings, tokens, {}, tokens.ids);
    const double before = trainer.step();
    for (int i = 1; i < 60; ++i) trainer.step();
    CHECK(before > 3);
    CHECK(trainer.validate(0) / 399 < 0.1);
}

TEST_CASE("too little to measure on is refused") {
    const Settings settings = tiny_settings(1);
    CHECK_THROWS_WITH_AS(Trainer(settings, random_tokens(400), {}, random_tokens(27).ids),
                         "the text's last tenth has 27 tokens, measuring with a context of 27 "
                         "needs 28",
                         Error);
}
