#include "commands/explain/extent.h"
#include <algorithm>
#include <cstddef>
#include "commands/explain/recording.h"

namespace {

// Four bytes each, and a third more as base64, with room for the template.
constexpr std::size_t kMostNumbers = 530'000;
// The shape trace is left at least a third.
constexpr std::size_t kMostBesideTrace = kMostNumbers * 2 / 3;

struct Sizes {
    std::size_t L, H, C, inner, V;

    static std::size_t triangle(std::size_t T) { return T * (T + 1) / 2; }

    // All but the shape trace: the logits, what there is for every layer and position (norms, the
    // lens, each substitution), the three means, and the attention matrices of some layers.
    std::size_t beside_trace(std::size_t T, std::size_t layers) const {
        const std::size_t each = 4 * L * (kSubstitutions + 1) + 4 * kLensGuesses * (L + 1);
        return V + T * each + (3 + layers * H) * triangle(T);
    }
    // The steps of one layer, of which three are [H,T,T].
    std::size_t trace(std::size_t T) const { return T * (15 * C + 2 * inner) + 3 * H * T * T; }
};

// The largest number from 1 to `most` that fits, or else 1.
template <typename Fits>
int largest(int most, Fits fits) {
    int n = most;
    while (n > 1 && !fits(std::size_t(n))) --n;
    return n;
}

// So many of L layers, `layer` in their middle as far as that can be.
Layers around(int layer, int count, int L) {
    return {std::clamp(layer - (count - 1) / 2, 0, L - count), count};
}

}  // namespace

Extent fit_extent(const Config& config, int T, int layer) {
    const auto size = [](int n) { return std::size_t(n); };
    const Sizes sizes{size(config.n_layer), size(config.n_head), size(config.n_embd),
                      size(config.n_inner), size(config.vocab_size)};
    const int L = config.n_layer;

    const int P =
        largest(T, [&](std::size_t n) { return sizes.beside_trace(n, 1) <= kMostBesideTrace; });
    const int drawn = largest(
        L, [&](std::size_t n) { return sizes.beside_trace(size(P), n) <= kMostBesideTrace; });

    const std::size_t used = sizes.beside_trace(size(P), size(drawn));
    const int S = largest(P, [&](std::size_t n) { return used + sizes.trace(n) <= kMostNumbers; });
    const int traced =
        largest(L, [&](std::size_t n) { return used + n * sizes.trace(size(S)) <= kMostNumbers; });
    return {P, around(layer, drawn, L), around(layer, traced, L), S};
}
