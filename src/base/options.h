// Command-line options: a command lists what it understands, and gets parsing and --help from that
// one list.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/error.h"

class Options {
public:
    // `names` is "--tokens" or "-n, --tokens N", the last word being what --help calls the value;
    // `value` keeps its initial value, which --help shows, unless given. Each refuses text that is
    // not wholly a value of its type, and numbers outside [least, most].
    void add(std::string_view names, int& value, int least, int most, std::string_view help);
    void add(std::string_view names, double& value, double least, double most,
             std::string_view help);
    void add(std::string_view names, std::optional<int>& value, int least, int most,
             std::string_view help);
    void add(std::string_view names, std::optional<std::uint64_t>& value, std::string_view help);
    void add(std::string_view names, std::string& value, std::string_view help);
    void add(std::string_view names, std::vector<std::string>& values,
             std::string_view help);  // repeatable
    void add_flag(std::string_view names, bool& value, std::string_view help);

    // Takes --name value and --name=value, and returns the words that are no option, in order;
    // after "--" every word is one, and "-" always is. Throws UsageError on an unknown option, a
    // missing or bad value, or an option given twice that is not repeatable.
    std::vector<std::string> parse(const std::vector<std::string>& words);
    std::string help() const;

private:
    struct Option {
        std::vector<std::string> names;
        std::string value_name, help, initial;
        std::function<void(const std::string& name, const std::string& text)> set;
        bool takes_value = true, repeatable = false, given = false;
    };
    Option& add_option(std::string_view names, std::string_view help);
    Option& find(const std::string& name);

    std::vector<Option> options_;
};
