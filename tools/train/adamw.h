// AdamW (Kingma and Ba 2015, Loshchilov and Hutter 2019) over the flat vector of parameters, and a
// moving average of what it makes.
#pragma once
#include <span>
#include <vector>
#include "tools/train/model.h"

// What a step leaves for the next.
struct OptimiserState {
    std::vector<float> parameters, mean, square, average;

    explicit OptimiserState(std::vector<float> initial)
        : parameters(initial),
          mean(initial.size()),
          square(initial.size()),
          average(std::move(initial)) {}
};

struct AdamW {
    double learning_rate = 1e-3, weight_decay = 0.1;
    double beta1 = 0.9, beta2 = 0.99;  // how slowly the means of g and g^2 follow
    double epsilon = 1e-8;
    double clip = 1;           // the longest gradient; longer ones are shortened to it
    double averaging = 0.999;  // how slowly the average follows
};

// Sum of squares, block by block, so that its order depends on nothing but the size. Run by all
// threads of a team; `room` is one number for each block of kNormBlock.
inline constexpr std::size_t kNormBlock = 4096;
double norm(std::span<const float> gradient, std::span<double> room);

// Step number `step`, from 1 on, with gradient g of length `length`:
//     g <- g min(1, clip / length)
//     m <- beta1 m + (1 - beta1) g,  v <- beta2 v + (1 - beta2) g^2
//     w <- w - rate (m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + epsilon) + decay w)
// where only matrices decay, and then: average <- a average + (1 - a) w, a smaller at first, so
// that the start is soon forgotten. Run by all threads of a team.
void update(OptimiserState& state, std::span<const float> gradient, double length,
            std::span<const Parameter> parameters, const AdamW& how, int step);
