#include "tools/convert/merge_order.h"
#include <doctest/doctest.h>
#include "model/tokenizer_files.h"
#include "tests/support.h"
#include "text/byte_characters.h"

using convert::Merges;
using convert::merges_in_order;

namespace {

std::vector<std::string> bytes_and(const std::vector<std::string>& more) {
    std::vector<std::string> pieces;
    for (int byte = 0; byte < 256; ++byte) pieces.emplace_back(1, char(byte));
    pieces.insert(pieces.end(), more.begin(), more.end());
    return pieces;
}

// Joins the two neighbours whose joint piece has the lowest id, the first of equals, again and
// again.
std::vector<std::string> join(const std::vector<std::string>& pieces, const std::string& text) {
    std::vector<std::string> parts;
    for (const char c : text) parts.emplace_back(1, c);
    for (;;) {
        std::size_t best = pieces.size(), where = 0;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            for (std::size_t id = 256; id < best; ++id)
                if (pieces[id] == parts[i] + parts[i + 1]) best = id, where = i;
        if (best == pieces.size()) return parts;
        parts[where] += parts[where + 1];
        parts.erase(parts.begin() + std::ptrdiff_t(where) + 1);
    }
}

}  // namespace

TEST_CASE("each piece is the merge of the two that its bytes end with") {
    CHECK(merges_in_order(bytes_and({"bc", "ab", "abc", "bcb", "<end>"}), 260) ==
          Merges{{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"bc", "b"}});
}

TEST_CASE("pieces that are in no order of merges have none") {
    CHECK(merges_in_order(bytes_and({"abc", "ab"}), -1) == std::nullopt);
    CHECK(merges_in_order(bytes_and({"ab", "ab"}), -1) == std::nullopt);
    auto without = bytes_and({});
    without[7] = "ab";
    CHECK(merges_in_order(without, -1) == std::nullopt);
}

TEST_CASE("merging by the merges equals joining by the lowest id, on random vocabularies") {
    Random random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> pieces = bytes_and({});
        while (pieces.size() < 256 + 12) {  // each joins two that are there, as a training would
            const auto pick = [&] {
                const std::size_t n = 3 + pieces.size() - 256, i = random.next() % n;
                return i < 3 ? std::string(1, char('a' + i)) : pieces[256 + i - 3];
            };
            pieces.push_back(pick() + pick());
            const auto merges = merges_in_order(pieces, -1);
            if (!merges) pieces.pop_back();
        }
        Vocabulary vocabulary{pieces, *merges_in_order(pieces, -1), {}};
        const Tokenizer tokenizer(vocabulary);
        std::string text;
        for (int i = 0; i < 30; ++i) text += char('a' + random.next() % 3);
        std::vector<std::string> found;
        for (const int id : tokenizer.encode(text)) found.push_back(tokenizer.piece(id));
        CHECK(found == join(pieces, text));
    }
}

TEST_CASE("GPT-2's own pieces give GPT-2's own merges") {
    const auto folder = shared("gpt2");
    if (!folder) return skip("GPT-2's vocabulary in ../shared/gpt2");
    const auto tokenizer = load_tokenizer(Folder::at(*folder));
    std::vector<std::string> pieces;
    for (int id = 0; id < tokenizer->size(); ++id) pieces.push_back(tokenizer->piece(id));
    const auto merges = merges_in_order(pieces, 50256);
    REQUIRE(merges);
    const File file = File::open(*folder + "/merges.txt");
    std::string text = "#version: 0.2\n";
    for (const auto& [left, right] : *merges)
        text += to_byte_characters(left) + " " + to_byte_characters(right) + "\n";
    CHECK(file.text() == text);
}
