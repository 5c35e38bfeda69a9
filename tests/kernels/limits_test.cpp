#include "kernels/limits.h"
#include <doctest/doctest.h>
#include <cmath>

TEST_CASE("the machine's limits are measured on any number of threads") {
    const std::vector<std::byte> large(1 << 20), small(100), none;
    for (const int threads : {1, 2, 3}) {
        const double multiply_adds = multiply_add_rate(threads);
        const double bytes = read_rate({large, small, none}, threads);
        CHECK(std::isfinite(multiply_adds));
        CHECK(std::isfinite(bytes));
        CHECK(multiply_adds > 0);
        CHECK(bytes > 0);
    }
    CHECK(read_rate({small}, 1) > 0);
}
