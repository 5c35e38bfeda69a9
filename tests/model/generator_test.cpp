#include "model/generator.h"
#include <doctest/doctest.h>
#include <algorithm>
#include "model/folder.h"
#include "model/reference.h"
#include "tests/checkpoints.h"

namespace {

const std::string kFolder = "tests/fixtures/odd-sizes";

using Ids = std::vector<int>;

Transformer load(int threads = 1) {
    Transformer model(load_weights(Folder::at(kFolder)), std::nullopt, threads);
    model.share_all();
    return model;
}

Generator::Settings greedy(const Transformer& model, bool slide = false) {
    return {{.temperature = 0}, model.config().vocab_size, slide};
}

// The new tokens of each sequence.
std::vector<Ids> run(Transformer& model, const Generator::Settings& settings,
                     const std::vector<Ids>& prompts, int tokens, std::uint64_t seed = 1) {
    Generator generator(model, settings);
    std::vector<Ids> made(prompts.size());
    for (const Ids& prompt : prompts) generator.add(prompt, tokens, seed);
    while (generator.step([&](int i, int id) {
        made[std::size_t(i)].push_back(id);
        return true;
    })) {}
    return made;
}

// The likeliest next token by the page.
int next_by_the_page(const Weights& weights, std::span<const int> ids) {
    const Tensor logits = reference::forward(weights, ids, 1);
    const auto last = logits.data.end() - weights.config.vocab_size;
    return int(std::max_element(last, logits.data.end()) - last);
}

}  // namespace

TEST_CASE("greedy generation gives the tokens of the float64 reference") {
    for (const std::string& folder : checkpoint_folders()) {
        const Expected expected = read_expected(folder);
        if (expected.greedy_ids.empty()) continue;
        CAPTURE(folder);
        Transformer model(load_weights(Folder::at(folder)), std::nullopt, 2);
        const Ids& prompt = expected.greedy_prompt;
        const auto made =
            run(model, greedy(model), {prompt}, int(expected.greedy_ids.size() - prompt.size()));
        CHECK(made[0] == Ids(expected.greedy_ids.begin() + std::ptrdiff_t(prompt.size()),
                             expected.greedy_ids.end()));
    }
}

TEST_CASE("a sequence grows as it would alone, whatever grows beside it") {
    Transformer model = load(), threaded = load(3);
    const std::vector<Ids> prompts = {{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10}};
    const Generator::Settings settings = {{.temperature = 1}, model.config().vocab_size, true};
    const auto together = run(model, settings, prompts, 30, 7);
    CHECK(run(threaded, settings, prompts, 30, 7) == together);
    for (std::size_t i = 0; i < prompts.size(); ++i)
        CHECK(run(model, settings, {prompts[i]}, 30, 7)[0] == together[i]);
}

TEST_CASE("a full context drops its oldest half and goes on as the page would") {
    const Weights weights = load_weights(Folder::at(kFolder));
    const int context = weights.config.n_positions;
    Transformer model = load();
    for (const int length : {1, context, context + 1, 5 * context}) {
        CAPTURE(length);
        Ids ids;
        for (int i = 0; i < length; ++i) ids.push_back(i % 7);
        const auto made = run(model, greedy(model, true), {ids}, 2 * context)[0];
        REQUIRE(int(made.size()) == 2 * context);
        std::size_t start = 0;
        for (const int id : made) {
            while (int(ids.size() - start) > context) start += std::size_t(context + 1) / 2;
            CHECK(id == next_by_the_page(weights, std::span(ids).subspan(start)));
            ids.push_back(id);
        }
    }
}

TEST_CASE("without sliding the context takes one token more than it has positions") {
    Transformer model = load();
    const int context = model.config().n_positions;
    Generator generator(model, greedy(model));
    CHECK_NOTHROW(generator.add(Ids(std::size_t(context), 1), 1, 1));
    CHECK_NOTHROW(generator.add({1}, context, 1));
    CHECK_THROWS_AS(generator.add(Ids(std::size_t(context), 1), 2, 1), Error);
    CHECK_THROWS_AS(generator.add(Ids(std::size_t(context) + 1, 1), 1, 1), Error);
    CHECK_NOTHROW(generator.add(Ids(std::size_t(context) + 1, 1), 0, 1));
}

TEST_CASE("a sequence ends where it is told to, the others go on") {
    Transformer model = load();
    Generator generator(model, greedy(model, true));
    for (int i = 0; i < 3; ++i) generator.add({1}, 10, 1);
    std::vector<int> counts(3);
    while (generator.step([&](int i, int) { return ++counts[std::size_t(i)] < 4 || i != 1; })) {}
    CHECK(counts == std::vector<int>{10, 4, 10});
}

TEST_CASE("candidates limit what is sampled") {
    Transformer model = load();
    const Generator::Settings settings = {{.temperature = 1000}, 3, true};
    const auto made = run(model, settings, {{9}}, 200);
    for (const int id : made[0]) CHECK(id < 3);
}

TEST_CASE("candidates are 1 to the vocabulary's size") {
    Transformer model = load();
    const int V = model.config().vocab_size;
    CHECK_NOTHROW(Generator(model, {.sampling = {}, .candidates = V}));
    for (const int n : {0, -1, V + 1})
        CHECK_THROWS_WITH_AS(Generator(model, {.sampling = {}, .candidates = n}),
                             cat("Generator: candidates: expected 1 to ", V, ", found ", n).c_str(),
                             std::logic_error);
}
