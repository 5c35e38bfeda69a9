#include "commands/generate_output.h"
#include <algorithm>
#include "base/error.h"
#include "base/random.h"
#include "commands/layout.h"
#include "commands/terminal.h"

void GenerateOutput::tell_seed(std::uint64_t seed) const {
    note(cat("seed ", seed, " (", Random::kName, ")\n"));
}

void GenerateOutput::tell_prompt(const std::string& prompt) const {
    if (!streams() || !is_terminal(stdout) || !is_terminal(stderr)) return;
    note(has_colour(stderr) ? cat("\x1b[2m", prompt, "\x1b[0m") : prompt);
}

void GenerateOutput::add(const std::string& part) {
    if (tokens_++ == 0) first_ = Clock::now();
    if (!streams() || part.empty()) return;
    print(part);
    flush();
}

void GenerateOutput::show_progress() const {
    if (!streams() && is_terminal(stderr)) note(cat("\r", tokens_, " tokens"));
}

void GenerateOutput::tell(const Continuation& text, const std::string& last_part) {
    ++ends_[std::size_t(text.end)];
    const bool first = told_++ == 0;
    if (form_.json) {
        print(text.json(form_.has_text));
    } else if (streams()) {
        print(last_part);
        if (is_terminal(stdout) && !text.text.ends_with('\n')) print("\n");
    } else {
        if (is_terminal(stderr)) note("\r\x1b[K");
        print(cat(first ? "" : "\n", "── ", told_, " of ", form_.texts, ", seed ", text.seed,
                  " ──\n", text.text, text.text.ends_with('\n') ? "" : "\n"));
    }
    flush();
}

void GenerateOutput::tell_statistics() const {
    const auto seconds = [](Clock::duration time) {
        return std::chrono::duration<double>(time).count();
    };
    std::string line = form("%zu tokens", tokens_);
    if (tokens_ > 0) line += form(", the first after %.3f s", seconds(first_ - start_));
    if (tokens_ > 1)
        line += form(", then %.0f a second",
                     double(tokens_ - 1) / std::max(seconds(Clock::now() - first_), 1e-9));
    for (std::size_t end = 0; end < ends_.size(); ++end)
        if (ends_[end] > 0)
            line += cat("; ", form_.texts > 1 ? cat(ends_[end], " ") : "", "ended by ",
                        Continuation::kEndNames[end]);
    note(line + "\n");
}
