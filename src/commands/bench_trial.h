// What gpt bench measures: one way to feed a model, timed beside what the machine could do at most.
#pragma once
#include <string>
#include <vector>
#include "model/transformer.h"

// Each of `batch` sequences has `depth` positions behind it, and takes `chunk` tokens at a time,
// `steps` times.
struct Trial {
    int batch, depth, chunk, steps;

    // What the field calls it: pp for a prompt, tg for generation, and the tokens of a sequence.
    std::string name() const;
    int tokens() const { return batch * chunk * steps; }
    bool operator==(const Trial&) const = default;
};

// The trials that fit into so many positions, each once.
std::vector<Trial> trials_for(int n_positions);

// Medians of all runs, with rates a second.
struct Speed {
    double tokens, spread;        // spread: half of what lies between the slowest and the fastest
    double limit_tokens;          // what the rates below allow
    double multiply_adds, bytes;  // the machine's: f32 operations, bytes read
};

// Warms the model up, and then measures the trial `runs` times, or until that has taken long.
Speed run(Transformer& model, const Trial& trial, int threads, int runs);

double median(std::vector<double> values);
