#include "base/options.h"
#include <charconv>
#include <utility>
#include "base/nearest.h"

namespace {

// All of text as one number in [least, most].
template <typename Number>
Number parse_number(const std::string& name, const std::string& text, Number least, Number most) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = end == text.data() + text.size() && !text.empty();
    const char* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    if (!whole || error == std::errc::invalid_argument)
        throw UsageError(cat(name, " needs ", kind, ", found '", text, "'"));
    if (error != std::errc{} || !(value >= least && value <= most))
        throw UsageError(
            cat(name, " needs ", kind, " from ", least, " to ", most, ", found '", text, "'"));
    return value;
}

}  // namespace

Options::Option& Options::add_option(std::string_view names, std::string_view help) {
    Option& option = options_.emplace_back();
    option.help = help;
    if (const std::size_t space = names.rfind(' ');
        space < names.size() && names[space + 1] != '-') {
        option.value_name = names.substr(space);
        names = names.substr(0, space);
    }
    for (std::size_t start = 0; start < names.size();) {
        const std::size_t end = std::min(names.find(", ", start), names.size());
        option.names.emplace_back(names.substr(start, end - start));
        start = end + 2;
    }
    return option;
}

void Options::add(std::string_view names, int& value, int least, int most, std::string_view help) {
    Option& option = add_option(names, help);
    option.initial = cat(value);
    option.set = [=, &value](auto& name, auto& text) {
        value = parse_number(name, text, least, most);
    };
}

void Options::add(std::string_view names, double& value, double least, double most,
                  std::string_view help) {
    Option& option = add_option(names, help);
    option.initial = cat(value);
    option.set = [=, &value](auto& name, auto& text) {
        value = parse_number(name, text, least, most);
    };
}

void Options::add(std::string_view names, std::optional<int>& value, int least, int most,
                  std::string_view help) {
    add_option(names, help).set = [=, &value](auto& name, auto& text) {
        value = parse_number(name, text, least, most);
    };
}

void Options::add(std::string_view names, std::optional<std::uint64_t>& value,
                  std::string_view help) {
    add_option(names, help).set = [&value](auto& name, auto& text) {
        value = parse_number<std::uint64_t>(name, text, 0, UINT64_MAX);
    };
}

void Options::add(std::string_view names, std::string& value, std::string_view help) {
    Option& option = add_option(names, help);
    option.initial = value;
    option.set = [&value](auto& name, auto& text) {
        if (text.empty()) throw UsageError(cat(name, " needs a value, found ''"));
        value = text;
    };
}

void Options::add(std::string_view names, std::vector<std::string>& values, std::string_view help) {
    Option& option = add_option(names, help);
    option.repeatable = true;
    option.set = [&values](auto&, auto& text) { values.push_back(text); };
}

void Options::add_flag(std::string_view names, bool& value, std::string_view help) {
    Option& option = add_option(names, help);
    option.takes_value = false;
    option.set = [&value](auto&, auto&) { value = true; };
}

Options::Option& Options::find(const std::string& name) {
    std::vector<std::string_view> all;
    for (Option& option : options_)
        for (const std::string& known : option.names) {
            if (known == name) return option;
            if (known.starts_with("--")) all.push_back(known);
        }
    throw UsageError(cat("unknown option '", name, "'", did_you_mean(name, all)));
}

std::vector<std::string> Options::parse(const std::vector<std::string>& words) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            rest.insert(rest.end(), words.begin() + std::ptrdiff_t(i) + 1, words.end());
            break;
        }
        if (word.size() < 2 || word[0] != '-') {
            rest.push_back(word);
            continue;
        }
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        Option& option = find(name);
        if (std::exchange(option.given, true) && !option.repeatable)
            throw UsageError(cat(name, " is given twice"));
        const bool inline_value = equals != std::string::npos;
        if (inline_value && !option.takes_value) throw UsageError(cat(name, " takes no value"));
        if (option.takes_value && !inline_value && i + 1 == words.size())
            throw UsageError(cat(name, " needs a value"));
        option.set(name, inline_value         ? word.substr(equals + 1)
                         : option.takes_value ? words[++i]
                                              : "");
    }
    return rest;
}

std::string Options::help() const {
    constexpr std::size_t kColumn = 24;
    std::string out;
    for (const Option& option : options_) {
        std::string left = option.names[0].starts_with("--") ? "      " : "  ";
        for (std::size_t i = 0; i < option.names.size(); ++i)
            left += (i ? ", " : "") + option.names[i];
        left += option.value_name;
        left.resize(std::max(left.size() + 2, kColumn), ' ');
        out += left;
        for (const char c : option.help)
            out += c == '\n' ? '\n' + std::string(kColumn, ' ') : std::string(1, c);
        out += (option.initial.empty() ? "" : " [" + option.initial + "]") + "\n";
    }
    return out;
}
