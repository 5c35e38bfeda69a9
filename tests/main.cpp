// Runs every test, then names what was skipped and prints `N passed, M failed` alone on the last
// line.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <cstdio>
#include <set>
#include "tests/support.h"

namespace {

std::set<std::string>& skipped() {
    static std::set<std::string> names;
    return names;
}

int passed = 0, failed = 0;

// Counts test cases while doctest's own reporter prints the failures.
struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        ++(stats.failure_flags == 0 ? passed : failed);
    }
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

void skip(const std::string& what) { skipped().insert(what); }

REGISTER_LISTENER("counter", 1, Counter);

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int status = context.run();
    if (context.shouldExit()) return status;
    for (const std::string& name : skipped()) std::printf("skipped: %s\n", name.c_str());
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
