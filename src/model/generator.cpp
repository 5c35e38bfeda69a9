#include "model/generator.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include "base/error.h"

void check_context(int n_positions, std::size_t prompt, int tokens) {
    const std::size_t all = prompt + std::size_t(tokens), most = std::size_t(n_positions) + 1;
    if (all > most)
        throw Error(cat("a prompt of ", prompt, " tokens and ", tokens, " new ones make ", all,
                        ", but the context of ", n_positions, " positions takes at most ", most,
                        "; --slide drops the oldest"));
}

Generator::Generator(Transformer& model, const Settings& settings)
    : model_(model), settings_(settings) {
    const int V = model.config().vocab_size, n = settings.candidates;
    if (n < 1 || n > V)
        throw std::logic_error(cat("Generator: candidates: expected 1 to ", V, ", found ", n));
}

void Generator::add(std::vector<int> prompt, int tokens, std::uint64_t seed) {
    const int context = model_.config().n_positions;
    if (!settings_.slide) check_context(context, prompt.size(), tokens);
    const std::size_t end = prompt.size() + std::size_t(tokens);
    if (tokens > 0)
        growing_.push_back({added_, std::move(prompt), end, Sampler(settings_.sampling, seed),
                            model_.new_cache(int(std::min(end - 1, std::size_t(context))))});
    ++added_;
}

bool Generator::step(const OnToken& on_token) {
    if (growing_.empty()) return false;
    const std::size_t most = std::max<std::size_t>(kRowsAtOnce / growing_.size(), 1);
    chunks_.clear();
    for (Sequence& s : growing_) {
        make_room(s);
        const std::size_t count = std::min(s.ids.size() - s.fed, most);
        chunks_.push_back({&s.cache, std::span(s.ids).subspan(s.fed, count)});
        s.fed += count;
    }
    const ConstMatrix logits = model_.forward(chunks_, Positions::last);
    int row = 0;
    std::erase_if(growing_, [&](Sequence& s) {
        const float* first = logits.row(row++);
        return s.fed == s.ids.size() &&
               !extend(s, {first, std::size_t(settings_.candidates)}, on_token);
    });
    return !growing_.empty();
}

// Drops the oldest half as often as needed for the next token to fit.
void Generator::make_room(Sequence& s) const {
    const auto context = std::size_t(model_.config().n_positions);
    if (s.ids.size() - s.start <= context) return;
    while (s.ids.size() - s.start > context) s.start += (context + 1) / 2;
    s.fed = s.start;
    s.cache.clear();
}

bool Generator::extend(Sequence& s, std::span<const float> logits, const OnToken& on_token) const {
    const auto bad = std::find_if(logits.begin(), logits.end(),
                                  [](float logit) { return !std::isfinite(logit); });
    if (bad != logits.end())
        throw Error(cat("the logits after token ", s.ids.size(), " are not finite: that of token ",
                        bad - logits.begin(), " is ", *bad));
    s.ids.push_back(s.sampler.sample(logits));
    return on_token(s.number, s.ids.back()) && s.ids.size() < s.end;
}
