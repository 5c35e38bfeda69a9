#include <doctest/doctest.h>
#include <fstream>
#include "tests/commands/program.h"
#include "tests/support.h"

TEST_CASE("tokens are listed with their ids, white space made visible") {
    const Outcome outcome = gpt_of_characters({"tokenize", "To be\n"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out ==
          "        0        32  T\n"
          "        1        53  o\n"
          "        2         1  ·\n"
          "        3        40  b\n"
          "        4        43  e\n"
          "        5         0  ↵\n");
    CHECK(gpt_of_characters({"tokenize", "--ids", "32,53"}).out ==
          gpt_of_characters({"tokenize", "To"}).out);
}

TEST_CASE("--json is exactly the stated shape, also for a batch") {
    CHECK(gpt_of_characters({"tokenize", "--json", "To\n"}).out ==
          "{\"ids\":[32,53,0],\"pieces\":[\"T\",\"o\",\"\\u000a\"]}\n");
    CHECK(gpt_of_characters({"tokenize", "--json", "--ids", "32", "--ids", "53"}).out ==
          "{\"ids\":[32],\"pieces\":[\"T\"]}\n{\"ids\":[53],\"pieces\":[\"o\"]}\n");
    CHECK(gpt_of_characters({"tokenize", "--json", "--decode", "32 53"}).out ==
          "{\"ids\":[32,53],\"pieces\":[\"T\",\"o\"],\"text\":\"To\"}\n");
}

TEST_CASE("ids without a tokenizer have null for pieces") {
    CHECK(gpt({"tokenize", "--json", "-m", "tests/fixtures/blocks", "--ids", "1,2"}).out ==
          "{\"ids\":[1,2],\"pieces\":null}\n");
}

TEST_CASE("--decode gives the bytes back unchanged") {
    CHECK(gpt_of_characters({"tokenize", "--decode", "32 53,0"}).out == "To\n");
    CHECK(gpt_of_characters({"tokenize", "--decode", "--ids", "32,53"}).out == "To");
    CHECK(gpt_of_characters({"tokenize", "--decode", "-"}, "32\n53\n").out == "To");
    CHECK(
        failed_with(gpt_of_characters({"tokenize", "--decode", "32 x"}), 2, "'x' is no token id"));
    CHECK(failed_with(gpt_of_characters({"tokenize", "--decode", "65"}), 2,
                      "token 65 is outside the vocabulary"));
}

TEST_CASE("a character that the vocabulary lacks is refused, naming it and its place") {
    const Outcome outcome = gpt_of_characters({"tokenize", "caf\u00e9"});
    CHECK(failed_with(outcome, 1, "\u00e9"));
    CHECK(outcome.err.find("3") != std::string::npos);
}

TEST_CASE("GPT-2's own tokenizer, from a folder without weights") {
    const auto folder = shared("gpt2");
    if (!folder) return skip("gpt tokenize with ../shared/gpt2");
    const auto tokenize = [&](const std::string& text, std::vector<std::string> more) {
        more.insert(more.begin(), {"tokenize", "--json", "-m", *folder});
        more.push_back(text);
        return gpt(more).out;
    };
    CHECK(tokenize("a <|endoftext|> b", {}).starts_with("{\"ids\":[64,220,50256,275],"));
    CHECK(tokenize("a <|endoftext|> b", {"--no-special"})
              .starts_with("{\"ids\":[64,1279,91,437,1659,5239,91,29,275],"));
    CHECK(tokenize("a\xff\xfe \xc3(\xe2\x82", {}).find("\\udcff") != std::string::npos);

    const ScratchFolder scratch;
    const std::string bytes = std::string("a\xff\xfe \xc3(\xe2\x82\0\r\n", 11);
    std::ofstream(scratch.path("bytes"), std::ios::binary) << bytes;
    const Outcome back =
        shell("$GPT tokenize --json -m " + *folder + " -f " + scratch.path("bytes") +
              " | sed 's/.*\"ids\":.//; s/].*//' | $GPT tokenize --decode -m " + *folder + " -");
    CHECK(back.out == bytes);
}
