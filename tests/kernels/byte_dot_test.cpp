#include "kernels/byte_dot.h"
#include <doctest/doctest.h>
#include "base/random.h"

// The sum over a group of 32 of w x, for least <= w <= most, by Dot.
template <typename Dot>
void check_dot(int least, int most) {
    Random random(4);
    for (int round = 0; round < 50; ++round) {
        // The first rounds are the largest there are, in all signs.
        const auto pick = [&](int low, int high) {
            if (round < 4) return round % 2 ? high : low;
            return low + int(random.next() % std::uint64_t(high - low + 1));
        };
        std::int8_t x[32];
        for (auto& n : x) n = std::int8_t(round < 2 ? 127 : round < 4 ? -127 : pick(-127, 127));
        std::uint32_t lanes[8][kLanes] = {};
        std::int32_t expected[kLanes] = {};
        for (int k = 0; k < 32; ++k)
            for (int l = 0; l < kLanes; ++l) {
                const int w = pick(least, most);
                lanes[k / 4][l] |= std::uint32_t(w & 0xff) << (8 * (k % 4));
                expected[l] += w * x[k];
            }
        float words[8 * Dot::kWords];
        Dot::store_x(words, Dot::kWords, x);
        IntVec sum = broadcast_int(Dot::kStart);
        for (int q = 0; q < 8; ++q)
            sum = Dot::add(sum, Dot::split(load_as<IntVec>(lanes[q])), words + q * Dot::kWords);
        for (const float scale : {0x1p-133f, 0x1.fep-126f, 0x1.cap-9f, 0x1.fep108f, 0x1.fep124f}) {
            const Vec found = Dot::scaled(sum, broadcast(scale), Dot::base(broadcast(scale)));
            for (int l = 0; l < kLanes; ++l) {
                const double exact = double(expected[l]) * double(scale) * double(Dot::kUnit);
                REQUIRE(found[l] == float(exact));
            }
        }
    }
}

TEST_CASE(
    "sums of products of bytes are exact, at their largest too, and scaled with one rounding") {
    constexpr int kOffset = ByteDot::kOffset;
    check_dot<ByteDot>(kOffset - 127, kOffset + 127);
    check_dot<NibbleDot>(0, 15);
}
