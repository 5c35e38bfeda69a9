#include "text/merges.h"
#include <algorithm>
#include <bit>
#include <climits>
#include <functional>
#include "base/error.h"

MergeTable::MergeTable(std::span<const Merge> merges)
    : slots_(std::bit_ceil(2 * merges.size() + 1)) {
    for (const auto& [left, right, result] : merges) {
        slots_[find(left, right)] = {left, right, std::uint32_t(results_.size())};
        results_.push_back(result);
    }
}

std::size_t MergeTable::find(int left, int right) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t key = std::uint64_t(std::uint32_t(left)) << 32 | std::uint32_t(right);
    std::size_t i = (key * 0x9e3779b97f4a7c15 >> 32) & mask;  // 2^64 / golden ratio
    while (slots_[i].rank != kNone && (slots_[i].left != left || slots_[i].right != right))
        i = (i + 1) & mask;
    return i;
}

void Merger::rank_pair(std::uint32_t left) {
    Part& part = parts_[left];
    part.rank =
        part.next == parts_.size() ? MergeTable::kNone : table_.rank(part.id, parts_[part.next].id);
    if (part.rank != MergeTable::kNone) {
        heap_.push_back(std::uint64_t(part.rank) << 32 | left);
        std::push_heap(heap_.begin(), heap_.end(), std::greater());
    }
}

void Merger::merge(std::vector<int>& ids, std::size_t first) {
    const std::size_t size = ids.size() - first;
    if (size > INT_MAX) throw Error(cat("a word of ", size, " characters is too long to merge"));
    const auto end = std::uint32_t(size);
    parts_.resize(end);
    for (std::uint32_t i = 0; i < end; ++i)
        parts_[i] = {ids[first + i], i == 0 ? end : i - 1, i + 1, MergeTable::kNone};
    for (std::uint32_t i = 0; i < end; ++i) rank_pair(i);

    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater());
        const auto rank = std::uint32_t(heap_.back() >> 32), left = std::uint32_t(heap_.back());
        heap_.pop_back();
        if (parts_[left].rank != rank) continue;
        Part& part = parts_[left];
        Part& absorbed = parts_[part.next];
        part.id = table_.result(rank);
        part.next = absorbed.next;
        absorbed.rank = MergeTable::kNone;
        if (part.next != end) parts_[part.next].previous = left;
        rank_pair(left);
        if (part.previous != end) rank_pair(part.previous);
    }

    ids.resize(first);
    for (std::uint32_t i = 0; i != end; i = parts_[i].next) ids.push_back(parts_[i].id);
}
