#include "kernels/functions.h"
#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <vector>

namespace {

// f of one number, as every lane computes it.
template <typename F>
float lane(F f, float x) {
    return f(broadcast(x))[0];
}

// |found - wanted| in units of the last place that a float near wanted has.
double units_off(float found, double wanted) {
    if (std::isinf(found) && std::fabs(wanted) > std::numeric_limits<float>::max()) return 0;
    int exponent;
    std::frexp(wanted, &exponent);
    return std::fabs(found - wanted) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

// The largest error over all floats of either sign, a few thousand bit patterns apart.
template <typename F, typename G>
double worst_units(F found, G wanted) {
    constexpr std::uint32_t kStep = 3001, kInfinity = 0x7f800000;
    double worst = 0;
    for (std::uint32_t bits = 0; bits < kInfinity; bits += kStep)
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const auto x = std::bit_cast<float>(bits | sign);
            worst = std::max(worst, units_off(lane(found, x), wanted(double(x))));
        }
    return worst;
}

}  // namespace

TEST_CASE("exp is within 2 units in the last place over all floats") {
    const auto vector_exp = [](Vec x) { return exp(x); };
    CHECK(worst_units(vector_exp, [](double x) { return std::exp(x); }) <= 2);
    CHECK(lane(vector_exp, 0) == 1);
    CHECK(lane(vector_exp, -INFINITY) == 0);
    CHECK(lane(vector_exp, INFINITY) == INFINITY);
    CHECK(std::isnan(lane(vector_exp, NAN)));
}

TEST_CASE("tanh is within 2 units in the last place over all floats") {
    const auto vector_tanh = [](Vec x) { return tanh(x); };
    CHECK(worst_units(vector_tanh, [](double x) { return std::tanh(x); }) <= 2);
    CHECK(lane(vector_tanh, INFINITY) == 1);
    CHECK(std::signbit(lane(vector_tanh, -0.0f)));
    CHECK_FALSE(std::signbit(lane(vector_tanh, 0.0f)));
    CHECK(lane(vector_tanh, -INFINITY) == -1);
    CHECK(std::isnan(lane(vector_tanh, NAN)));
}

TEST_CASE("the largest is found wherever it stands") {
    for (const int n : {1, 2, 15, 16, 17, 40})
        for (int at = 0; at < n; ++at) {
            std::vector<float> x(std::size_t(n), -1e30f);
            x[std::size_t(at)] = -3;
            CHECK(largest(x.data(), n) == -3);
        }
    const float least = -std::numeric_limits<float>::infinity();
    CHECK(largest(&least, 1) == least);
}
