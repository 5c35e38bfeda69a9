// The two ways to fail: bad input (exit status 1) and bad usage (exit status 2). main turns each
// into one line.
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// All arguments as text, one after the other: cat("layer ", 3) is "layer 3".
template <typename... Parts>
std::string cat(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}
