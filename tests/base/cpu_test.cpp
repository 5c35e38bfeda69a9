#include "base/cpu.h"
#include <doctest/doctest.h>

TEST_CASE("a program that runs lacks nothing that it was built for") {
    CHECK(missing_instructions() == nullptr);
}

TEST_CASE("the processor's name is one line without blanks around it") {
    const std::string name = cpu_name();
    CHECK(!name.empty());
    CHECK(name.front() != ' ');
    CHECK(name.back() != ' ');
    CHECK(name.find('\n') == std::string::npos);
}
