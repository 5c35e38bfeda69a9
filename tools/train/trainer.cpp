#include "tools/train/trainer.h"
#include <algorithm>
#include "base/error.h"
#include "base/threads.h"

Trainer::Trainer(const Settings& settings, Tokens training, std::vector<Halves> halves,
                 std::vector<int> validation)
    : settings_(settings),
      parameters_(parameters_of(settings.shape)),
      state_(initial_parameters(settings.shape, *settings.seed)),
      batches_(std::move(training), settings.shape.T, settings.batch, *settings.seed,
               {std::move(halves), settings.cut, settings.steps}),
      validation_(std::move(validation)),
      packed_(settings.shape),
      activations_(settings.shape, settings.batch, settings.threads),
      room_(settings.shape, settings.batch, settings.threads),
      gradient_(state_.parameters.size()),
      norm_room_((gradient_.size() + kNormBlock - 1) / kNormBlock) {
    if (validation_.size() <= std::size_t(settings.shape.T))
        throw Error(cat("the text's last tenth has ", validation_.size(),
                        " tokens, measuring with a context of ", settings.shape.T, " needs ",
                        settings.shape.T + 1));
    check_threads(settings.threads);
}

double Trainer::step() {
    const Batch batch = batches_.at(steps_done_);
    const ModelView model = view(settings_.shape, state_.parameters);
    const ModelView d = view(settings_.shape, gradient_);
    const Dropout dropout{settings_.dropout, *settings_.seed, std::uint64_t(steps_done_)};
    AdamW adamw = settings_.adamw;
    adamw.learning_rate = learning_rate(settings_, steps_done_ + 1);
#pragma omp parallel num_threads(settings_.threads)
    {
        pack(packed_, model);
        forward(activations_, model, packed_, batch, dropout);
        backward(d, room_, activations_, model, packed_, batch, dropout);
        const double length = norm(gradient_, norm_room_);
        update(state_, gradient_, length, parameters_, adamw, steps_done_ + 1);
    }
    ++steps_done_;
    double loss = 0;
    for (const float l : activations_.losses.data) loss += double(l);
    return loss / double(activations_.losses.data.size());
}

double Trainer::validate(int overlap) {
    const int T = settings_.shape.T;
    std::vector<Window> windows = windows_over(validation_.size(), T, overlap);
    const std::size_t real = windows.size(), B = std::size_t(settings_.batch);
    windows.resize((real + B - 1) / B * B, windows.back());  // the last batch repeats one
    const ModelView model = view(settings_.shape, state_.average);
    double loss = 0;
    for (std::size_t first = 0; first < real; first += B) {
        Batch batch;
        for (std::size_t w = first; w < first + B; ++w)
            append_window(batch, validation_, windows[w].start, T);
#pragma omp parallel num_threads(settings_.threads)
        {
            if (first == 0) pack(packed_, model);
            forward(activations_, model, packed_, batch, {});
        }
        for (std::size_t w = first; w < std::min(first + B, real); ++w)
            for (int t = windows[w].first_scored; t < T; ++t)
                loss += double(activations_.losses.at(int(w - first) * T + t));
    }
    return loss;
}

void Trainer::restore(OptimiserState state, int steps_done) {
    state_ = std::move(state);
    steps_done_ = steps_done;
}
