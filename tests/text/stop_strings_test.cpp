#include "text/stop_strings.h"
#include <doctest/doctest.h>

namespace {

// What comes out when the pieces go in one by one, to the end or to a stop string.
std::string through(StopStrings stop, const std::vector<std::string>& pieces) {
    std::string text;
    for (const auto& piece : pieces) text += stop.append(piece);
    return text + stop.finish();
}

}  // namespace

TEST_CASE("text ends before the first stop string, however its pieces cut it") {
    const std::string text = "one two stop three";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        std::vector<std::string> pieces;
        for (std::size_t at = 0; at < text.size(); at += size)
            pieces.push_back(text.substr(at, size));
        CHECK(through(StopStrings({"stop"}), pieces) == "one two ");
        CHECK(through(StopStrings({"three", "wo"}), pieces) == "one t");
        CHECK(through(StopStrings({"absent"}), pieces) == text);
        CHECK(through(StopStrings({}), pieces) == text);
    }
}

TEST_CASE("only what may be the start of a stop string is held back") {
    StopStrings stop({"abac"});
    CHECK(stop.append("xab") == "x");
    CHECK(stop.append("a") == "");
    CHECK(stop.append("b") == "ab");  // "aba" no longer fits, its last "a" and "b" still may
    CHECK(stop.append("a") == "");
    CHECK_FALSE(stop.found());
    CHECK(stop.append("cz") == "");
    CHECK(stop.found());
    CHECK(stop.append("more") == "");
    CHECK(stop.finish() == "");
}

TEST_CASE("what was held back appears when the text ends by itself") {
    StopStrings stop({"\n\n"});
    CHECK(stop.append("line\n") == "line");
    CHECK_FALSE(stop.found());
    CHECK(stop.finish() == "\n");
}
