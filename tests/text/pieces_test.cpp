#include "text/pieces.h"
#include <doctest/doctest.h>
#include "base/error.h"

namespace {

using Ids = std::vector<int>;

}  // namespace

TEST_CASE("pieces are found by their bytes; gaps and added tokens are not") {
    const Pieces pieces({"a", "", "ab"}, {{"<x>", 1, true}, {"<y>", 3, true}});
    CHECK(pieces.size() == 4);
    CHECK(pieces.find("ab") == 2);
    CHECK(pieces.find("<x>") == -1);
    CHECK(pieces.find("") == -1);
    CHECK(pieces[1] == "<x>");
    CHECK(pieces[3] == "<y>");
}

TEST_CASE("an added token may be a piece of its own text, and its text may be that of another") {
    const Pieces pieces({"a", "  "}, {{"a", 0, false}, {"  ", 2, false}});
    CHECK(pieces.find("a") == 0);
    CHECK(pieces.find("  ") == 1);
    CHECK(pieces[2] == "  ");
}

TEST_CASE("ids that contradict each other are refused") {
    CHECK_THROWS_WITH_AS(Pieces({"a", "b", "a"}, {}), "the piece 'a' has two ids, 0 and 2", Error);
    CHECK_THROWS_WITH_AS(Pieces({"a"}, {{"b", 0, true}}),
                         "id 0 is the added token 'b' and the piece 'a'", Error);
    CHECK_THROWS_WITH_AS(Pieces({"a"}, {{"b", 1, true}, {"c", 1, true}}),
                         "id 1 is the added token 'c' and the piece 'b'", Error);
    CHECK_THROWS_WITH_AS(Pieces({"a"}, {{"b", 2000000000, true}}),
                         "the added token 'b' has id 2000000000, and the vocabulary has 2 entries",
                         Error);
    CHECK_THROWS_AS(Pieces({"a"}, {{"b", -1, true}}), Error);
}

TEST_CASE("a text is bytes, or characters where the bytes have no pieces") {
    const Pieces pieces({"a", "\xc3", "é", "\xa9", "ü", "\xe9"}, {});
    Ids ids;
    CHECK(pieces.append_units("aéü", ids) == 5);
    CHECK(ids == Ids{0, 1, 3, 4});
    CHECK(!pieces.is_unit("é"));
    CHECK(pieces.is_unit("ü"));
    CHECK(pieces.is_unit("a"));
    CHECK(!pieces.is_unit("aa"));
    ids.clear();
    CHECK(pieces.append_units("a震", ids) == 1);
    CHECK(ids == Ids{0});
    CHECK(pieces.append_units("\xe9\xff", ids) == 1);
}
