#include "commands/explain/data.h"
#include <doctest/doctest.h>
#include <cmath>
#include <cstring>
#include <map>
#include "model/reference.h"
#include "tests/commands/explain/decode.h"
#include "tests/model_folder.h"

namespace {

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<int> some_ids(int count, int vocabulary) {
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) ids.push_back((7 * i + 3) % vocabulary);
    return ids;
}

// A page's data, and all that the observer saw.
struct Page {
    ModelFolder folder;
    Weights weights;
    std::vector<int> ids;
    std::map<std::string, Tensor> steps;
    Json data;

    Page(const TinyModel& model, int T, int layer)
        : folder(model), weights(folder.load()), ids(some_ids(T, model.vocab_size)) {
        reference::forward(weights, ids, 1, [&](const std::string& name, const Tensor& value) {
            steps[name] = value;
        });
        const Subject subject{weights, "tiny", ids, model.vocab_size, piece, layer, std::nullopt};
        data = parse_json(page_data(subject, [](int, int) {}), "page");
    }
    static std::string_view piece(int id) { return id == 3 ? "</script>" : ""; }

    const Json& at(std::string_view name) const { return *data.find(name); }
    int number(std::string_view name) const { return int(at(name).number()); }
};

std::vector<float> lower(const Tensor& W, int h, int positions) {
    std::vector<float> rows;
    for (int t = 0; t < positions; ++t)
        for (int j = 0; j <= t; ++j) rows.push_back(W.at(0, h, t, j));
    return rows;
}

double length(const Tensor& x, int t) {
    double squares = 0;
    for (int c = 0; c < x.shape[2]; ++c) squares += double(x.at(t, c)) * x.at(t, c);
    return std::sqrt(squares);
}

}  // namespace

TEST_CASE("the page's trace is every step that the observer sees, bit for bit") {
    for (const int layer : {0, 1}) {
        const Page page({}, 11, layer);
        REQUIRE(page.number("first_traced") == 0);
        const auto& traces = page.at("traces").array();
        REQUIRE(traces.size() == 2);
        const auto& trace = traces[std::size_t(layer)].array();
        REQUIRE(trace.size() == 18);
        CHECK(trace[0].find("name")->string() == (layer == 0 ? "embed" : "h.0.residual_mlp"));
        for (const Json& step : trace) {
            const std::string& name = step.find("name")->string();
            CAPTURE(name);
            REQUIRE(page.steps.count(name) == 1);
            const Tensor& seen = page.steps.at(name);
            CHECK(same_bytes(floats(*step.find("values")), seen.data));
            const auto& shape = step.find("shape")->array();
            REQUIRE(int(shape.size()) == seen.shape.rank);
            for (int i = 0; i < seen.shape.rank; ++i)
                CHECK(shape[std::size_t(i)].number() == seen.shape[i]);
        }
    }
}

TEST_CASE("the page's attention, means, stream and logits are the observer's") {
    const Page page({.n_layer = 3, .n_head = 4}, 13, 1);
    const auto& attention = page.at("attention").array();
    REQUIRE(attention.size() == 3);
    for (int l = 0; l < 3; ++l) {
        const Tensor& W = page.steps.at(cat("h.", l, ".attn.weights"));
        std::vector<float> all;
        for (int h = 0; h < 4; ++h) {
            const auto rows = lower(W, h, 13);
            all.insert(all.end(), rows.begin(), rows.end());
            for (int t = 0; t < 13; ++t)
                for (int j = t + 1; j < 13; ++j) CHECK(W.at(0, h, t, j) == 0);
        }
        CHECK(same_bytes(floats(attention[std::size_t(l)]), all));
    }
    for (const Json& mean : page.at("means").find("matrices")->array()) {
        const std::vector<float> W = floats(mean);
        REQUIRE(W.size() == 13 * 14 / 2);
        for (int t = 0, i = 0; t < 13; ++t)
            for (int j = 0; j <= t; ++j)
                CHECK(W[std::size_t(i++)] == doctest::Approx(1.0 / (t + 1)));
    }
    CHECK(page.at("means").find("difference")->number() < 1e-6);
    const Tensor& logits = page.steps.at("logits");
    CHECK(same_bytes(floats(page.at("logits")),
                     {logits.data.end() - logits.shape[2], logits.data.end()}));
    const std::vector<float> stream = floats(page.at("stream")), added = floats(page.at("added"));
    REQUIRE(stream.size() == 7 * 13);
    for (int t = 0; t < 13; ++t) {
        CHECK(stream[std::size_t(t)] == doctest::Approx(length(page.steps.at("embed"), t)));
        CHECK(stream[std::size_t(6 * 13 + t)] ==
              doctest::Approx(length(page.steps.at("h.2.residual_mlp"), t)));
        CHECK(added[std::size_t(5 * 13 + t)] ==
              doctest::Approx(length(page.steps.at("h.2.mlp.c_proj"), t)));
    }
}

TEST_CASE("a replaced token moves attention from there on, and the MLP there alone") {
    const Page page({}, 12, 1);
    const auto& substitutions = page.at("substitutions").array();
    REQUIRE(substitutions.size() == kSubstitutions);
    for (const Json& s : substitutions) {
        const int position = int(s.find("position")->number());
        const std::vector<float> attention = floats(*s.find("attention")),
                                 mlp = floats(*s.find("mlp")), stream = floats(*s.find("stream"));
        CHECK(page.ids[std::size_t(position)] == int(s.find("from")->number()));
        CHECK(s.find("from")->number() != s.find("to")->number());
        REQUIRE(stream.size() == 5 * 12);
        REQUIRE(attention.size() == 2 * 12);
        REQUIRE(mlp.size() == 2 * 12);
        for (std::size_t i = 0; i < 2 * 12; ++i) {
            CHECK((attention[i] != 0) == (int(i % 12) >= position));
            CHECK((mlp[i] != 0) == (int(i % 12) == position));
        }
        for (int t = 0; t < 12; ++t) {
            CHECK((stream[std::size_t(t)] != 0) == (t == position));
            CHECK((stream[std::size_t(4 * 12 + t)] != 0) == (t >= position));
        }
    }
}

TEST_CASE("a substitution is the difference of two forward passes") {
    const Page page({}, 9, 0);
    const Json& s = page.at("substitutions").array()[1];
    std::vector<int> ids = page.ids;
    const auto position = std::size_t(s.find("position")->number());
    ids[position] = int(s.find("to")->number());
    Tensor end;
    reference::forward(page.weights, ids, 1, [&](const std::string& name, const Tensor& value) {
        if (name == "h.1.residual_mlp") end = value;
    });
    const Tensor& before = page.steps.at("h.1.residual_mlp");
    const std::vector<float> stream = floats(*s.find("stream"));
    for (int t = 0; t < 9; ++t) {
        Tensor difference({1, 1, end.shape[2]});
        for (int c = 0; c < end.shape[2]; ++c) difference.at(0, c) = end.at(t, c) - before.at(t, c);
        CHECK(stream[std::size_t(4 * 9 + t)] == doctest::Approx(length(difference, 0)));
    }
}

TEST_CASE("padding past the tokenizer is never said") {
    const ModelFolder folder{TinyModel{}};
    const Weights weights = folder.load();
    const std::vector<int> ids = {1, 2, 3, 1, 2, 3};
    const int candidates = 4;
    const Subject subject{weights, "tiny", ids, candidates, Page::piece, 0, std::nullopt};
    const Json data = parse_json(page_data(subject, [](int, int) {}), "page");
    std::vector<const Json*> guesses = {data.find("lens")};
    for (const Json& s : data.find("substitutions")->array()) {
        CHECK(s.find("to")->number() < candidates);
        guesses.push_back(s.find("next"));
    }
    REQUIRE(guesses.size() > 1);
    for (const Json* some : guesses)
        for (const Json& id : some->find("ids")->array()) CHECK(id.number() < candidates);
}

TEST_CASE("one token, and a context that is full") {
    for (const int T : {1, 16}) {
        const Page page({}, T, 0);
        CHECK(page.number("positions") == T);
        CHECK(page.number("trace_positions") == T);
        CHECK(page.at("lens").find("ids")->array().size() == std::size_t(3 * T * kLensGuesses));
    }
}

TEST_CASE("a page that leaves positions out shows the same numbers for the first") {
    const TinyModel large{
        .n_layer = 2, .n_head = 8, .n_embd = 16, .n_inner = 64, .n_positions = 400};
    const Page page(large, 400, 1);
    const int P = page.number("positions"), S = page.number("trace_positions");
    REQUIRE(P < 400);
    REQUIRE(S < 400);
    const auto& attention = page.at("attention").array();
    REQUIRE(attention.size() == 1);
    const std::vector<float> W = floats(attention[0]);
    const std::vector<float> last = lower(page.steps.at("h.1.attn.weights"), 7, P);
    CHECK(same_bytes({W.end() - std::ptrdiff_t(last.size()), W.end()}, last));
    REQUIRE(page.number("first_traced") == 1);
    for (const Json& step : page.at("traces").array()[0].array()) {
        const Tensor& seen = page.steps.at(step.find("name")->string());
        const std::vector<float> values = floats(*step.find("values"));
        const bool square = step.find("letters")->string() == "B,H,T,T";
        const std::size_t width =
            square ? std::size_t(S) : std::size_t(seen.shape[seen.shape.rank - 1]);
        CAPTURE(step.find("name")->string());
        REQUIRE(values.size() % (width * std::size_t(S)) == 0);
        CHECK(same_bytes({values.begin(), values.begin() + std::ptrdiff_t(width)},
                         {seen.data.begin(), seen.data.begin() + std::ptrdiff_t(width)}));
        const float* row = seen.shape.rank == 4 ? &seen.at(0, 0, S - 1, 0) : &seen.at(0, S - 1, 0);
        const std::size_t at = (std::size_t(S) - 1) * width;
        CHECK(same_bytes(
            {values.begin() + std::ptrdiff_t(at), values.begin() + std::ptrdiff_t(at + width)},
            {row, row + width}));
    }
}

TEST_CASE("base64 is RFC 4648's") {
    const auto of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
    CHECK(of("") == "");
    CHECK(of("f") == "Zg==");
    CHECK(of("fo") == "Zm8=");
    CHECK(of("foo") == "Zm9v");
    CHECK(of("foob") == "Zm9vYg==");
    CHECK(of("fooba") == "Zm9vYmE=");
    CHECK(of("foobar") == "Zm9vYmFy");
    CHECK(of("\xff\xfe\xfd") == "//79");
}
