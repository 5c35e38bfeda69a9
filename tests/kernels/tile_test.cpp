#include "kernels/tile.h"
#include <doctest/doctest.h>
#include <algorithm>
#include "kernels/integer_tile.h"
#include "tests/support.h"

namespace {

struct Counting : NothingAhead {
    int* times;
    void go() { ++*times; }
};

}  // namespace

TEST_CASE("a tile adds step after step of k, and looks ahead once a turn") {
    constexpr int R = 3, kMost = 45, kStride = kMost + 2;
    const auto x = random_floats(R * kStride, 1), w = random_floats(kMost * kPanel, 2);
    for (int depth = 0; depth <= kMost; ++depth) {
        CAPTURE(depth);
        TileSums<R, 1> found, wanted;
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < 2; ++v) {
                Vec& sum = wanted[0][r][v] = found[0][r][v] = broadcast(float(r - v));
                for (int k = 0; k < depth; ++k)
                    sum = fma(broadcast(x[std::size_t(r * kStride + k)]),
                              load(&w[std::size_t(k * kPanel + v * kLanes)]), sum);
            }
        int times = 0;
        multiply_tile<R, 1>(found, {x.data(), kStride, 1}, TilePanels<float>{w.data(), 0, kPanel},
                            depth, Counting{{}, &times});
        CHECK(std::memcmp(&found, &wanted, sizeof found) == 0);
        CHECK(times == turns(depth));
    }
}

TEST_CASE_TEMPLATE("a tile of integers looks ahead once a group", Tile, Q8Tile, Q4Tile) {
    constexpr int kGroups = 5;
    const std::vector<float> x(std::size_t(kGroups * QuantisedRows<Tile>::kRow));
    const std::vector<std::byte> w(kGroups * Tile::kBytes);
    TileSums<1, 1> sum{};
    int times = 0;
    multiply_groups<Tile, 1, 1>(sum, x.data(), w.data(), 0, kGroups, Counting{{}, &times});
    CHECK(times == kGroups);
}

TEST_CASE("every line of what comes after w is asked for, in as few runs as the turns allow") {
    const std::vector<std::byte> w(100 * kLine);
    for (const int lines : {0, 1, 5, 64, 100})
        for (const int turns : {1, 3, 12, 96, 1000}) {
            std::vector<bool> asked(std::size_t(lines) + 1);
            Ahead ahead(w.data(), lines * kLine, turns);
            for (int turn = 0; turn < turns; ++turn, ahead.go())
                for (int run = 0; run < ahead.runs; ++run) {
                    const std::ptrdiff_t at = ahead.data - w.data() + run * ahead.apart;
                    if (at < lines * kLine) asked[std::size_t(at / kLine)] = true;
                }
            CHECK(std::count(asked.begin(), asked.end() - 1, true) == lines);
            CHECK(ahead.runs == (lines + turns - 1) / turns);
        }
}

TEST_CASE("tiles hold every row once, with heights that differ by one at most") {
    for (int rows = 0; rows <= 100; ++rows)
        for (const int most : {4, 5, 6, 12}) {
            const Tiling tiling(rows, most);
            CHECK(tiling.tiles == (rows + most - 1) / most);
            CHECK(tiling.first(0) == 0);
            CHECK(tiling.first(tiling.tiles) == rows);
            for (int i = 0; i < tiling.tiles; ++i) {
                CHECK(tiling.first(i) + tiling.height(i) == tiling.first(i + 1));
                CHECK(tiling.height(i) <= most);
                CHECK(tiling.height(i) >= tiling.height(tiling.tiles - 1));
                CHECK(tiling.height(0) - tiling.height(i) <= 1);
            }
        }
}

TEST_CASE("every panel is taken on once, each run where the last call ended") {
    for (int first = 0; first <= 3; ++first)
        for (int count = 0; count <= 23; ++count) {
            CAPTURE(count);
            std::vector<int> times(std::size_t(first + count) + 1);
            std::vector<int> before;
            for_panels<4>(first, first + count, [&](int panel, int apart, auto P) {
                std::vector<int> now;
                for (int p = 0; p < P; ++p) now.push_back(panel + p * apart);
                for (const int i : now) ++times[std::size_t(i)];
                if (before.size() == now.size())
                    for (std::size_t p = 0; p < now.size(); ++p) CHECK(now[p] == before[p] + 1);
                before = now;
            });
            for (int i = 0; i <= first + count; ++i)
                CHECK(times[std::size_t(i)] == (i >= first && i < first + count));
        }
}

TEST_CASE("the pieces of some panels are all of them, each a part of every run") {
    for (int count = 0; count <= 23; ++count)
        for (int pieces = 1; pieces <= 6; ++pieces) {
            std::vector<int> times(std::size_t(count), 0);
            for (int piece = 0; piece < pieces; ++piece) {
                int calls = 0;
                const auto call = [&](int panel, int apart, auto P) {
                    for (int p = 0; p < P; ++p) ++times[std::size_t(panel + p * apart)];
                    if (P == 4) CHECK(apart == count / 4);
                    calls += P == 4;
                };
                for_panels<4>(0, count, call, piece, pieces);
                CHECK(calls <= (count / 4 + pieces - 1) / pieces);
            }
            CHECK(std::count(times.begin(), times.end(), 1) == count);
        }
}
