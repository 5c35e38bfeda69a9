#include "model/random_model.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include "tests/checkpoints.h"

TEST_CASE("GPT-2's sizes have the parameters that their names say") {
    const auto parameters = [](const Config& c) {
        const double C = c.n_embd, block = 12 * C * C + 13 * C;
        return c.n_layer * block + (c.vocab_size + c.n_positions) * C + 2 * C;
    };
    CHECK(parameters(gpt2_shape("124M")) == 124439808);
    CHECK(parameters(gpt2_shape("355M")) == 354823168);
    CHECK(parameters(gpt2_shape("774M")) == 774030080);
    CHECK(parameters(gpt2_shape("1.5B")) == 1557611200);
    CHECK_THROWS_WITH_AS(gpt2_shape("125M"), "--shape is 124M, 355M, 774M or 1.5B, not '125M'",
                         UsageError);
}

TEST_CASE("a random model is held as it is asked to be, and predicts finite numbers") {
    Config config;
    config.n_layer = 2, config.n_head = 2, config.n_embd = 32, config.n_inner = 128;
    config.n_positions = 16, config.vocab_size = 100;
    std::size_t in_f32 = 0;
    for (const auto type : {PackedType::f32, PackedType::bf16, PackedType::q8, PackedType::q4}) {
        Transformer model = random_transformer(config, type, 2);
        const auto products = model.products();
        CHECK(std::all_of(products.begin(), products.end() - 1,
                          [&](const PackedMatrix* matrix) { return matrix->type() == type; }));
        CHECK(products.back()->type() == (type == PackedType::q4 ? PackedType::q8 : type));
        CHECK(model.products().size() == 9);
        if (type == PackedType::f32) in_f32 = bytes_held(model);
        CHECK((type == PackedType::f32) == (bytes_held(model) == in_f32));
        KvCache cache = model.new_cache(4);
        const int ids[] = {5, 99, 0, 5};
        const Chunk chunk[] = {{&cache, ids}};
        const ConstMatrix logits = model.forward(chunk, Positions::all);
        double size = 0;
        for (int r = 0; r < logits.rows; ++r)
            for (int c = 0; c < logits.cols; ++c) size += std::fabs(logits.row(r)[c]);
        CHECK(std::isfinite(size));
        CHECK(size > 0);
    }
}
