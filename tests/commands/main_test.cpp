#include <doctest/doctest.h>
#include <fstream>
#include "base/error.h"
#include "commands/input.h"
#include "tests/commands/program.h"
#include "tests/commands/table_model.h"

namespace {

const std::vector<std::string> kCommands = {"generate", "score",  "logits", "tokenize", "trace",
                                            "mix",      "attend", "check",  "info",     "bench"};

// Columns of a line of UTF-8: bytes that begin a character.
std::size_t width(const std::string& line) {
    std::size_t count = 0;
    for (const char c : line) count += (c & 0xc0) != 0x80;
    return count;
}

}  // namespace

TEST_CASE("without a command the usage goes to stderr, with status 2") {
    const Outcome outcome = gpt({});
    CHECK(outcome.status == 2);
    CHECK(outcome.out == "");
    CHECK(outcome.err.starts_with("usage: gpt COMMAND"));
}

TEST_CASE(
    "help names every command, and each tells its own use, all within 80 "
    "columns") {
    const Outcome all = gpt({"--help"});
    CHECK(all.status == 0);
    CHECK(all.err == "");
    CHECK(gpt({"help"}).out == all.out);
    CHECK(gpt({"-h"}).out == all.out);
    for (const std::string& command : kCommands) {
        CAPTURE(command);
        CHECK(all.out.find("\n  " + command + " ") != std::string::npos);
        const Outcome own = gpt({command, "--help"});
        CHECK(own.status == 0);
        CHECK(own.err == "");
        CHECK(own.out.starts_with("gpt " + command + ": "));
        CHECK(own.out.find("\nusage: gpt " + command + " [OPTIONS]") != std::string::npos);
        CHECK(own.out.find("\nexample: gpt " + command) != std::string::npos);
        CHECK(gpt({"help", command}).out == own.out);
        for (const std::string& line : lines_of(own.out)) CHECK_MESSAGE(width(line) <= 80, line);
    }
    for (const std::string& line : lines_of(all.out)) CHECK_MESSAGE(width(line) <= 80, line);
}

TEST_CASE("--version names the compiler, the vectors, the threads and the model") {
    const Outcome outcome = gpt({"--version"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.starts_with("gpt "));
    for (const char* name : {"compiler ", "vectors ", "OpenMP", "weights ", "model "})
        CHECK_MESSAGE(outcome.out.find(name) != std::string::npos, name);
}

TEST_CASE(
    "misuse is one line that names the mistake and where to read on, and "
    "status 2") {
    CHECK(failed_with(gpt({"genrate"}), 2,
                      "unknown command 'genrate': did you mean generate? (see gpt --help)"));
    CHECK(failed_with(gpt({"help", "xyzzy"}), 2, "unknown command 'xyzzy' (see gpt --help)"));
    CHECK(failed_with(gpt({"--version", "x"}), 2, "--version takes no more words, found 'x'"));
    CHECK(failed_with(gpt({"help", "info", "x"}), 2, "help takes no more words, found 'x'"));
    CHECK(failed_with(gpt({"--help", "info"}), 2, "--help takes no more words, found 'info'"));
    CHECK(failed_with(gpt({"generate", "--temprature", "1"}), 2,
                      "unknown option '--temprature': did you mean --temperature? "
                      "(see gpt generate --help)"));
    CHECK(failed_with(gpt({"generate", "-n"}), 2, "-n needs a value"));
    CHECK(failed_with(gpt({"info", "-m", ""}), 2, "-m needs a value, found ''"));
    CHECK(failed_with(gpt({"generate", "-n", "abc"}), 2, "-n needs a whole number, found 'abc'"));
    CHECK(failed_with(gpt({"generate", "-n", "1", "--tokens", "2"}), 2, "--tokens is given twice"));
    CHECK(failed_with(gpt({"score", "-t", "0", "a"}), 2, "-t needs a whole number from 1"));
    CHECK(failed_with(gpt({"score", "--dtype", "q5", "a"}), 2, "--dtype is auto, f32"));
    CHECK(failed_with(gpt({"score", "two", "words"}), 2, "2 words: put it in quotes"));
    CHECK(failed_with(gpt({"score", "a", "--ids", "1"}), 2, "exclude one another"));
    CHECK(failed_with(gpt({"score"}), 2, "nothing to read"));
    CHECK(failed_with(gpt({"info", "text"}), 2, "takes no text, found 'text'"));
}

TEST_CASE("a failure is one line that names the thing, and status 1") {
    CHECK(failed_with(gpt({"info", "-m", "no-such-model"}), 1, "no-such-model"));
    CHECK(failed_with(gpt({"info", "-m", "two\nlines\x1b[31m"}), 1, "two\\nlines\\x1b[31m"));
    CHECK(failed_with(gpt({"score", "-f", "/no/such/file"}), 1, "/no/such/file: cannot be opened"));
    CHECK(failed_with(gpt({"score", "-f", "/"}), 1, "/: cannot be read"));
    CHECK(failed_with(gpt({"score", "-m", "tests/fixtures/blocks", "text"}), 1,
                      "no tokenizer.json, nor vocab.json"));
}

TEST_CASE(
    "a text comes from the argument, a file, a pipe or standard input, "
    "byte for byte") {
    const ScratchFolder folder;
    const std::string path = folder.path("text"), text = "First\nCitizen";
    std::ofstream(path) << text;
    const Outcome wanted = gpt({"tokenize", "--json", text});
    CHECK(wanted.status == 0);
    CHECK(gpt({"tokenize", "--json", "-f", path}).out == wanted.out);
    CHECK(gpt({"tokenize", "--json", "-"}, text).out == wanted.out);
    CHECK(gpt({"tokenize", "--json", "-f", "-"}, text).out == wanted.out);
    CHECK(shell("cat " + path + " | $GPT tokenize --json -f /dev/stdin").out == wanted.out);
    CHECK(gpt({"tokenize", "--json", "--", "-n"}).status == 0);
    CHECK(gpt({"tokenize", "--json", "-"}).out == "{\"ids\":[],\"pieces\":[]}\n");
}

TEST_CASE("a text that cannot be encoded is refused with the file that it is from") {
    const ScratchFolder folder;
    const std::string path = folder.path("text"), accented = "Fiést";
    std::ofstream(path) << accented;
    for (const char* command : {"generate", "score", "logits", "tokenize"}) {
        const std::string message = "the vocabulary has no piece for 'é' (U+00E9) at byte 2\n";
        CHECK(failed_with(gpt_of_characters({command, accented}), 1, "gpt: " + message));
        CHECK(failed_with(gpt_of_characters({command, "-f", path}), 1, path + ": " + message));
        CHECK(failed_with(gpt_of_characters({command, "-"}, accented), 1,
                          "gpt: standard input: " + message));
    }
}

TEST_CASE("input that goes on without end is refused") {
    CHECK_THROWS_WITH_AS(read_bytes("/dev/zero", 1000), "/dev/zero: goes on beyond 1000 bytes",
                         Error);
}

TEST_CASE("ids that are none, or outside the vocabulary, are refused by name") {
    for (const auto& [ids, message] : std::initializer_list<std::pair<const char*, const char*>>{
             {"65", "token 65 is outside the vocabulary of 65 tokens, 0 to 64"},
             {"1,-1", "token -1 is outside the vocabulary of 65 tokens, 0 to 64"},
             {"99999999999999999999", "is outside the vocabulary of 65 tokens, 0 to 64"},
             {"1,abc", "'abc' is no token id"},
             {"1,,2", "'' is no token id"},
             {"1,2,", "'' is no token id"},
             {"1.5", "'1.5' is no token id"}})
        for (const char* command : {"generate", "score", "logits", "tokenize"})
            CHECK(failed_with(gpt_of_characters({command, "--ids", ids}), 2, message));
    CHECK(gpt({"tokenize", "--json", "--ids", " 1, 2\n3"}).out.starts_with("{\"ids\":[1,2,3],"));
}

TEST_CASE("a model without a tokenizer works on ids") {
    const std::string model = "tests/fixtures/blocks";
    for (const char* command : {"generate", "score", "logits"})
        CHECK(gpt({command, "-m", model, "--ids", "1,2,3"}).status == 0);
    CHECK(failed_with(gpt({"tokenize", "-m", model, "--ids", "1,2"}), 1, "token ids work: --ids"));
    CHECK(failed_with(gpt({"generate", "-m", model}), 1, "no end-of-text token"));
}

TEST_CASE("output into a full device is an error") {
    for (const char* words : {"generate -n 5", "score text", "logits text", "tokenize text", "info",
                              "--version", "--help", "generate --help"}) {
        const Outcome outcome = shell(std::string("$GPT ") + words + " > /dev/full");
        CAPTURE(words);
        CHECK(outcome.status == 1);
        CHECK(outcome.err.find("gpt: standard output cannot be written: No space "
                               "left on device\n") != std::string::npos);
    }
}

TEST_CASE("a reader who has seen enough ends the program without a word") {
    const Outcome outcome = shell(
        "{ $GPT generate --slide -n 1000000 2> "
        "/dev/null; echo $? >&2; } | head -c 10");
    CHECK(outcome.out.size() == 10);
    CHECK(outcome.err == "141\n");
    const Outcome ignored = shell(
        "trap '' PIPE; { $GPT generate --slide -n 1000000 --seed 1; echo "
        "$? >&2; } | head -c 10");
    CHECK(ignored.err == "seed 1 (SplitMix64)\n141\n");
}

TEST_CASE("a tokenizer of another size than the model's is reported") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(4);
    model.next.resize(300, 0);
    model.write(folder);
    const Outcome outcome = gpt({"score", "-m", folder.path(), "abc"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err.find("gpt: warning: ") == 0);
    CHECK(outcome.err.find("the tokenizer has 4 tokens, the model 300") != std::string::npos);
}

TEST_CASE("a tokenizer that is refused is needed for text alone") {
    const ScratchFolder folder;
    TableModel::of_letters(4).write(folder);
    std::ofstream(folder.path("tokenizer.json")) << R"({"normalizer": {"type": "NFC"}})";
    const std::string why = "tokenizer.json: normalizer is set, and is not supported";
    for (const char* command : {"score", "logits", "generate"}) {
        const Outcome outcome = gpt({command, "-m", folder.path(), "--ids", "1,2"});
        CHECK(outcome.status == 0);
        CHECK(outcome.err.starts_with(cat("gpt: warning: ", folder.path(), ": token ids only: ")));
        CHECK(outcome.err.find(why) != std::string::npos);
    }
    CHECK(gpt({"info", "--json", "-m", folder.path()}).out.find(why) != std::string::npos);
    for (const char* command : {"score", "logits", "generate", "tokenize", "trace", "mix", "attend",
                                "explain", "lens", "check"})
        CHECK(failed_with(gpt({command, "--json", "-m", folder.path(), "abc"}), 1, why));
}

TEST_CASE("a line feed that the model has no row for starts no text") {
    const ScratchFolder folder;
    TableModel::of_letters(4).write(folder);
    std::ofstream(folder.path("vocab.json")) << R"({"a": 0, "b": 1, "c": 2, "d": 3, "Ċ": 4})";
    const Outcome outcome = gpt({"generate", "-m", folder.path()});
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find(": the model's 4 tokens have no end-of-text token and no line feed") !=
          std::string::npos);
}
