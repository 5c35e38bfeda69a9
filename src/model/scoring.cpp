#include "model/scoring.h"
#include <algorithm>
#include <cmath>
#include "base/error.h"
#include "kernels/functions.h"

double log_sum_exp(std::span<const float> logits) {
    const double highest = largest(logits.data(), int(logits.size()));
    double sum = 0, checked = 0;
    for (const float logit : logits) {
        sum += std::exp(double(logit) - highest);
        checked += double(logit) * 0;  // NaN of what is not finite
    }
    return highest + std::log(sum) + checked;
}

namespace {

constexpr std::size_t kLogitsAtOnce = 16 << 20;  // of a forward pass, so that they stay small

class Scorer {
public:
    Scorer(Transformer& model, std::span<const int> ids, int window, int stride)
        : model_(model),
          ids_(ids),
          inputs_(ids.size() - 1),
          window_(std::size_t(window)),
          stride_(std::size_t(stride)),
          rows_(std::clamp<std::size_t>(kLogitsAtOnce / std::size_t(model.config().vocab_size), 1,
                                        kRowsAtOnce)),
          result_(inputs_) {}

    std::vector<double> run() {
        const std::size_t further =
            inputs_ <= window_ ? 0 : (inputs_ - window_ + stride_ - 1) / stride_;
        const std::size_t together = std::clamp<std::size_t>(rows_ / window_, 1, further + 1);
        for (std::size_t i = 0; i < together; ++i)
            caches_.push_back(model_.new_cache(int(std::min(window_, inputs_))));
        run_windows(0, 1, 0);
        for (std::size_t i = 1; i <= further; i += together)
            run_windows(i, std::min(together, further + 1 - i), window_ - stride_);
        return std::move(result_);
    }

private:
    // Feeds some windows side by side; the first `context` tokens of each predict nothing new.
    void run_windows(std::size_t first, std::size_t count, std::size_t context) {
        for (KvCache& cache : caches_) cache.clear();
        const std::size_t most = std::max<std::size_t>(rows_ / count, 1);
        for (std::size_t from = 0, to; from < window_; from = to) {
            to = std::min(from + most, from < context ? context : window_);
            if (!collect(first, count, from, to)) return;
            const auto positions = from < context ? Positions::last : Positions::all;
            const ConstMatrix logits = model_.forward(chunks_, positions);
            if (positions == Positions::all) predict(logits);
        }
    }

    // The tokens from .. to of each window, as far as there are any.
    bool collect(std::size_t first, std::size_t count, std::size_t from, std::size_t to) {
        chunks_.clear();
        places_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t start = (first + i) * stride_, end = std::min(start + to, inputs_);
            if (start + from >= end) break;
            chunks_.push_back({&caches_[i], ids_.subspan(start + from, end - start - from)});
            for (std::size_t t = start + from; t < end; ++t) places_.push_back(t);
        }
        return !chunks_.empty();
    }

    void predict(ConstMatrix logits) {
#pragma omp parallel for schedule(static) num_threads(model_.team())
        for (int r = 0; r < logits.rows; ++r) {
            const std::span row(logits.row(r), std::size_t(logits.cols));
            const std::size_t place = places_[std::size_t(r)];
            result_[place] = double(row[std::size_t(ids_[place + 1])]) - log_sum_exp(row);
        }
        for (const std::size_t place : places_)
            if (!std::isfinite(result_[place]))
                throw Error(cat("the logits after token ", place + 1, " are not finite"));
    }

    Transformer& model_;
    std::span<const int> ids_;
    std::size_t inputs_, window_, stride_, rows_;
    std::vector<double> result_;
    std::vector<KvCache> caches_;
    std::vector<Chunk> chunks_;
    std::vector<std::size_t> places_;  // where in the text each row of logits stands
};

}  // namespace

std::vector<double> log_probabilities(Transformer& model, std::span<const int> ids, int window,
                                      int stride) {
    if (ids.size() < 2) return {};
    return Scorer(model, ids, window, stride).run();
}
