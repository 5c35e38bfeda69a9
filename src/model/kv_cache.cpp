#include "model/kv_cache.h"

KvCache::KvCache(const Config& config, int capacity)
    : H_(config.n_head), D_(config.head_dim()), layers_(config.n_layer), capacity_(capacity) {
    const std::size_t blocks = (std::size_t(capacity) + kBlock - 1) / kBlock;
    data_.resize(blocks * std::size_t(layers_) * std::size_t(H_) * KeyValues::head_size(D_));
}

KeyValues KvCache::layer(int l) {
    const std::size_t size = std::size_t(H_) * KeyValues::head_size(D_);
    return {data_.data() + std::size_t(l) * size, std::ptrdiff_t(size) * layers_, H_, D_};
}
