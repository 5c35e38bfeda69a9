#include <doctest/doctest.h>
#include <cmath>
#include "formats/json.h"
#include "tests/commands/program.h"
#include "tests/commands/table_model.h"

namespace {

std::string names_of(const Json& json) {
    std::string names;
    for (const auto& [name, value] : json.object()) names += name + " ";
    return names;
}

// Every line that `gpt bench --json WORDS` prints.
std::vector<Json> bench(std::vector<std::string> words) {
    words.insert(words.begin(), {"bench", "--json", "--runs", "1"});
    const Outcome outcome = gpt(words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    CHECK(outcome.err == "");
    std::vector<Json> lines;
    for (const std::string& line : lines_of(outcome.out))
        lines.push_back(parse_json(line, "gpt bench"));
    return lines;
}

struct Row {
    std::string test;
    int batch, depth;
    bool operator==(const Row&) const = default;
};

// The lines of tests, whose shape is exactly the stated one, before that of the machine.
std::vector<Row> rows_of(const std::vector<Json>& lines, const std::string& dtype, int threads) {
    std::vector<Row> rows;
    REQUIRE(lines.size() > 1);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        const Json& line = lines[i];
        CHECK(names_of(line) ==
              "test dtype threads batch depth tokens_per_second limit_tokens_per_second "
              "fraction_of_limit ");
        CHECK(line.find("dtype")->string() == dtype);
        CHECK(line.find("threads")->number() == threads);
        const double tokens = line.find("tokens_per_second")->number();
        const double limit = line.find("limit_tokens_per_second")->number();
        CHECK(tokens > 0);
        CHECK(limit > 0);
        CHECK(line.find("fraction_of_limit")->number() == tokens / limit);
        rows.push_back({line.find("test")->string(), int(line.find("batch")->number()),
                        int(line.find("depth")->number())});
    }
    return rows;
}

}  // namespace

TEST_CASE("bench tells a line a test and one of the machine, cut to the model's context") {
    const std::vector<Json> lines = bench({"-m", "weights/shakespeare-char", "-t", "2"});
    const std::vector<Row> expected = {{"pp64", 1, 0}, {"tg64", 1, 0}, {"tg64", 8, 0}};
    CHECK(rows_of(lines, "f16", 2) == expected);
    CHECK(names_of(lines.back()) == "machine ");
    const Json& machine = *lines.back().find("machine");
    CHECK(names_of(machine) == "fma_gflops read_gbps cpu simd ");
    CHECK(machine.find("fma_gflops")->number() > 0);
    CHECK(machine.find("read_gbps")->number() > 0);
    CHECK(machine.find("cpu")->string() != "");
    CHECK(machine.find("simd")->string() != "");
}

TEST_CASE("bench measures every type of weights, on as many threads as it is told") {
    for (const char* dtype : {"f32", "bf16", "q8", "q4"})
        CHECK(rows_of(bench({"-m", "weights/shakespeare-char", "--dtype", dtype, "-t", "1"}), dtype,
                      1)
                  .size() == 3);
}

TEST_CASE("a longer context has both prompts, and generation behind a long text") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(3);
    model.n_positions = 1024;
    model.write(folder);
    const std::vector<Row> expected = {
        {"pp64", 1, 0}, {"pp512", 1, 0}, {"tg128", 1, 0}, {"tg128", 1, 896}, {"tg128", 8, 0}};
    CHECK(rows_of(bench({"-m", folder.path(), "-t", "1"}), "f32", 1) == expected);
}

TEST_CASE("the shortest context of all is measured too") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(3);
    model.n_positions = 1;
    model.write(folder);
    const std::vector<Row> expected = {{"tg1", 1, 0}, {"tg1", 8, 0}};
    CHECK(rows_of(bench({"-m", folder.path(), "-t", "3"}), "f32", 3) == expected);
}

TEST_CASE("the table for people has a heading, a line a test, and the limits") {
    const auto lines = lines_of(gpt_of_characters({"bench", "--runs", "1"}).out);
    REQUIRE(lines.size() == 6);
    CHECK(lines[0].starts_with("test    type"));
    CHECK(lines[1].starts_with("pp64    f16"));
    CHECK(lines[1].ends_with(" %"));
    CHECK(lines[5].starts_with("limits: "));
}

TEST_CASE("bench refuses what it can't measure") {
    CHECK(failed_with(gpt({"bench", "--shape", "2B"}), 2,
                      "--shape is 124M, 355M, 774M or 1.5B, not '2B'"));
    CHECK(failed_with(gpt({"bench", "--shape", "124M", "-m", "tests/fixtures/blocks"}), 2,
                      "--shape and --model exclude one another"));
    CHECK(failed_with(gpt({"bench", "--runs", "0"}), 2, "--runs needs a whole number from 1"));
    CHECK(failed_with(gpt({"bench", "--dtype", "q5"}), 2, "--dtype is auto"));
    CHECK(failed_with(gpt({"bench", "text"}), 2, "gpt bench takes no text"));
}
