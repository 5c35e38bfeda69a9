// A strict JSON reader (RFC 8259) and the writing of strings and numbers. No recursion: depth is
// counted, and bounded.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
#include "base/in_file.h"

class Json {
public:
    enum class Kind { null, boolean, number, string, array, object };
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;
    struct Number {
        double value;
        std::unique_ptr<std::string> text;  // as the file has it, where that is 2^53 or more
    };
    // In the order of Kind. Large values stand apart, so that a number takes 24 bytes.
    using Value = std::variant<std::nullptr_t, bool, Number, std::unique_ptr<std::string>,
                               std::unique_ptr<Array>, std::unique_ptr<Object>>;

    Json() = default;  // null
    explicit Json(Value value) : value_(std::move(value)) {}

    Kind kind() const { return Kind(value_.index()); }
    bool is(Kind kind) const { return this->kind() == kind; }

    // Each throws Error, with the kinds found and expected, where the value is of another kind.
    bool boolean() const;
    double number() const;
    const std::string& string() const;  // UTF-8
    const Array& array() const;
    const Object& object() const;  // in the file's order, keys unique

    // The number, which must be whole and in [least, most]: 2 and 2.0 are, 2.5 is not. Bounds
    // within 2^53, beyond which a double skips whole numbers.
    std::int64_t integer(std::int64_t least, std::int64_t most) const;

    // The member of that name; null where there is none. Refuses anything but an object.
    const Json* find(std::string_view key) const;

    // What `read` makes of the member of that name, which must be there. An Error has the name.
    template <typename Read>
    auto require(const char* key, Read read) const {
        const Json* const member = find(key);
        if (!member) throw Error(cat("no ", key));
        return in_file(key, [&] { return std::invoke(read, *member); });
    }

private:
    Value value_;
};

// Reads all of text as one JSON value. Throws Error naming `name`, the line and column, and what is
// wrong there: also for duplicate keys, invalid UTF-8, lone surrogates, numbers that no double
// holds, and more than 64 levels.
Json parse_json(std::string_view text, std::string_view name);

// The text as a JSON string, quotes included. A byte XX that is no part of valid UTF-8 becomes
// \udcXX, which nothing else becomes, so that no byte is lost.
std::string json_quote(std::string_view text);

// The shortest decimal that reads back as the same double; null where it is not finite.
std::string json_number(double value);
