// Byte-pair merges: the table of them, and their application to the pieces of one word.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

struct Merge {
    int left, right, result;
};

// Merges by their pair: a flat hash table, searched from the pair's own place onwards.
class MergeTable {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    // The merges by rank. Of two for one pair the later counts.
    explicit MergeTable(std::span<const Merge> merges);

    // The rank of the merge of left and right, kNone where there is none.
    std::uint32_t rank(int left, int right) const { return slots_[find(left, right)].rank; }
    int result(std::uint32_t rank) const { return results_[rank]; }

private:
    struct Slot {
        int left = -1, right = -1;
        std::uint32_t rank = kNone;
    };
    // Where the pair is, or would be put.
    std::size_t find(int left, int right) const;

    std::vector<int> results_;  // by rank
    std::vector<Slot> slots_;   // a power of two, at most half of them taken
};

// Merges one word after the other, in the same memory.
class Merger {
public:
    explicit Merger(const MergeTable& table) : table_(table) {}

    // Merges, again and again, the pair of lowest rank in ids from `first` on, the leftmost of
    // equals, until no pair has a merge. Time n log n for n ids.
    void merge(std::vector<int>& ids, std::size_t first);

private:
    struct Part {
        int id;
        std::uint32_t previous, next;  // indices; the word's size where there is none
        std::uint32_t rank;            // of the merge with the next part
    };
    void rank_pair(std::uint32_t left);

    const MergeTable& table_;
    std::vector<Part> parts_;
    // A heap of rank << 32 | index, lowest first. An entry whose part has another rank by now is
    // stale, and skipped.
    std::vector<std::uint64_t> heap_;
};
