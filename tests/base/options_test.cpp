#include "base/options.h"
#include <doctest/doctest.h>

TEST_CASE("options are read by name, in either spelling, and the other words come back") {
    int n = 1;
    double f = 2;
    std::string s;
    std::vector<std::string> list;
    std::optional<std::uint64_t> seed;
    bool flag = false;
    Options options;
    options.add("-n, --number", n, 0, 10, "");
    options.add("--f", f, 0, 1, "");
    options.add("--s", s, "");
    options.add("--list", list, "");
    options.add("--seed", seed, "");
    options.add_flag("--flag", flag, "");
    const auto rest =
        options.parse({"-n", "7", "--s", "a b", "word", "--flag", "--f=0.5", "--list", "x",
                       "--list=y", "--seed", "18446744073709551615", "-", "--", "--flag"});
    CHECK(n == 7);
    CHECK(f == 0.5);
    CHECK(s == "a b");
    CHECK(flag);
    CHECK(list == std::vector<std::string>{"x", "y"});
    CHECK(seed == UINT64_MAX);
    CHECK(rest == std::vector<std::string>{"word", "-", "--flag"});
}

TEST_CASE("a mistake is an error that names the option, never a silent default") {
    int n = 1;
    double f = 0;
    bool flag = false;
    Options options;
    options.add("-n, --number", n, 0, 10, "");
    options.add("--f", f, 0, 1, "");
    options.add_flag("--flag", flag, "");
    CHECK_THROWS_WITH_AS(options.parse({"--numbr", "7"}),
                         "unknown option '--numbr': did you mean --number?", UsageError);
    CHECK_THROWS_WITH_AS(options.parse({"--number"}), "--number needs a value", UsageError);
    CHECK_THROWS_WITH_AS(options.parse({"--flag=1"}), "--flag takes no value", UsageError);
}

TEST_CASE("a value that is not wholly a number in range is refused") {
    for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
             {"7x", "-n needs a whole number, found '7x'"},
             {"", "-n needs a whole number, found ''"},
             {"1.5", "-n needs a whole number, found '1.5'"},
             {"11", "-n needs a whole number from 0 to 10, found '11'"},
             {"99999999999", "-n needs a whole number from 0 to 10, found '99999999999'"}}) {
        int n = 1;
        Options options;
        options.add("-n", n, 0, 10, "");
        CHECK_THROWS_WITH_AS(options.parse({"-n", text}), message, UsageError);
        CHECK(n == 1);
    }
    for (const char* text : {"nan", "2", "-0.1", "text", "1e999"}) {
        double f = 0.5;
        Options options;
        options.add("--f", f, 0, 1, "");
        CHECK_THROWS_AS(options.parse({"--f", text}), UsageError);
        CHECK(f == 0.5);
    }
}

TEST_CASE("an option given twice is an error unless it is repeatable") {
    int n = 1;
    Options options;
    options.add("-n, --number", n, 0, 10, "");
    CHECK_THROWS_WITH_AS(options.parse({"-n", "1", "--number", "2"}), "--number is given twice",
                         UsageError);
}

TEST_CASE("help lists every option with what its value is called and its initial value") {
    int n = 3;
    std::string file;
    bool flag = false;
    Options options;
    options.add("-n, --number N", n, 0, 10, "how many");
    options.add("--file FILE", file, "which,\nof many");
    options.add_flag("--flag", flag, "whether");
    CHECK(options.help() ==
          "  -n, --number N        how many [3]\n"
          "      --file FILE       which,\n"
          "                        of many\n"
          "      --flag            whether\n");
}
