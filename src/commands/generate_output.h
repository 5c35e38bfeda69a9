// How gpt generate tells its texts: one alone is streamed as it grows, several follow one another
// under headings, JSON has a line for each. The talk around them goes to stderr.
#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include "commands/continuation.h"

class GenerateOutput {
public:
    struct Form {
        std::size_t texts;
        bool json, has_text;
    };
    explicit GenerateOutput(const Form& form) : form_(form) {}

    void tell_seed(std::uint64_t seed) const;
    // Shows what is continued, where reader and text are both at the terminal.
    void tell_prompt(const std::string& prompt) const;

    void start() { start_ = Clock::now(); }
    // Counts a token, and prints its text where it is streamed.
    void add(const std::string& part);
    void show_progress() const;
    // Prints what is left to print of a text that has ended.
    void tell(const Continuation& text, const std::string& last_part);
    void tell_statistics() const;

private:
    using Clock = std::chrono::steady_clock;

    bool streams() const { return form_.texts == 1 && !form_.json; }

    Form form_;
    std::size_t tokens_ = 0, told_ = 0;
    std::array<int, Continuation::kEndNames.size()> ends_{};  // how many texts ended in each way
    Clock::time_point start_, first_;
};
