#include <doctest/doctest.h>
#include <cmath>
#include "formats/json.h"
#include "tests/commands/program.h"

namespace {

const std::vector<std::string> kModel = {"-m", "tests/fixtures/odd-sizes", "--ids", "3,1,4,1,5"};

Outcome mix(std::vector<std::string> words) {
    words.insert(words.begin(), "mix");
    words.insert(words.end(), kModel.begin(), kModel.end());
    return gpt(words);
}

double at(const Json& matrix, std::size_t t, std::size_t j) {
    return matrix.array()[t].array()[j].number();
}

}  // namespace

TEST_CASE("gpt mix --json: three matrices are one mean, the fourth is a head's own") {
    const Outcome outcome = mix({"--json", "-n", "3", "--layer", "1", "--head", "1"});
    REQUIRE(outcome.status == 0);
    const std::vector<std::string> lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 4);
    double furthest = 0;
    for (std::size_t m = 0; m < 4; ++m) {
        const Json json = parse_json(lines[m], "mix");
        const Json& W = *json.find("W");
        for (std::size_t t = 0; t < 3; ++t) {
            double sum = 0;
            for (std::size_t j = 0; j < 3; ++j) {
                if (j > t) CHECK(at(W, t, j) == 0);
                const double mean = j > t ? 0 : 1 / double(t + 1);
                if (m < 3) CHECK(at(W, t, j) == doctest::Approx(mean));
                if (m == 3) furthest = std::max(furthest, std::fabs(at(W, t, j) - mean));
                sum += at(W, t, j);
            }
            CHECK(sum == doctest::Approx(1));
        }
    }
    CHECK(furthest > 1e-3);
}

TEST_CASE("gpt mix shows legality and strength apart, the four matrices, and what each costs") {
    const Outcome outcome = mix({"--time-at", "64"});
    REQUIRE(outcome.status == 0);
    for (const char* words :
         {"which positions are legal", "how strongly each would weigh", "loop mean: ",
          "triangle mean: ", "mask + softmax: ", "q kT: ", "Time for T = 64", "W v, fast path"})
        CHECK_MESSAGE(outcome.out.find(words) < outcome.out.size(), words);
    CHECK(mix({"--time-at", "0"}).out.find("Time for") == std::string::npos);
    CHECK(failed_with(mix({"--layer", "99"}), 2, "--layer needs 0 to 1, found 99"));
}
