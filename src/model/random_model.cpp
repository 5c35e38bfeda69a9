#include "model/random_model.h"
#include <algorithm>
#include <cmath>
#include "base/error.h"
#include "base/random.h"

namespace {

struct NamedShape {
    const char* name;
    int n_layer, n_head, n_embd;
};
constexpr NamedShape kShapes[] = {
    {"124M", 12, 12, 768}, {"355M", 24, 16, 1024}, {"774M", 36, 20, 1280}, {"1.5B", 48, 25, 1600}};

// Matrices whose rows overlap in one stretch of random numbers, so that all of them take no more
// room than it does.
class Noise {
public:
    explicit Noise(const Config& config) {
        const int most = std::max({config.vocab_size, config.n_positions, config.n_inner});
        const int widest = std::max(3 * config.n_embd, config.n_inner);
        Random random(1);
        numbers_.resize(std::size_t(most) * kStride + std::size_t(widest));
        for (float& x : numbers_) {
            const auto value = float(kSigma * std::sqrt(12.0) * (random.uniform() - 0.5));
            narrow(NumberType::f32, value, &x);  // as in a file, whatever the machine's byte order
        }
    }

    StoredMatrix matrix(int rows, int cols) const {
        return {NumberType::f32, reinterpret_cast<const std::byte*>(numbers_.data()), rows, cols,
                kStride};
    }

private:
    static constexpr int kStride = 17;
    static constexpr double kSigma = 0.02;  // that GPT-2's weights start from

    std::vector<float> numbers_;
};

Norm norm(int C) {
    Norm norm{Tensor({C}), Tensor({C})};
    std::fill(norm.g.data.begin(), norm.g.data.end(), 1.0f);
    return norm;
}

}  // namespace

Config gpt2_shape(std::string_view name) {
    for (const NamedShape& shape : kShapes) {
        if (name != shape.name) continue;
        Config config;
        config.n_layer = shape.n_layer;
        config.n_head = shape.n_head;
        config.n_embd = shape.n_embd;
        config.n_inner = 4 * shape.n_embd;
        config.n_positions = 1024;
        config.vocab_size = 50257;
        return config;
    }
    throw UsageError(cat("--shape is 124M, 355M, 774M or 1.5B, not '", name, "'"));
}

Transformer random_transformer(const Config& config, std::optional<PackedType> type, int threads) {
    const Noise noise(config);
    const int C = config.n_embd;
    const auto linear = [&](int in, int out) {
        return Linear<StoredMatrix>{noise.matrix(in, out), Tensor({out})};
    };
    Weights weights;
    weights.config = config;
    weights.wte = weights.lm_head = noise.matrix(config.vocab_size, C);
    weights.wpe = noise.matrix(config.n_positions, C);
    for (int l = 0; l < config.n_layer; ++l)
        weights.h.push_back({norm(C), linear(C, 3 * C), linear(C, C), norm(C),
                             linear(C, config.n_inner), linear(config.n_inner, C)});
    weights.ln_f = norm(C);
    return Transformer(std::move(weights), type, threads);
}
