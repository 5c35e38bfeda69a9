#include "commands/explain/extent.h"
#include <doctest/doctest.h>

TEST_CASE("every shape of model and text fits into 3 MB, and a small one whole") {
    Config config;
    config.n_positions = 1024;
    const auto fit = [&](int L, int H, int C, int V, int T, int layer) {
        config.n_layer = L, config.n_head = H, config.n_embd = C, config.n_inner = 4 * C;
        config.vocab_size = V;
        const Extent e = fit_extent(config, T, layer);
        CHECK(e.positions >= 1);
        for (const Layers& layers : {e.attention, e.traced}) {
            CHECK(layers.contain(layer));
            CHECK(layers.first >= 0);
            CHECK(layers.first + layers.count <= L);
        }
        CHECK(e.trace_positions <= e.positions);
        const double P = e.positions, S = e.trace_positions;
        const double numbers = V + P * (4.0 * L * 5 + 12.0 * (L + 1)) +
                               (3 + double(e.attention.count) * H) * P * (P + 1) / 2 +
                               e.traced.count * (S * 23.0 * C + 3 * H * S * S);
        CHECK(numbers * 16 / 3 < 2'850'000);
        return e;
    };
    const Extent whole = fit(6, 6, 192, 1024, 64, 3);
    CHECK(whole.positions == 64);
    CHECK(whole.attention.count == 6);
    CHECK(whole.trace_positions == 64);
    CHECK(fit(6, 6, 192, 1024, 9, 3).traced.count == 6);
    CHECK(fit(12, 12, 768, 50257, 64, 11).positions == 64);
    fit(12, 12, 768, 50257, 1024, 0);
    fit(48, 25, 1600, 50257, 1024, 47);
    fit(48, 25, 1600, 50257, 1, 20);
}
