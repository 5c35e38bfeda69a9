#include "model/sampler.h"
#include <algorithm>
#include <iterator>
#include <numeric>
#include "kernels/functions.h"

int Sampler::sample(std::span<const float> logits) {
    const float highest = largest(logits.data(), int(logits.size()));
    if (sampling_.temperature == 0) return int(std::ranges::find(logits, highest) - logits.begin());
    candidates_.resize(logits.size());
    for (std::size_t id = 0; id < logits.size(); ++id) candidates_[id] = {int(id), logits[id], 0};
    keep_top_k();
    weigh(highest);
    keep_top_p();
    keep_min_p();
    return draw();
}

// The k with the highest logits, which no temperature reorders.
void Sampler::keep_top_k() {
    const auto k = std::size_t(sampling_.top_k);
    if (k == 0 || k >= candidates_.size()) return;
    ranking_ = candidates_;
    std::nth_element(ranking_.begin(), ranking_.begin() + std::ptrdiff_t(k - 1), ranking_.end());
    drop_after(ranking_[k - 1]);
}

void Sampler::weigh(float highest) {
    constexpr double kLeast = -200;  // whose exponential is no float
    exponents_.resize(candidates_.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const double below = double(candidates_[i].logit) - double(highest);
        exponents_[i] = float(std::max(below / sampling_.temperature, kLeast));
    }
    const auto exponential = [](Vec x) { return exp(x); };
    map(exponents_.data(), int(exponents_.size()), exponential, exponents_.data());
    for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].weight = exponents_[i];
}

namespace {

template <typename Iterator>
double total_weight(Iterator first, Iterator last) {
    return std::accumulate(first, last, 0.0,
                           [](double sum, const auto& c) { return sum + c.weight; });
}

}  // namespace

// Halves the ranks in which the sum of the likeliest first reaches p: linear time, where sorting
// would not be.
void Sampler::keep_top_p() {
    if (sampling_.top_p >= 1) return;
    const double total = total_weight(candidates_.begin(), candidates_.end());
    // All that are lighter than an even share of 1 - p come to less than that, and are not needed:
    // most of a vocabulary. (Half of it, so that rounding has no say.)
    const double light = (1 - sampling_.top_p) * total / double(candidates_.size()) / 2;
    ranking_.clear();
    std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(ranking_),
                 [&](const Candidate& c) { return !(c.weight < light); });
    double missing = sampling_.top_p * total;
    auto first = ranking_.begin(), last = ranking_.end();
    while (last - first > 1) {
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last);
        const double sum = total_weight(first, middle);
        if (sum >= missing) {
            last = middle;
        } else {
            missing -= sum;
            first = middle;
        }
    }
    drop_after(*first);
}

void Sampler::keep_min_p() {
    std::erase_if(candidates_, [&](const Candidate& c) { return c.weight < sampling_.min_p; });
}

void Sampler::drop_after(const Candidate& last) {
    std::erase_if(candidates_, [&](const Candidate& c) { return last < c; });
}

int Sampler::draw() {
    double left = random_.uniform() * total_weight(candidates_.begin(), candidates_.end());
    int drawn = candidates_.front().id;
    for (const Candidate& c : candidates_) {
        if (c.weight == 0) continue;  // too unlikely for a float: never drawn, also not by rounding
        drawn = c.id;
        if (left < c.weight) break;
        left -= c.weight;
    }
    return drawn;
}
