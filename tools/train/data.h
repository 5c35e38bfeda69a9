// What the model reads: a text cut into a part to learn from and a part to measure on, and its
// tokens in batches.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include "text/tokenizer.h"
#include "tools/train/bpe.h"
#include "tools/train/forward.h"

// The last tenth of the text, rounded up to a whole byte, is for validation alone.
struct TextParts {
    std::string_view training, validation;
};
TextParts split_text(std::string_view text);

// Tokens to learn from: the end-of-text token, then a text, and where its paragraphs begin, the
// first among them.
struct Tokens {
    std::vector<int> ids;
    std::vector<std::size_t> paragraphs;

    bool operator==(const Tokens&) const = default;
};
Tokens tokens_of(const Tokenizer& tokenizer, std::string_view text, int end_of_text);

// The same text in other tokens: each that a merge made is cut back into its halves with
// probability `rate`, and these again. Seen in many spellings, a small text is not so soon known by
// heart (as with the BPE-dropout of Provilkov et al. 2020, which leaves out merges instead).
struct Cuts {
    std::vector<Halves> halves;  // by id
    double rate = 0;
    int steps = 0;  // until none is cut, for Batches
};
Tokens cut(const Tokens& tokens, const Cuts& cuts, std::uint64_t seed);

// Windows of T tokens. An epoch goes through the tokens once, windows side by side from a random
// start, in random order, and cuts tokens anew: fewer and fewer, none at the last of the steps, as
// the model is to expect the tokenizer's own spelling in the end. One window in kOpening moves on
// to the next paragraph and shows the end-of-text token before it, so that the model learns how a
// text may begin. All of it is a function of the seed and the window's number alone.
class Batches {
public:
    static constexpr std::uint64_t kOpening = 16;

    // Refuses fewer tokens than one window and its last target need.
    Batches(Tokens tokens, int T, int B, std::uint64_t seed, Cuts cuts = {});

    Batch at(int step);

    double epochs(int steps) const;

private:
    std::size_t window_start(std::uint64_t window);
    void open_text(Batch& batch, std::size_t start) const;

    Tokens uncut_, tokens_;  // as they came, and as this epoch reads them
    Cuts cuts_;
    int T_, B_;
    std::uint64_t seed_, epoch_ = UINT64_MAX;
    std::vector<std::size_t> order_;  // the starts of this epoch's windows
};

// Windows over all tokens for measuring: each token but the first is a target exactly once, with
// at least `overlap` tokens before it wherever the text has them.
struct Window {
    std::size_t start;  // of its T ids
    int first_scored;   // targets before this one belong to the window before
};
std::vector<Window> windows_over(std::size_t tokens, int T, int overlap);
void append_window(Batch& batch, std::span<const int> tokens, std::size_t start, int T);
