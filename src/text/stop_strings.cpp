#include "text/stop_strings.h"
#include <algorithm>

std::string StopStrings::append(std::string_view piece) {
    if (found_) return "";
    held_ += piece;
    const std::size_t match = first_match();
    found_ = match != std::string::npos;
    const std::size_t end = found_ ? match : held_.size() - possible_start();
    std::string text = held_.substr(0, end);
    held_.erase(0, found_ ? held_.size() : end);
    return text;
}

std::size_t StopStrings::first_match() const {
    std::size_t first = std::string::npos;
    for (const std::string& s : strings_) first = std::min(first, held_.find(s));
    return first;
}

// The length of the longest end of what is held that a stop string starts with.
std::size_t StopStrings::possible_start() const {
    std::size_t longest = 0;
    for (const std::string& s : strings_) {
        std::size_t length = std::min(s.size() - 1, held_.size());
        while (length > 0 && !std::string_view(held_).ends_with(s.substr(0, length))) --length;
        longest = std::max(longest, length);
    }
    return longest;
}
