// What the narrower weight types cost a trained model.
#include <doctest/doctest.h>
#include <cmath>
#include "model/builtin.h"
#include "model/folder.h"
#include "model/scoring.h"
#include "model/tokenizer_files.h"
#include "tests/support.h"

namespace {

using Sequences = std::vector<std::vector<int>>;

int draw(std::span<const float> logits, Random& random) {
    double left = random.uniform() * std::exp(log_sum_exp(logits));
    for (std::size_t id = 0; id < logits.size(); ++id)
        if ((left -= std::exp(double(logits[id]))) < 0) return int(id);
    return int(logits.size()) - 1;
}

// Texts that the model itself writes, where what another predicts worse shows at its clearest.
Sequences texts_by(Transformer& model, int count) {
    Random random(1);
    const int length = std::min(model.config().n_positions, 64);
    Sequences texts(std::size_t(count), {0});
    std::vector<KvCache> caches;
    for (int i = 0; i < count; ++i) caches.push_back(model.new_cache(length));
    for (int t = 0; t + 1 < length; ++t) {
        std::vector<Chunk> chunks;
        for (std::size_t i = 0; i < texts.size(); ++i)
            chunks.push_back({&caches[i], std::span(texts[i]).last(1)});
        const ConstMatrix logits = model.forward(chunks, Positions::last);
        for (int i = 0; i < count; ++i)
            texts[std::size_t(i)].push_back(
                draw({logits.row(i), std::size_t(logits.cols)}, random));
    }
    return texts;
}

double perplexity(Transformer& model, const Sequences& texts) {
    double nll = 0;
    std::size_t count = 0;
    for (const std::vector<int>& ids : texts) {
        const int window = std::min(model.config().n_positions, int(ids.size()));
        for (const double p : log_probabilities(model, ids, window, (window + 1) / 2))
            nll -= p, ++count;
    }
    return std::exp(nll / double(count));
}

// How much higher the perplexity of each type is than that of f32, as a part of it.
void check_costs(const Sequences& texts) {
    const auto with = [&](PackedType type) {
        Transformer model(load_weights(builtin_model()), type, 2);
        return perplexity(model, texts);
    };
    const double exact = with(PackedType::f32);
    CHECK(std::fabs(with(PackedType::bf16) / exact - 1) <= 0.0005);
    CHECK(std::fabs(with(PackedType::q8) / exact - 1) <= 0.001);
    CHECK(std::fabs(with(PackedType::q4) / exact - 1) <= 0.02);
}

}  // namespace

TEST_CASE("bf16, 8 and 4 bits keep the perplexity of texts that the model writes") {
    Transformer model(load_weights(builtin_model()), PackedType::f32, 2);
    check_costs(texts_by(model, 8));
}

TEST_CASE("bf16, 8 and 4 bits keep the perplexity of a play") {
    const auto path = shared("corpus/tinyshakespeare.txt");
    if (!path) return skip("the perplexity of weight types on a play");
    const File file = File::open(*path);
    const auto tokenizer = load_tokenizer(builtin_model());
    check_costs({tokenizer->encode(file.text().substr(file.text().size() - 6000))});
}
