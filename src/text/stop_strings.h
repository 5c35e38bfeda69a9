// Ending a text before any of some strings, which may be spread over the pieces it arrives in.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class StopStrings {
public:
    // None of the strings is empty.
    explicit StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {}

    // Takes the next piece and returns what certainly belongs to the text: all that came before a
    // stop string, and nothing that may yet turn out to be the start of one.
    std::string append(std::string_view piece);
    // Whether one was found; append then returns nothing more.
    bool found() const { return found_; }
    // What was held back when the text ends by itself.
    std::string finish() { return std::exchange(held_, ""); }

private:
    std::size_t first_match() const;
    std::size_t possible_start() const;

    std::vector<std::string> strings_;
    std::string held_;
    bool found_ = false;
};
