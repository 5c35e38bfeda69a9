#include <doctest/doctest.h>
#include <fstream>
#include "tests/commands/program.h"
#include "tests/commands/table_model.h"

namespace {

// gpt generate with a model's folder, greedily unless the words say otherwise.
Outcome generate(const ScratchFolder& folder, std::vector<std::string> words) {
    words.insert(words.begin(), {"generate", "-m", folder.path()});
    return gpt(words);
}

Outcome greedy(const ScratchFolder& folder, std::vector<std::string> words) {
    words.insert(words.begin(), {"--temperature", "0"});
    return generate(folder, words);
}

// 13 letters and an end-of-text token, in a context of 16.
struct Letters : ScratchFolder {
    explicit Letters(int end_after = -1, const std::string& end_of_text = "13") {
        TableModel model = TableModel::of_letters(13);
        model.pieces.push_back("<|endoftext|>");
        model.next.push_back(0);
        model.end_of_text = end_of_text;
        if (end_after >= 0) model.next[std::size_t(end_after)] = 13;
        model.write(*this);
    }
};

}  // namespace

TEST_CASE("stdout is the text alone, the talk goes to stderr") {
    const Letters folder;
    const Outcome outcome = greedy(folder, {"-n", "5", "abc"});
    CHECK(outcome.status == 0);
    CHECK(outcome.out == "defgh");
    CHECK(outcome.err.starts_with("5 tokens, the first after "));
    CHECK(outcome.err.ends_with("; ended by length\n"));
}

TEST_CASE("--json is one line of exactly the stated shape") {
    const Letters folder;
    CHECK(
        greedy(folder, {"--json", "-n", "3", "--seed", "7", "ab"}).out ==
        "{\"prompt_ids\":[0,1],\"ids\":[2,3,4],\"text\":\"cde\",\"stop\":\"length\",\"seed\":7}\n");
    CHECK(gpt({"generate", "--json", "-n", "2", "--temperature", "0", "--seed", "7", "-m",
               "tests/fixtures/blocks", "--ids", "1,2"})
              .out.find(",\"text\":null,\"stop\":\"length\",\"seed\":7}\n") != std::string::npos);
}

TEST_CASE("a prompt and the new tokens fit the context with one to spare, more is refused") {
    const Letters folder;
    const std::string letters = "abcdefghijklmabcdefghijklm";
    for (const int prompt : {1, 15, 16}) {
        const std::string text = letters.substr(0, std::size_t(prompt));
        const std::string rest = letters.substr(std::size_t(prompt)) + letters;
        const int room = 17 - prompt;
        CHECK(greedy(folder, {"-n", std::to_string(room), text}).out ==
              rest.substr(0, std::size_t(room)));
        CHECK(greedy(folder, {text}).out == rest.substr(0, std::size_t(room)));
        const Outcome more = greedy(folder, {"-n", std::to_string(room + 1), text});
        CHECK(failed_with(more, 1, "make 18, but the context of 16 positions takes at most 17"));
        CHECK(greedy(folder, {"--slide", "-n", "20", text}).out == rest.substr(0, 20));
    }
    for (const int prompt : {17, 80, 100000}) {
        std::string text;
        while (int(text.size()) < prompt) text += letters[text.size() % 13];
        CHECK(failed_with(greedy(folder, {"-n", "1", text}), 1, "takes at most 17"));
        CHECK(failed_with(greedy(folder, {text}), 1, "takes at most 17"));
        CHECK(greedy(folder, {"--slide", "-n", "2", text}).out ==
              (letters + letters).substr(text.size() % 13, 2));
    }
}

TEST_CASE("no text starts from the end-of-text token, or from a line feed where there is none") {
    const Letters folder;
    CHECK(greedy(folder, {"-n", "3"}).out == "abc");
    CHECK(greedy(folder, {"-n", "3", ""}).out == "abc");
    CHECK(greedy(folder, {"-n", "3", "-f", "/dev/null"}).out == "abc");
    CHECK(gpt_of_characters({"generate", "--json", "-n", "1"})
              .out.starts_with("{\"prompt_ids\":[0],"));
    CHECK(gpt_of_characters({"generate", "--json", "-n", "1", " "})
              .out.starts_with("{\"prompt_ids\":[1],"));
}

TEST_CASE("end-of-text ends a text and is told, unless it is to be ignored") {
    const Letters folder(4);  // after e
    CHECK(greedy(folder, {"ab"}).out == "cde");
    CHECK(greedy(folder, {"ab"}).err.ends_with("; ended by end-of-text\n"));
    CHECK(greedy(folder, {"--json", "--seed", "1", "ab"}).out ==
          "{\"prompt_ids\":[0,1],\"ids\":[2,3,4,13],\"text\":\"cde\",\"stop\":\"end-of-text\","
          "\"seed\":1}\n");
    CHECK(greedy(folder, {"--ignore-eos", "-n", "6", "ab"}).out == "cde<|endoftext|>ab");
}

TEST_CASE("each of several end-of-text tokens ends a text, and the first starts one") {
    const Letters folder(-1, "[13,3,7,3]");
    CHECK(greedy(folder, {"--json", "--seed", "1"}).out ==
          "{\"prompt_ids\":[13],\"ids\":[0,1,2,3],\"text\":\"abc\",\"stop\":\"end-of-text\","
          "\"seed\":1}\n");
    const Outcome both = greedy(folder, {"--ids", "0", "--ids", "5"});
    CHECK(both.out.find("\nbc\n") != std::string::npos);
    CHECK(both.out.find("\ng\n") != std::string::npos);
    CHECK(both.err.find("; 2 ended by end-of-text\n") != std::string::npos);
    CHECK(greedy(folder, {"--ignore-eos", "-n", "6", "ab"}).out == "cdefgh");
    const Letters outside(-1, "[99,5,13]");  // one that the model lacks is none of them
    CHECK(greedy(outside, {"ab"}).out == "cde");
    CHECK(greedy(outside, {"--json", "-n", "1"}).out.starts_with("{\"prompt_ids\":[5],"));
    for (const char* none : {"null", "[]", "-1", "[99]"})  // the tokenizer knows <|endoftext|>
        CHECK(greedy(Letters(4, none), {"ab"}).out == "cde");
}

TEST_CASE("a text ends before a stop string, which may span tokens or end inside one") {
    const Letters folder;
    CHECK(greedy(folder, {"--stop", "fg", "ab"}).out == "cde");
    CHECK(greedy(folder, {"--stop", "xyz", "--stop", "gh", "--stop", "h", "ab"}).out == "cdef");
    CHECK(greedy(folder, {"--stop", "fx", "-n", "4", "ab"}).out == "cdef");
    CHECK(greedy(folder, {"--stop", "ab", "-n", "4", "ab"}).out == "cdef");  // not in the prompt
    CHECK(greedy(folder, {"--json", "--seed", "1", "--stop", "ef", "ab"}).out ==
          "{\"prompt_ids\":[0,1],\"ids\":[2,3,4,5],\"text\":\"cd\",\"stop\":\"stop-string\","
          "\"seed\":1}\n");
    CHECK(failed_with(greedy(folder, {"--stop", "", "ab"}), 2, "--stop needs some text"));

    const ScratchFolder pairs;  // a, bc, a, bc, ...
    TableModel model;
    model.pieces = {"a", "b", "c", "bc"};
    model.merges = {"b c"};
    model.next = {3, 3, 3, 0};
    model.write(pairs);
    CHECK(greedy(pairs, {"-n", "4", "a"}).out == "bcabca");
    CHECK(greedy(pairs, {"-n", "4", "--stop", "ca", "a"}).out == "b");
    CHECK(greedy(pairs, {"-n", "4", "--stop", "cab", "a"}).out == "b");
    CHECK(greedy(pairs, {"-n", "4", "--stop", "b", "a"}).out == "");
}

TEST_CASE("characters come whole, and bytes that never become one are not lost") {
    const ScratchFolder folder;
    TableModel model;
    model.pieces = {"a", "\xf0", "\x9f", "\x8e", "\x88", "\xff"};
    model.next = {1, 2, 3, 4, 5, 0};
    model.write(folder);
    CHECK(greedy(folder, {"-n", "5", "a"}).out == "\xf0\x9f\x8e\x88\xff");
    CHECK(greedy(folder, {"-n", "2", "a"}).out == "\xf0\x9f");
    CHECK(greedy(folder, {"--json", "--seed", "1", "-n", "5", "a"}).out ==
          "{\"prompt_ids\":[0],\"ids\":[1,2,3,4,5],\"text\":\"\xf0\x9f\x8e\x88\\udcff\",\"stop\":"
          "\"length\",\"seed\":1}\n");
}

TEST_CASE("settings outside their range are refused, those at its ends work") {
    const Letters folder;
    for (const auto& words : std::vector<std::vector<std::string>>{{"--temperature", "-1"},
                                                                   {"--temperature", "nan"},
                                                                   {"--temperature", "text"},
                                                                   {"--temperature", "inf"},
                                                                   {"--top-k", "-1"},
                                                                   {"--top-p", "1.5"},
                                                                   {"--top-p", "-0.1"},
                                                                   {"--min-p", "2"},
                                                                   {"-n", "-1"},
                                                                   {"--samples", "0"},
                                                                   {"--seed", "-1"}}) {
        CAPTURE(words[1]);
        CHECK(failed_with(generate(folder, words), 2, words[0]));
    }
    for (const auto& words : std::vector<std::vector<std::string>>{{"--temperature", "0"},
                                                                   {"--temperature", "1e-45"},
                                                                   {"--top-k", "1"},
                                                                   {"--top-p", "0"},
                                                                   {"--top-p", "1e-9"},
                                                                   {"--min-p", "1"}}) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"-n", "3", "ab"});
        CAPTURE(words[0]);
        CHECK(generate(folder, all).out == "cde");
    }
    for (const char* k : {"0", "14", "15"})
        CHECK(generate(folder, {"--top-k", k, "--top-p", "1", "-n", "3", "ab"}).status == 0);
    CHECK(greedy(folder, {"-n", "0", "ab"}).out == "");
}

TEST_CASE("equally likely tokens: greedy takes the lowest id") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(5);
    model.strength = 0;
    model.write(folder);
    CHECK(greedy(folder, {"-n", "4", "c"}).out == "aaaa");
}

TEST_CASE("a seed repeats a run, and without one the seed is shown") {
    const auto run = [](const std::string& seed) {
        return gpt({"generate", "-n", "40", "--seed", seed, "ROMEO:"});
    };
    const Outcome first = run("5");
    CHECK(first.err.starts_with("seed 5 (SplitMix64)\n"));
    CHECK(run("5").out == first.out);
    CHECK(run("6").out != first.out);

    const Outcome chosen = gpt({"generate", "-n", "40", "ROMEO:"});
    REQUIRE(chosen.err.starts_with("seed "));
    CHECK(run(chosen.err.substr(5, chosen.err.find(' ', 5) - 5)).out == chosen.out);
}

TEST_CASE("a sample is what it would be alone, whatever runs beside it and on how many threads") {
    const auto run = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"generate", "--json", "-n", "30"});
        return gpt(words).out;
    };
    const std::string together = run({"--samples", "10", "--seed", "3", "ROMEO:"});
    const auto samples = lines_of(together);
    REQUIRE(samples.size() == 10);
    for (const std::size_t i : {0, 4, 9})
        CHECK(run({"--seed", std::to_string(3 + i), "ROMEO:"}) == samples[i] + "\n");
    CHECK(run({"--samples", "10", "--seed", "3", "-t", "1", "ROMEO:"}) == together);
    CHECK(run({"--samples", "10", "--seed", "3", "-t", "3", "ROMEO:"}) == together);
}

TEST_CASE("a file of prompts is a batch, one a line") {
    const Letters folder;
    const std::string path = folder.path("prompts");
    std::ofstream(path) << "abc\r\n\nabcdefghijkl\nf";
    const Outcome outcome = greedy(folder, {"-n", "3", "--prompts", path, "--seed", "1"});
    CHECK(outcome.out ==
          "── 1 of 4, seed 1 ──\ndef\n\n"
          "── 2 of 4, seed 2 ──\nabc\n\n"
          "── 3 of 4, seed 3 ──\nmab\n\n"
          "── 4 of 4, seed 4 ──\nghi\n");
    CHECK(outcome.err.find("; 4 ended by length\n") != std::string::npos);
    const Outcome ids = greedy(folder, {"-n", "1", "--json", "--ids", "0,1", "--ids", "5"});
    REQUIRE(lines_of(ids.out).size() == 2);
    CHECK(lines_of(ids.out)[1].starts_with("{\"prompt_ids\":[5],\"ids\":[6],\"text\":\"g\""));
    CHECK(failed_with(greedy(folder, {"--prompts", path, "text"}), 2, "--prompts excludes a text"));
    CHECK(failed_with(greedy(folder, {"-n", "9", "--prompts", path}), 1,
                      path + ": line 3: a prompt of 12 tokens and 9 new ones make 21"));
    std::ofstream(path) << "abc\naé";
    CHECK(failed_with(greedy(folder, {"--prompts", path}), 1,
                      path + ": line 2: the vocabulary has no piece for 'é' (U+00E9) at byte 1\n"));
}

TEST_CASE("rows past the tokenizer are never sampled") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(4);
    model.next = {6, 6, 6, 6, 0, 0, 0};  // 6, which the tokenizer lacks; of the others a is last
    model.write(folder);
    CHECK(greedy(folder, {"-n", "3", "d"}).out == "bbb");
    for (const char* seed : {"1", "2", "3"}) {
        const Outcome outcome = generate(
            folder, {"--temperature", "100", "--top-p", "1", "-n", "16", "--seed", seed, "a"});
        CHECK(outcome.status == 0);
        CHECK(outcome.out.size() == 16);
    }
}

TEST_CASE("logits that are not finite end the run with a message, not with a wrong token") {
    for (const float bad : {NAN, INFINITY}) {
        const ScratchFolder folder;
        TableModel model = TableModel::of_letters(4);
        model.strength = bad;
        model.write(folder);
        CHECK(failed_with(greedy(folder, {"-n", "3", "ab"}), 1,
                          "the logits after token 2 are not finite"));
    }
}

TEST_CASE("Ctrl-C ends a text where it is, with status 130") {
    const ScratchFolder folder;
    const Outcome outcome = interrupt_once_written(
        folder.path("text"),
        "exec $GPT generate --slide -n 100000000 --seed 1 ROMEO: >" + folder.path("text"));
    CHECK(outcome.status == 130);
    CHECK(outcome.err.ends_with("; ended by interrupted\n"));
}

TEST_CASE("at a terminal the prompt stands before its continuation, and the line is ended") {
    const Letters folder;
    const Outcome outcome =
        gpt_in_terminal({"generate", "-m", folder.path(), "--temperature", "0", "-n", "3", "ab"});
    CHECK(outcome.status == 0);
    CHECK(outcome.out.starts_with("\x1b[2mab\x1b[0mcde\r\n3 tokens"));
}
