#include "base/nearest.h"
#include <doctest/doctest.h>

TEST_CASE("edit distance counts inserted, removed and replaced letters") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("score", "scroe") == 2);
}

TEST_CASE("the nearest name is suggested, and none where all are far") {
    const std::vector<std::string_view> names{"generate", "score", "info"};
    CHECK(did_you_mean("genrate", names) == ": did you mean generate?");
    CHECK(did_you_mean("scroe", names) == ": did you mean score?");
    CHECK(did_you_mean("xyzzy", names) == "");
}
