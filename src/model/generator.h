// Growing sequences token by token: many at once, each as if it were alone.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include "model/sampler.h"
#include "model/transformer.h"

// Refuses what the context cannot hold: more than n_positions + 1 tokens, the last of which needs
// no place, as it is never fed back.
void check_context(int n_positions, std::size_t prompt, int tokens);

class Generator {
public:
    struct Settings {
        Sampling sampling;
        int candidates;      // tokens from here on are never sampled
        bool slide = false;  // a full context drops its oldest half and is computed anew
    };
    // Called with each new token and its sequence, which ends where it returns false.
    using OnToken = std::function<bool(int sequence, int id)>;

    // Candidates are 1 to the model's vocab_size.
    Generator(Transformer& model, const Settings& settings);

    // A sequence that starts with the prompt, which is not empty, and grows by `tokens` at the
    // most, numbered in the order in which it was added. Refuses what check_context refuses, unless
    // it may slide.
    void add(std::vector<int> prompt, int tokens, std::uint64_t seed);

    // One forward pass, which feeds a piece of the prompt or adds a token to each sequence that
    // still grows. False when none does. Throws Error where logits are not finite.
    bool step(const OnToken& on_token);

private:
    struct Sequence {
        int number;
        std::vector<int> ids;
        std::size_t end;  // how many ids there will be at the most
        Sampler sampler;
        KvCache cache;
        std::size_t start = 0;  // ids before it have left the context
        std::size_t fed = 0;    // ids before it are in the cache, or have left
    };

    void make_room(Sequence& sequence) const;
    bool extend(Sequence& sequence, std::span<const float> logits, const OnToken& on_token) const;

    Transformer& model_;
    Settings settings_;
    std::vector<Sequence> growing_;
    std::vector<Chunk> chunks_;
    int added_ = 0;
};
