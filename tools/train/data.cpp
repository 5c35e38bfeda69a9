#include "tools/train/data.h"
#include <algorithm>
#include <numeric>
#include "base/error.h"
#include "base/random.h"

TextParts split_text(std::string_view text) {
    const std::size_t held_out = (text.size() + 9) / 10;
    return {text.substr(0, text.size() - held_out), text.substr(text.size() - held_out)};
}

Tokens tokens_of(const Tokenizer& tokenizer, std::string_view text, int end_of_text) {
    Tokens tokens{tokenizer.encode(text, Tokenizer::Special::as_text), {}};
    tokens.ids.insert(tokens.ids.begin(), end_of_text);
    std::size_t at = 0;
    for (std::size_t i = 1; i < tokens.ids.size(); ++i) {
        if (at == 0 || text.substr(0, at).ends_with("\n\n")) tokens.paragraphs.push_back(i);
        at += tokenizer.piece(tokens.ids[i]).size();
    }
    return tokens;
}

Tokens cut(const Tokens& tokens, const Cuts& cuts, std::uint64_t seed) {
    if (cuts.rate == 0) return tokens;
    Tokens result;
    Random random(seed);
    auto paragraph = tokens.paragraphs.begin();
    std::vector<int> waiting;  // what is left of a token, its last part first
    for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
        if (paragraph != tokens.paragraphs.end() && *paragraph == i) {
            result.paragraphs.push_back(result.ids.size());
            ++paragraph;
        }
        waiting.push_back(tokens.ids[i]);
        while (!waiting.empty()) {
            const int id = waiting.back();
            const Halves halves = cuts.halves[std::size_t(id)];
            waiting.pop_back();
            if (halves.whole() || random.uniform() >= cuts.rate)
                result.ids.push_back(id);
            else
                waiting.insert(waiting.end(), {halves.right, halves.left});
        }
    }
    return result;
}

Batches::Batches(Tokens tokens, int T, int B, std::uint64_t seed, Cuts cuts)
    : uncut_(std::move(tokens)), cuts_(std::move(cuts)), T_(T), B_(B), seed_(seed) {
    const std::size_t count = uncut_.ids.size();
    if (count < std::size_t(T) + 1)
        throw Error(cat("the text has ", count, " tokens to learn from, a context of ", T,
                        " needs ", T + 1));
    order_.resize(std::max<std::size_t>(1, (count - 1) / std::size_t(T) - 1));
}

double Batches::epochs(int steps) const {
    return double(steps) * B_ * T_ / double(uncut_.ids.size());
}

std::size_t Batches::window_start(std::uint64_t window) {
    const std::uint64_t windows = order_.size(), epoch = window / windows;
    if (epoch != epoch_) {
        epoch_ = epoch;
        Random random(Random(seed_).next() ^ epoch);
        const double step = double(epoch * windows / std::uint64_t(B_));
        const double rate = cuts_.rate * std::max(0.0, 1 - step / std::max(cuts_.steps, 1));
        tokens_ = cut(uncut_, {cuts_.halves, rate, 0}, random.next());
        const std::size_t room = tokens_.ids.size() - 1 - windows * std::size_t(T_);
        const std::size_t first = random.next() % (room + 1);
        for (std::size_t i = 0; i < windows; ++i) order_[i] = first + i * std::size_t(T_);
        for (std::size_t i = windows; i > 1; --i)
            std::swap(order_[i - 1], order_[random.next() % i]);
    }
    return order_[window % windows];
}

void Batches::open_text(Batch& batch, std::size_t start) const {
    const auto next = std::lower_bound(tokens_.paragraphs.begin(), tokens_.paragraphs.end(), start);
    if (next == tokens_.paragraphs.end() || *next + std::size_t(T_) > tokens_.ids.size())
        return append_window(batch, tokens_.ids, start, T_);
    append_window(batch, tokens_.ids, *next - 1, T_);
    batch.ids[batch.ids.size() - std::size_t(T_)] = tokens_.ids[0];
}

Batch Batches::at(int step) {
    Batch batch;
    for (int b = 0; b < B_; ++b) {
        const std::uint64_t window = std::uint64_t(step) * std::uint64_t(B_) + std::uint64_t(b);
        const std::size_t start = window_start(window);
        if (Random(seed_ ^ window << 8).next() % kOpening == 0)
            open_text(batch, start);
        else
            append_window(batch, tokens_.ids, start, T_);
    }
    return batch;
}

std::vector<Window> windows_over(std::size_t tokens, int T, int overlap) {
    std::vector<Window> windows;
    const std::size_t last = tokens - 1 - std::size_t(T);
    std::size_t scored = 0;  // targets so far; target i is token i + 1
    while (scored < tokens - 1) {
        const std::size_t wanted =
            scored > std::size_t(overlap) ? scored - std::size_t(overlap) : 0;
        const std::size_t start = std::min(wanted, last);
        windows.push_back({start, int(scored - start)});
        scored = start + std::size_t(T);
    }
    return windows;
}

void append_window(Batch& batch, std::span<const int> tokens, std::size_t start, int T) {
    const auto window = tokens.subspan(start, std::size_t(T) + 1);
    batch.ids.insert(batch.ids.end(), window.begin(), window.end() - 1);
    batch.targets.insert(batch.targets.end(), window.begin() + 1, window.end());
}
