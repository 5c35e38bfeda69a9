// What someone may have meant who wrote a word that does not exist.
#pragma once
#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The fewest letters to insert, remove or replace to turn one word into the other (Levenshtein
// 1966).
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] != to[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// ": did you mean NAME?" for the name nearest to word, where one is near enough to be meant.
template <typename Names>
std::string did_you_mean(std::string_view word, const Names& names) {
    std::string_view nearest;
    std::size_t least = word.size() / 3 + 2;
    for (const std::string_view name : names)
        if (const std::size_t distance = edit_distance(word, name); distance < least) {
            least = distance;
            nearest = name;
        }
    return nearest.empty() ? "" : ": did you mean " + std::string(nearest) + "?";
}
