// Training itself: steps, and measuring in between.
#pragma once
#include <memory>
#include <vector>
#include "tools/train/backward.h"
#include "tools/train/data.h"
#include "tools/train/settings.h"

class Trainer {
public:
    // `training` tokens are learned from, cut into `halves` (by id) as the settings say;
    // `validation` tokens are only measured.
    Trainer(const Settings& settings, Tokens training, std::vector<Halves> halves,
            std::vector<int> validation);

    // The next step. Returns the mean loss of its batch, in nats a token.
    double step();

    // The loss of the averaged weights over the validation tokens but the first, in nats, each with
    // at least `overlap` tokens before it.
    double validate(int overlap);

    int steps_done() const { return steps_done_; }
    double epochs() const { return batches_.epochs(steps_done_); }
    const OptimiserState& state() const { return state_; }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    // Goes on from a state that another run had after so many steps.
    void restore(OptimiserState state, int steps_done);

private:
    const Settings settings_;
    std::vector<Parameter> parameters_;
    OptimiserState state_;
    int steps_done_ = 0;

    Batches batches_;
    std::vector<int> validation_;
    PackedModel packed_;
    Activations activations_;
    Gradients room_;
    std::vector<float> gradient_;
    std::vector<double> norm_room_;
};
