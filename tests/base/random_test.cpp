#include "base/random.h"
#include <doctest/doctest.h>

TEST_CASE("SplitMix64 gives its published numbers") {
    Random random(1234567);
    CHECK(random.next() == 6457827717110365317u);
    CHECK(random.next() == 3203168211198807973u);
    CHECK(random.next() == 9817491932198370423u);
}

TEST_CASE("uniform numbers lie in [0, 1) with mean 1/2, normal ones have mean 0 and deviation 1") {
    Random random(3);
    double sum = 0, normal = 0, squares = 0;
    for (int i = 0; i < 100000; ++i) {
        const double u = random.uniform(), n = random.normal();
        CHECK_UNARY(u >= 0 && u < 1);
        sum += u, normal += n, squares += n * n;
    }
    CHECK(sum / 1e5 == doctest::Approx(0.5).epsilon(0.01));
    CHECK(std::abs(normal / 1e5) < 0.015);
    CHECK(squares / 1e5 == doctest::Approx(1).epsilon(0.02));
}
