#include <doctest/doctest.h>
#include "formats/json.h"
#include "tests/commands/program.h"

TEST_CASE("gpt check proves each claim on its line, for a fixture and for the model inside") {
    for (const char* model : {" -m tests/fixtures/odd-sizes --ids 3,1,4,1,5", " 'To be'"}) {
        const Outcome outcome = shell(std::string("$GPT check --json") + model);
        CHECK(outcome.status == 0);
        const std::vector<std::string> lines = lines_of(outcome.out);
        CHECK(lines.size() >= 8);
        for (const std::string& line : lines) {
            const Json claim = parse_json(line, "claim");
            CHECK(claim.find("holds")->boolean());
            CHECK(!claim.find("says")->string().empty());
            CHECK(!claim.find("finding")->string().empty());
        }
    }
}
