#include "text/merges.h"
#include <doctest/doctest.h>
#include "base/random.h"

namespace {

using Ids = std::vector<int>;

Ids merged(const std::vector<Merge>& merges, Ids ids, std::size_t first = 0) {
    const MergeTable table(merges);
    Merger merger(table);
    merger.merge(ids, first);
    return ids;
}

// The definition: merge the leftmost of the pairs with the lowest rank, until there is none.
Ids slowly_merged(const std::vector<Merge>& merges, Ids ids) {
    for (;;) {
        std::size_t rank = merges.size(), where = 0;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i)
            for (std::size_t r = 0; r < rank; ++r)
                if (merges[r].left == ids[i] && merges[r].right == ids[i + 1]) rank = r, where = i;
        if (rank == merges.size()) return ids;
        ids[where] = merges[rank].result;
        ids.erase(ids.begin() + std::ptrdiff_t(where) + 1);
    }
}

}  // namespace

TEST_CASE("merges apply by rank, not by length or from left to right") {
    const std::vector<Merge> merges = {{1, 2, 10}, {0, 1, 11}, {11, 2, 12}};
    CHECK(merged(merges, {0, 1, 2}) == Ids{0, 10});
    CHECK(merged(merges, {0, 1}) == Ids{11});
}

TEST_CASE("of equal pairs the leftmost merges first") {
    CHECK(merged({{0, 0, 1}}, {0, 0, 0}) == Ids{1, 0});
    CHECK(merged({{1, 0, 2}, {0, 0, 1}}, {0, 0, 0, 0}) == Ids{2, 0});
}

TEST_CASE("of two merges for one pair the later counts") {
    CHECK(merged({{0, 1, 5}, {1, 2, 6}, {0, 1, 7}}, {0, 1, 2}) == Ids{0, 6});
    CHECK(merged({{0, 1, 5}, {0, 1, 7}}, {0, 1}) == Ids{7});
}

TEST_CASE("ids before the word, words of one id, and an empty table stay as they are") {
    CHECK(merged({{0, 0, 1}}, {0, 0, 0, 0}, 2) == Ids{0, 0, 1});
    CHECK(merged({{0, 0, 1}}, {0}) == Ids{0});
    CHECK(merged({{0, 0, 1}}, {}) == Ids{});
    CHECK(merged({}, {0, 0}) == Ids{0, 0});
}

TEST_CASE("random merges of random words agree with the definition") {
    Random random(11);
    const auto below = [&](std::size_t n) { return int(random.next() % n); };
    for (int round = 0; round < 3000; ++round) {
        std::vector<Merge> merges;
        // Any earlier id may take part, and results may repeat: worse than what training makes.
        const int letters = 1 + below(4), count = below(12);
        for (int i = 0; i < count; ++i) {
            const Merge merge{below(std::size_t(letters + i)), below(std::size_t(letters + i)),
                              letters + below(std::size_t(count))};
            bool known = false;
            for (const Merge& m : merges) known |= m.left == merge.left && m.right == merge.right;
            if (!known) merges.push_back(merge);
        }
        const MergeTable table(merges);
        Merger merger(table);
        for (int word = 0; word < 5; ++word) {
            Ids ids(std::size_t(below(40)));
            for (int& id : ids) id = below(std::size_t(letters));
            const Ids wanted = slowly_merged(merges, ids);
            merger.merge(ids, 0);
            CHECK(ids == wanted);
        }
    }
}

TEST_CASE("a very long word takes neither recursion nor quadratic time") {
    std::vector<Merge> doublings;
    for (int i = 0; i < 17; ++i) doublings.push_back({i, i, i + 1});
    CHECK(merged(doublings, Ids(1 << 17, 0)) == Ids{17});
    CHECK(merged({{0, 0, 1}, {1, 0, 1}}, Ids(100000, 0)).size() == 50000);
    CHECK(merged({{1, 0, 1}, {0, 0, 1}}, Ids(100000, 0)) == Ids{1});
}
