// A run that can be taken up again: everything that the steps to come depend on.
#pragma once
#include <cstdint>
#include <string>
#include "tools/train/adamw.h"

// A line of the curve, stored as it lies in memory: without padding.
struct Measurement {
    std::int64_t step = 0;
    double training_loss = 0, validation_loss = 0, bits_per_byte = 0;
};

struct Checkpoint {
    std::string settings;         // Settings::result_depends_on()
    std::uint64_t text_hash = 0;  // of the whole text
    int steps_done = 0;
    double running_loss = 0;
    std::vector<Measurement> curve;
    OptimiserState state{{}};
};

// FNV-1a, going on from the hash of what came before.
constexpr std::uint64_t kHashOfNothing = 0xcbf29ce484222325;
std::uint64_t hash(std::string_view text, std::uint64_t before = kHashOfNothing);

// The whole file, or none.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);
// Refuses a file that is not a checkpoint, is damaged, or is not of a model with so many
// parameters.
Checkpoint read_checkpoint(const std::string& path, std::size_t parameters);
