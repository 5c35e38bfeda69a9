// Choosing the next token from its logits: seeded, so that a run can be repeated.
#pragma once
#include <cstdint>
#include <span>
#include <vector>
#include "base/random.h"

// What narrows the choice, in the order in which it is applied. At least one token always stays.
struct Sampling {
    double temperature =
        1;             // logits are divided by it; 0 is greedy: the likeliest, lowest id first
    int top_k = 0;     // only the k likeliest; 0 is off
    double top_p = 1;  // only the likeliest that together reach p; 1 is off
    double min_p = 0;  // only those at least p times as likely as the likeliest; 0 is off
};

class Sampler {
public:
    // The choices depend on the logits, the settings and the seed, and on nothing else.
    Sampler(const Sampling& sampling, std::uint64_t seed) : sampling_(sampling), random_(seed) {}

    // One token. Logits are finite; of equal ones the lower id counts as the likelier.
    int sample(std::span<const float> logits);

private:
    struct Candidate {
        int id;
        float logit;
        double weight;  // its probability, up to a common factor: the likeliest has 1
        bool operator<(const Candidate& other) const {  // likelier
            return logit != other.logit ? logit > other.logit : id < other.id;
        }
    };

    void keep_top_k();
    void weigh(float highest);
    void keep_top_p();
    void keep_min_p();
    void drop_after(const Candidate& last);
    int draw();

    Sampling sampling_;
    Random random_;
    std::vector<Candidate> candidates_;  // always by ascending id, so that any library draws alike
    std::vector<Candidate> ranking_;
    std::vector<float> exponents_;
};
