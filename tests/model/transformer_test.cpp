#include "model/transformer.h"
#include <doctest/doctest.h>
#include <algorithm>
#include "model/builtin.h"
#include "tests/checkpoints.h"

namespace {

constexpr std::size_t kWhole = 1u << 20;  // a piece that holds any sequence here

Transformer load(const std::string& folder, std::optional<PackedType> type, int threads) {
    Transformer model(load_weights(Folder::at(folder)), type, threads);
    model.share_all();
    return model;
}

void append_rows(std::vector<float>& to, ConstMatrix rows) {
    for (int r = 0; r < rows.rows; ++r) to.insert(to.end(), rows.row(r), rows.row(r) + rows.cols);
}

// The logits of one sequence fed in pieces of that many tokens.
std::vector<float> logits(Transformer& model, std::span<const int> ids, std::size_t piece) {
    KvCache cache = model.new_cache(int(ids.size()));
    std::vector<float> result;
    for (std::size_t i = 0; i < ids.size(); i += piece) {
        const Chunk chunk{&cache, ids.subspan(i, std::min(piece, ids.size() - i))};
        append_rows(result, model.forward(std::span(&chunk, 1), Positions::all));
    }
    return result;
}

// Every sequence of a checkpoint's batch, one after the other.
std::vector<float> logits(Transformer& model, const Expected& expected, std::size_t piece) {
    std::vector<float> result;
    for (int b = 0; b < expected.B; ++b) {
        const auto ids =
            std::span(expected.ids).subspan(std::size_t(b * expected.T), std::size_t(expected.T));
        const auto rows = logits(model, ids, piece);
        result.insert(result.end(), rows.begin(), rows.end());
    }
    return result;
}

}  // namespace

TEST_CASE("the fast path gives the logits of a float64 forward pass on every checkpoint") {
    for (const std::string& folder : checkpoint_folders()) {
        CAPTURE(folder);
        const Expected expected = read_expected(folder);
        Transformer model = load(folder, std::nullopt, 2);
        CHECK(relative_error(logits(model, expected, kWhole), expected.logits) <= kErrorBound);
    }
}

TEST_CASE("a sequence's logits are the same bytes on any number of threads and cut in any way") {
    for (const std::string& folder : checkpoint_folders())
        for (const PackedType type : {PackedType::f32, PackedType::bf16}) {
            CAPTURE(folder);
            CAPTURE(name_of(type));
            const Expected expected = read_expected(folder);
            Transformer one = load(folder, type, 1);
            const auto whole = logits(one, expected, kWhole);
            for (const std::size_t piece : {1u, 2u, 5u})
                CHECK(logits(one, expected, piece) == whole);
            for (const int threads : {2, 3, 7}) {
                Transformer several = load(folder, type, threads);
                CHECK(logits(several, expected, kWhole) == whole);
                CHECK(logits(several, expected, 3) == whole);
            }
        }
}

TEST_CASE("a single row gives the same bytes on more threads than it has company for") {
    Transformer one(load_weights(builtin_model()), std::nullopt, 1);
    Transformer many(load_weights(builtin_model()), std::nullopt, 7);
    many.share_all();
    const std::vector<int> ids = {5, 77, 1234};
    const auto expected = logits(one, ids, kWhole);
    const std::size_t V = expected.size() / ids.size();
    KvCache cache = many.new_cache(int(ids.size()));
    const auto last_of = [&](std::size_t first, std::size_t count) {
        const Chunk chunk{&cache, std::span(ids).subspan(first, count)};
        std::vector<float> row;
        append_rows(row, many.forward(std::span(&chunk, 1), Positions::last));
        const auto wanted = expected.begin() + std::ptrdiff_t((first + count - 1) * V);
        return std::equal(row.begin(), row.end(), wanted, wanted + std::ptrdiff_t(V));
    };
    CHECK(last_of(0, 2));
    CHECK(last_of(2, 1));
    CHECK(many.team() == 7);
}

TEST_CASE("threads are started once there was enough to do") {
    Transformer model(load_weights(builtin_model()), std::nullopt, 2);
    const std::vector<int> ids(16, 7);
    std::vector<int> teams;
    for (int i = 0; i < 3; ++i) {
        logits(model, ids, kWhole);
        teams.push_back(model.team());
    }
    CHECK(teams == std::vector{1, 2, 2});
}

TEST_CASE("a sequence's logits are the same bytes alone and beside others of other lengths") {
    const std::string folder = "tests/fixtures/odd-sizes";
    const Expected expected = read_expected(folder);
    Transformer model = load(folder, std::nullopt, 2);
    const std::span<const int> ids(expected.ids);
    const std::span<const int> sequences[] = {ids.subspan(0, 3), ids.subspan(5, 9),
                                              ids.subspan(2, 1)};
    std::vector<float> alone, together, last;
    std::vector<KvCache> caches;
    std::vector<Chunk> chunks;
    for (int i = 0; i < 3; ++i) {
        const auto rows = logits(model, sequences[i], kWhole);
        alone.insert(alone.end(), rows.begin(), rows.end());
        caches.push_back(model.new_cache(int(ids.size())));
    }
    for (std::size_t i = 0; i < 3; ++i) chunks.push_back({&caches[i], sequences[i]});
    append_rows(together, model.forward(chunks, Positions::all));
    CHECK(together == alone);

    for (KvCache& cache : caches) cache.clear();
    append_rows(last, model.forward(chunks, Positions::last));
    const auto V = std::ptrdiff_t(model.config().vocab_size);
    REQUIRE(last.size() == std::size_t(3 * V));
    int row = 0;
    for (int i = 0; i < 3; ++i) {
        row += int(sequences[i].size());
        CHECK(std::equal(last.begin() + i * V, last.begin() + (i + 1) * V,
                         alone.begin() + (row - 1) * V));
    }
}

TEST_CASE("16-bit weights give the bytes of the same weights widened") {
    for (const std::string& folder : checkpoint_folders()) {
        const Expected expected = read_expected(folder);
        Transformer held = load(folder, std::nullopt, 2), wide = load(folder, PackedType::f32, 2);
        CHECK(bytes_held(held) <= bytes_held(wide));
        CHECK(logits(held, expected, kWhole) == logits(wide, expected, kWhole));
    }
}

TEST_CASE(
    "ids outside the vocabulary, and sequences past their capacity or n_positions, are refused") {
    Transformer model = load("tests/fixtures/bare-bf16", std::nullopt, 1);  // V 7, 5 positions
    KvCache cache = model.new_cache(3), large = model.new_cache(100);
    const auto run = [&](KvCache& into, std::vector<int> ids) {
        const Chunk chunk{&into, ids};
        model.forward(std::span(&chunk, 1), Positions::last);
    };
    CHECK_THROWS_WITH_AS(run(cache, {0, 7}), "token id 7 is outside the vocabulary, 0 to 6", Error);
    CHECK_THROWS_AS(run(cache, {-1}), Error);
    CHECK_THROWS_AS(run(cache, {0, 1, 2, 3}), Error);
    CHECK_THROWS_AS(run(large, {0, 1, 2, 3, 4, 5}), Error);
    CHECK(cache.size() == 0);
    CHECK_NOTHROW(run(cache, {0, 1}));
    CHECK_NOTHROW(run(cache, {2}));
    CHECK_THROWS_AS(run(cache, {2}), Error);
}
