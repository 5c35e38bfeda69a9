#include "tools/train/settings.h"
#include <doctest/doctest.h>

TEST_CASE("the learning rate rises in a line and falls along a cosine") {
    Settings s;
    s.adamw.learning_rate = 2;
    s.warmup = 10;
    s.steps = 110;
    CHECK(learning_rate(s, 1) == doctest::Approx(0.2));
    CHECK(learning_rate(s, 10) == 2);
    CHECK(learning_rate(s, 60) == doctest::Approx(2 * 0.505));
    CHECK(learning_rate(s, 110) == doctest::Approx(0.02));
    s.warmup = 200;  // longer than the run
    CHECK(learning_rate(s, 110) == doctest::Approx(1.1));
    s.warmup = 0;
    CHECK(learning_rate(s, 1) == doctest::Approx(2).epsilon(1e-3));
}

TEST_CASE("what cannot be a run is refused") {
    CHECK_THROWS_WITH_AS(parse_settings({"text"}), "expected TEXT and OUT, found 1 names",
                         UsageError);
    CHECK_THROWS_WITH_AS(parse_settings({"text", "out", "--heads", "3"}),
                         "--channels 128 cannot be shared by --heads 3", UsageError);
    CHECK_THROWS_WITH_AS(parse_settings({"text", "out", "--dtype", "f64"}),
                         "--dtype is f16 or f32, found 'f64'", UsageError);
    CHECK_THROWS_AS(parse_settings({"text", "out", "--steps", "0"}), UsageError);
}

TEST_CASE("the settings that the result depends on do not name threads or files") {
    const Settings a = parse_settings({"text", "out/", "-t", "2", "--checkpoint-every", "7"});
    const Settings b = parse_settings({"other", "out"});
    CHECK(a.out == "out");
    CHECK(parse_settings({"text", "a/out/./"}).out == "a/out");
    CHECK(parse_settings({"text", "."}).out == ".");
    CHECK(a.result_depends_on() == b.result_depends_on());
    CHECK(a.result_depends_on() !=
          parse_settings({"text", "out", "--lr", "0.01"}).result_depends_on());
}
