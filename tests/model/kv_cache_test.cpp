#include "model/kv_cache.h"
#include <doctest/doctest.h>
#include <set>

TEST_CASE("a cache counts its positions and has a place of its own for every layer and head") {
    Config config;
    config.n_layer = 3, config.n_head = 2, config.n_embd = 10;
    KvCache cache(config, 2 * kBlock + 1);
    CHECK(cache.capacity() == 2 * kBlock + 1);
    cache.extend(5);
    CHECK(cache.size() == 5);
    cache.truncate(7);
    CHECK(cache.size() == 5);
    cache.truncate(3);
    CHECK(cache.size() == 3);
    cache.clear();
    CHECK(cache.size() == 0);
    std::set<const float*> places;
    for (int l = 0; l < 3; ++l)
        for (int h = 0; h < 2; ++h)
            for (int block = 0; block < 3; ++block) {
                const KeyValues layer = cache.layer(l);
                float* const keys = layer.keys(block, h);
                for (std::size_t i = 0; i < KeyValues::head_size(layer.D); ++i) keys[i] = 0;
                CHECK(places.insert(keys).second);
            }
}
