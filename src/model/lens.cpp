#include "model/lens.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include "base/in_file.h"
#include "kernels/reference.h"
#include "model/scoring.h"

std::vector<int> highest_ids(std::span<const float> logits, std::size_t count) {
    std::vector<int> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    const auto end = ids.begin() + std::ptrdiff_t(std::min(count, ids.size()));
    std::partial_sort(ids.begin(), end, ids.end(), [&](int a, int b) {
        const float x = logits[std::size_t(a)], y = logits[std::size_t(b)];
        return x != y ? x > y : a < b;
    });
    ids.erase(end, ids.end());
    return ids;
}

std::vector<Guess> likeliest(std::span<const float> logits, int count) {
    const double all = log_sum_exp(logits);
    if (!std::isfinite(all)) throw Error("there are logits that are not finite");

    std::vector<Guess> guesses;
    for (const int id : highest_ids(logits, std::size_t(count)))
        guesses.push_back({id, float(std::exp(double(logits[std::size_t(id)]) - all))});
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
        guesses.push_back(in_file(cat("position ", t), [&] {
            return likeliest({&logits.at(0, t, 0), std::size_t(std::min(candidates_, V))}, count);
        }));
    return guesses;
}
