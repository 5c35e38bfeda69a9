#include "kernels/groups.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>
#include "tests/support.h"

namespace {

template <typename Q>
std::vector<float> round_trip(const std::vector<float>& w) {
    std::vector<std::byte> group(Q::kBytes);
    Q::pack(group.data(), w.data());
    std::vector<float> result(w.size());
    for (int k = 0; k < kGroup; ++k)
        for (int c = 0; c < kPanel; ++c)
            result[std::size_t(k * kPanel + c)] = Q::at(group.data(), k, c);
    return result;
}

}  // namespace

TEST_CASE("groups of zeroes stay zero, and huge and tiny weights keep their scale") {
    for (const double size : {0.0, 1e-30, 1e-15, 1.0, 1e15, 1e30, 5e37}) {
        const auto w = random_floats(std::size_t(kGroup * kPanel), 1, size);
        for (const auto& found : {round_trip<Q8>(w), round_trip<Q4>(w)})
            for (std::size_t i = 0; i < w.size(); ++i)
                CHECK(std::fabs(found[i] - w[i]) <= 0.5 * size);
    }
}

TEST_CASE("a weight that is no number leaves none in its column, and every number in the others") {
    const auto w = random_floats(std::size_t(kGroup * kPanel), 1);
    for (const std::uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7fffffffu, ~0u})
        for (const int row : {0, kGroup - 1}) {
            auto odd = w;
            odd[std::size_t(row * kPanel + 1)] = std::bit_cast<float>(bits);
            for (const auto& found : {round_trip<Q8>(odd), round_trip<Q4>(odd)})
                for (int i = 0; i < kGroup * kPanel; ++i)
                    CHECK(std::isnan(found[std::size_t(i)]) == (i % kPanel == 1));
        }
}

TEST_CASE("8 bits leave a relative error of a percent, 4 bits one of a tenth") {
    const auto w = random_floats(std::size_t(kGroup * kPanel), 2);
    const auto error = [&](const std::vector<float>& found) {
        double off = 0, norm = 0;
        for (std::size_t i = 0; i < w.size(); ++i)
            off += std::pow(found[i] - w[i], 2), norm += std::pow(w[i], 2);
        return std::sqrt(off / norm);
    };
    CHECK(error(round_trip<Q8>(w)) < 0.01);
    CHECK(error(round_trip<Q4>(w)) < 0.1);
}
