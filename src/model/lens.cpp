#include "model/lens.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include "kernels/reference.h"

std::vector<Guess> likeliest(std::span<const float> logits, int count) {
    const double highest = *std::max_element(logits.begin(), logits.end());
    double total = 0;
    for (const float logit : logits) total += std::exp(logit - highest);
    if (!std::isfinite(total)) throw Error("there are logits that are not finite");

    std::vector<int> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    const auto wanted = ids.begin() + std::min(std::ptrdiff_t(ids.size()), std::ptrdiff_t(count));
    std::partial_sort(ids.begin(), wanted, ids.end(), [&](int a, int b) {
        const float x = logits[std::size_t(a)], y = logits[std::size_t(b)];
        return x != y ? x > y : a < b;
    });
    std::vector<Guess> guesses;
    for (auto id = ids.begin(); id != wanted; ++id)
        guesses.push_back({*id, float(std::exp(logits[std::size_t(*id)] - highest) / total)});
    return guesses;
}

Lens::Lens(const Weights& weights, int candidates)
    : ln_f_(weights.ln_f),
      epsilon_(weights.config.layer_norm_epsilon),
      head_(reference::transpose(widen(weights.lm_head))),
      candidates_(candidates) {}

std::vector<std::vector<Guess>> Lens::read(const Tensor& x, int count) const {
    const int T = x.shape[1], V = head_.shape[1];
    const Tensor normed = reference::layer_norm(x, ln_f_.g, ln_f_.b, epsilon_);
    const Tensor logits = reference::linear(normed, head_, Tensor({V}));
    std::vector<std::vector<Guess>> guesses;
    for (int t = 0; t < T; ++t)
        guesses.push_back(
            likeliest({&logits.at(0, t, 0), std::size_t(std::min(candidates_, V))}, count));
    return guesses;
}
