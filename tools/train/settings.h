// What a training run can be told, and its defaults.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/number.h"
#include "base/options.h"
#include "tools/train/adamw.h"
#include "tools/train/model.h"

struct Settings {
    std::string text, out;
    ModelShape shape{.L = 4, .H = 4, .C = 128, .V = 1024, .T = 128};
    int batch = 32, steps = 1000;
    AdamW adamw{.learning_rate = 2e-3};
    int warmup = 100;  // steps
    double dropout = 0.1, cut = 0;
    std::optional<std::uint64_t> seed;
    std::string dtype = "f16";
    int threads = 0, report_every = 10, validate_every = 100, checkpoint_every = 100;
    bool resume = false, help = false;

    NumberType number_type() const;

    // Everything that the result depends on, as options: equal texts make equal weights.
    std::string result_depends_on() const;
};

// Reads the command line. Throws UsageError for what cannot be a run, whatever the text.
Settings parse_settings(const std::vector<std::string>& words);
std::string usage();

// The learning rate of step 1 .. steps: rises in a straight line while warming up, then falls along
// half a cosine to a hundredth (Loshchilov and Hutter 2017).
double learning_rate(const Settings& settings, int step);
