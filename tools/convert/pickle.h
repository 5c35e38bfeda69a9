// The part of Python's pickle format (protocols 2 to 5) that checkpoints use, read as data: nothing
// is executed or imported. What would be a call in Python stays a value that names it.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <variant>
#include <vector>
#include "tools/convert/byte_reader.h"

namespace convert {

class PickleValue {
public:
    // `call` is a known global called with a tuple; `reference` what the writer keeps elsewhere, a
    // tensor's storage.
    enum class Kind {
        none,
        boolean,
        integer,
        real,
        text,
        tuple,
        list,
        dict,
        global,
        call,
        reference
    };
    using Items = std::vector<const PickleValue*>;

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }

    // Each throws Error, with the kinds found and expected, where the value is of another kind.
    std::int64_t integer() const;   // a boolean is one too, as in Python
    std::string_view text() const;  // the name of a global, "module.name", as well
    const Items& items() const;     // of a tuple or list; a dict's keys and values in turns
    const PickleValue& callee() const;
    const PickleValue& argument(std::size_t i) const;  // of a call
    const PickleValue& referred() const;

    // The value of that key in a dict; null where there is none.
    const PickleValue* find(std::string_view key) const;

private:
    friend class PickleMachine;
    void expect(bool fits, const char* expected) const;

    Kind kind_ = Kind::none;
    std::variant<std::int64_t, double, std::string_view, Items> content_;
};

// A whole pickle. Its values, and the pickle's bytes that they point into, must not be kept beyond
// the two.
class Pickle {
public:
    // Reads one pickle and leaves the reader behind it. Refuses every global but those in `known`,
    // by name, and whatever no checkpoint needs.
    Pickle(ByteReader& reader, std::span<const std::string_view> known);

    const PickleValue& root() const { return *root_; }
    const std::deque<PickleValue>& values() const { return values_; }  // all of them

private:
    std::deque<PickleValue> values_;  // where they stay while more are added
    const PickleValue* root_ = nullptr;
};

}  // namespace convert
