#include "tools/train/bpe.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
#include "base/error.h"
#include "text/byte_characters.h"
#include "text/split.h"
#include "text/unicode.h"

namespace {

struct Word {
    std::vector<int> ids;
    std::int64_t count = 0;
};

// The different words of the text in the order in which they appear, as bytes' ids.
std::vector<Word> words_of(std::string_view text) {
    std::array<int, 256> id_of{};
    const std::vector<unsigned char> order = byte_order();
    for (int id = 0; id < 256; ++id) id_of[order[std::size_t(id)]] = id;

    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<Word> words;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, first_word(text));
        text.remove_prefix(word.size());
        const auto [place, is_new] = places.try_emplace(word, words.size());
        if (is_new) {
            words.emplace_back();
            for (const char c : word)
                words.back().ids.push_back(id_of[static_cast<unsigned char>(c)]);
        }
        ++words[place->second].count;
    }
    return words;
}

// How often each two neighbours occur, and where, kept true from merge to merge.
class Pairs {
public:
    explicit Pairs(std::vector<Word> words) : words_(std::move(words)) {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::size_t i = 0; i + 1 < words_[w].ids.size(); ++i)
                change(words_[w].ids[i], words_[w].ids[i + 1], w, +1);
        queue_changed();
    }

    struct Pair {
        std::int64_t count;
        int left, right;
        // The queue's order: what ranks lower comes out later.
        bool operator<(const Pair& other) const {
            return std::tie(count, other.left, other.right) < std::tie(other.count, left, right);
        }
    };

    // The most frequent pair; of count 0 where none is left.
    Pair most_frequent() {
        while (!queue_.empty()) {
            Pair pair = queue_.top();
            const std::int64_t now = pairs_.at(key(pair.left, pair.right)).count;
            if (pair.count == now) return pair;
            queue_.pop();  // it has become rarer since it was queued
            pair.count = now;
            if (now > 0) queue_.push(pair);
        }
        return {0, 0, 0};
    }

    // Replaces the pair by `id` wherever it occurs, from left to right.
    void merge(int left, int right, int id) {
        const std::vector<std::size_t> places = std::move(pairs_.at(key(left, right)).words);
        for (const std::size_t w : places) merge(w, left, right, id);
        queue_changed();
    }

private:
    struct Entry {
        std::int64_t count = 0;
        std::vector<std::size_t> words;  // those that have it, and perhaps some that had it
    };
    static std::uint64_t key(int left, int right) {
        return std::uint64_t(left) << 32 | std::uint64_t(right);
    }

    void change(int left, int right, std::size_t word, int sign) {
        Entry& entry = pairs_[key(left, right)];
        entry.count += sign * words_[word].count;
        if (sign < 0) return;
        if (entry.words.empty() || entry.words.back() != word) entry.words.push_back(word);
        changed_.push_back(key(left, right));
    }

    void merge(std::size_t word, int left, int right, int id) {
        std::vector<int>& ids = words_[word].ids;
        std::size_t to = 0;
        for (std::size_t from = 0; from < ids.size(); ++from, ++to) {
            ids[to] = ids[from];
            if (ids[from] != left || from + 1 == ids.size() || ids[from + 1] != right) continue;
            ids[to] = id;
            ++from;
            change(left, right, word, -1);
            if (to > 0) {
                change(ids[to - 1], left, word, -1);
                change(ids[to - 1], id, word, +1);
            }
            if (from + 1 < ids.size()) {
                change(right, ids[from + 1], word, -1);
                change(id, ids[from + 1], word, +1);
            }
        }
        ids.resize(to);
    }

    // Pairs that have become more frequent: a pair that only became rarer is queued already.
    void queue_changed() {
        std::sort(changed_.begin(), changed_.end());
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
        for (const std::uint64_t k : changed_)
            queue_.push({pairs_.at(k).count, int(k >> 32), int(k & 0xffffffff)});
        changed_.clear();
    }

    std::vector<Word> words_;
    std::unordered_map<std::uint64_t, Entry> pairs_;
    std::priority_queue<Pair> queue_;
    std::vector<std::uint64_t> changed_;
};

}  // namespace

std::vector<unsigned char> byte_order() {
    const auto stands_for_itself = [](int byte) {
        const std::string text = to_byte_characters(std::string(1, static_cast<char>(byte)));
        return first_character(text).code == char32_t(byte);
    };
    std::vector<unsigned char> order(256);
    for (int b = 0; b < 256; ++b) order[std::size_t(b)] = static_cast<unsigned char>(b);
    std::stable_partition(order.begin(), order.end(), stands_for_itself);
    return order;
}

Vocabulary learn_bpe(std::string_view text, int size) {
    Vocabulary vocabulary;
    for (const unsigned char byte : byte_order())
        vocabulary.pieces.emplace_back(1, static_cast<char>(byte));
    Pairs pairs(words_of(text));
    while (int(vocabulary.pieces.size()) < size - 1) {
        const auto [count, left, right] = pairs.most_frequent();
        if (count < 2)
            throw Error(cat("a vocabulary of ", size, " is larger than the text allows: after ",
                            vocabulary.pieces.size() + 1, " no two neighbours occur twice"));
        const std::string& first = vocabulary.pieces[std::size_t(left)];
        const std::string& second = vocabulary.pieces[std::size_t(right)];
        vocabulary.merges.emplace_back(first, second);
        vocabulary.pieces.push_back(cat(first, second));
        pairs.merge(left, right, int(vocabulary.pieces.size()) - 1);
    }
    vocabulary.added.push_back({kEndOfText, size - 1, true});
    return vocabulary;
}

std::vector<Halves> halves_of(const Vocabulary& vocabulary) {
    std::unordered_map<std::string_view, int> ids;
    for (const std::string& piece : vocabulary.pieces) ids.emplace(piece, int(ids.size()));
    std::vector<Halves> halves(vocabulary.pieces.size() + vocabulary.added.size());
    for (const auto& [left, right] : vocabulary.merges)
        halves[std::size_t(ids.at(left + right))] = {ids.at(left), ids.at(right)};
    return halves;
}
