// What is fuzzed: everything that reads bytes from elsewhere. `make fuzz` mutates without end;
// `make test` runs some mutations of the seeds, and every input that once went wrong.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

struct Target {
    std::string_view name;
    // Reads the bytes, and all that they hold. Whatever they are, nothing but Error may happen, and
    // that is no concern of the caller.
    void (*run)(std::string_view bytes);
    // Inputs to start from.
    std::vector<std::string> (*seeds)();
};

std::span<const Target> targets();

}  // namespace fuzz
