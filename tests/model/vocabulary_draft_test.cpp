#include "model/vocabulary_draft.h"
#include <doctest/doctest.h>
#include "base/error.h"

namespace {

using Ids = std::vector<int>;

Json json(std::string_view text) { return parse_json(text, "test"); }

std::string refusal(VocabularyDraft& draft, std::string_view pieces) {
    try {
        draft.add_pieces(json(pieces));
        draft.finish();
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a setting is off when it is absent, null, false, 0 or empty") {
    const Json off = json(R"({"a": null, "b": false, "c": 0.0, "d": ""})");
    CHECK_NOTHROW(refuse_settings(off, {"a", "b", "c", "d", "e"}));
    const Json on = json(R"({"a": true, "b": 0.1, "c": "x", "d": [], "e": {}})");
    for (const char* name : {"a", "b", "c", "d", "e"})
        CHECK_THROWS_WITH_AS(refuse_settings(on, {name}),
                             cat(name, " is set, and is not supported").c_str(), Error);
}

TEST_CASE("an id is a whole number in its one spelling") {
    CHECK(parse_id("0") == 0);
    CHECK(parse_id("50256") == 50256);
    for (const char* text : {"", "-1", "+1", "01", "1.0", "1 ", " 1", "a", "99999999999"})
        CHECK_THROWS_WITH_AS(parse_id(text), cat("'", text, "' is not a token id").c_str(), Error);
}

TEST_CASE("an added token may get its id from several files, which must agree") {
    VocabularyDraft draft;
    draft.add_token("<x>", -1, true);
    draft.add_token("<x>", 1, false);
    draft.add_token("<y>", -1, true);  // has no id anywhere, so it is no token
    draft.add_pieces(json(R"({"a": 0, "<x>": 1, "<": 2, "y": 3, ">": 4})"));
    const Tokenizer tokenizer = draft.finish();
    CHECK(tokenizer.encode("a<x><y>") == Ids{0, 1, 2, 3, 4});

    VocabularyDraft other;
    other.add_token("<x>", 2, false);
    CHECK_THROWS_WITH_AS(other.add_token("<x>", 1, false), "'<x>' has two ids, 2 and 1", Error);
    CHECK(refusal(other, R"({"<x>": 0})") == "'<x>': '<x>' has two ids, 2 and 0");
}

TEST_CASE("settings of an added token that make it match otherwise are refused") {
    VocabularyDraft draft;
    draft.add_token(json(R"({"content": "<x>", "lstrip": false, "normalized": true})"), 1, true);
    for (const char* name : {"lstrip", "rstrip", "single_word"})
        CHECK_THROWS_WITH_AS(
            draft.add_token(json(cat("{\"content\": \"<m>\", \"", name, "\": true}")), 2, true),
            cat("'<m>': ", name, " is set, and is not supported").c_str(), Error);
    for (const char* name : {"special", "normalized"})
        CHECK_THROWS_WITH_AS(
            draft.add_token(json(cat("{\"content\": \"<m>\", \"", name, "\": \"no\"}")), 2, true),
            cat("'<m>': ", name, ": expected a boolean, found a string").c_str(), Error);
    CHECK_THROWS_WITH_AS(draft.add_token(json("{}"), 2, true), "no content", Error);
}

TEST_CASE("what an added token says of itself as null, it does not say") {
    const auto ids = [](const std::string& more) {
        VocabularyDraft draft;
        draft.add_token(json(R"({"content": "<x>", "special": null)" + more + "}"), -1, false);
        draft.add_token("x>y", -1, false, false);  // found first, where <x> is normalized
        draft.add_pieces(json(R"({"<": 0, "x": 1, ">": 2, "y": 3, "<x>": 4, "x>y": 5})"));
        return draft.finish().encode("<x>y");
    };
    CHECK(ids("") == Ids{0, 5});
    CHECK(ids(R"(, "normalized": null)") == Ids{0, 5});
    CHECK(ids(R"(, "normalized": false)") == Ids{4, 3});
}

TEST_CASE("a merge is two pieces with one space between them") {
    for (const char* text : {"", " ", "a", "a ", " a", "a  b", "a b c", "a b "}) {
        VocabularyDraft draft;
        CHECK_THROWS_WITH_AS(
            draft.add_merge(text),
            cat("a merge is two pieces and a space between them, not '", text, "'").c_str(), Error);
    }
}

TEST_CASE("ids that are missing are gaps; two pieces of one id and far ids are refused") {
    VocabularyDraft draft;
    draft.add_pieces(json(R"({"a": 0, "b": 50256})"));
    CHECK(draft.finish().size() == 50257);
    for (const auto& [pieces, message] :
         {std::pair(R"({"a": 1, "b": 1})", "'b': id 1 is both 'a' and 'b'"),
          {R"({"a": 0, "b": 2000000000})",
           "'b': id 2000000000 is too large for a vocabulary of 3 pieces"},
          {"{}", "there are no pieces"},
          {R"({"": 0})", "'': the piece of id 0 is empty"},
          {R"({"a": 1.5})", "'a': expected a whole number from 0 to 2147483647, found 1.5"},
          {R"({"a": -1})", "'a': expected a whole number from 0 to 2147483647, found -1"},
          {R"({"0": "a", "01": "b"})", "'01': '01' is not a token id"},
          {R"({"a": 0, "b": "c"})", "'b': expected a number, found a string"},
          {R"({"0": "a", "1": 2})", "'1': expected a string, found a number"},
          {R"(["a"])", "expected an object, found an array"}}) {
        VocabularyDraft other;
        CHECK(refusal(other, pieces) == message);
    }
    VocabularyDraft far;
    far.add_token("<x>", 2147483647, true);
    CHECK(refusal(far, R"({"a": 0})") == "id 2147483647 is too large for a vocabulary of 3 pieces");
}

TEST_CASE("pieces by id are plain text; words among them are found whole, the longest first") {
    VocabularyDraft draft;
    draft.add_pieces(json(R"({"0": " ", "1": "be", "2": "beat", "3": "é", "4": "t"})"));
    const Tokenizer tokenizer = draft.finish();
    CHECK(tokenizer.encode("be beat bet é") == Ids{1, 0, 2, 0, 1, 4, 0, 3});
    CHECK(tokenizer.encode("be", Tokenizer::Special::as_text) == Ids{1});
    VocabularyDraft merging;
    merging.add_merge("b e");
    CHECK(refusal(merging, R"({"0": "b", "1": "e", "2": "be"})") ==
          "merges are given, and pieces in plain text, which have none");
}
