#include "tools/convert/pickle.h"
#include <algorithm>
#include <bit>
#include <iomanip>
#include <string>

namespace convert {
namespace {

using Kind = PickleValue::Kind;

const char* name_of(Kind kind) {
    constexpr const char* kNames[] = {"None",   "a boolean", "a whole number", "a number",
                                      "a text", "a tuple",   "a list",         "a dict",
                                      "a name", "a call",    "a reference"};
    return kNames[std::size_t(kind)];
}

}  // namespace

void PickleValue::expect(bool fits, const char* expected) const {
    if (!fits) throw Error(cat("expected ", expected, ", found ", name_of(kind_)));
}

std::int64_t PickleValue::integer() const {
    expect(is(Kind::integer) || is(Kind::boolean), "a whole number");
    return std::get<std::int64_t>(content_);
}

std::string_view PickleValue::text() const {
    expect(is(Kind::text) || is(Kind::global), "a text");
    return std::get<std::string_view>(content_);
}

const PickleValue::Items& PickleValue::items() const {
    expect(is(Kind::tuple) || is(Kind::list) || is(Kind::dict), "a tuple, list or dict");
    return std::get<Items>(content_);
}

const PickleValue& PickleValue::callee() const {
    expect(is(Kind::call), "a call");
    return *std::get<Items>(content_)[0];
}

const PickleValue& PickleValue::argument(std::size_t i) const {
    expect(is(Kind::call), "a call");
    const Items& arguments = std::get<Items>(content_)[1]->items();
    if (i >= arguments.size())
        throw Error(cat(callee().text(), " has ", arguments.size(), " arguments"));
    return *arguments[i];
}

const PickleValue& PickleValue::referred() const {
    expect(is(Kind::reference), "a reference");
    return *std::get<Items>(content_)[0];
}

const PickleValue* PickleValue::find(std::string_view key) const {
    expect(is(Kind::dict), "a dict");
    const Items& items = std::get<Items>(content_);
    for (std::size_t i = items.size(); i > 0; i -= 2)  // of two alike the later counts
        if (items[i - 2]->is(Kind::text) && items[i - 2]->text() == key) return items[i - 1];
    return nullptr;
}

// A stack of values, marks in it, and a memo to take values up again. Every byte of a pickle makes
// one value at most, and no value is copied: memory stays in proportion to the pickle.
class PickleMachine {
public:
    PickleMachine(ByteReader& reader, std::span<const std::string_view> known,
                  std::deque<PickleValue>& values)
        : reader_(reader), known_(known), values_(values) {
        none_ = make(Kind::none, {});
        false_ = make(Kind::boolean, std::int64_t(0));
        true_ = make(Kind::boolean, std::int64_t(1));
        empty_tuple_ = make(Kind::tuple, PickleValue::Items());
    }

    const PickleValue* run() {
        for (;;) {
            const auto code = reader_.number<std::uint8_t>();
            if (code == '.') return pop();
            if (!push_constant(code) && !push_number(code) && !push_text(code) && !remember(code) &&
                !collect(code) && !name(code))
                throw Error(cat("pickle code 0x", std::hex, int(code), std::dec, " at byte ",
                                reader_.at() - 1, " has no place in a checkpoint"));
        }
    }

private:
    using Items = PickleValue::Items;
    using Content = decltype(PickleValue::content_);

    PickleValue* make(Kind kind, Content content) {
        PickleValue& value = values_.emplace_back();
        value.kind_ = kind;
        value.content_ = std::move(content);
        return &value;
    }
    bool push(PickleValue* value) {
        stack_.push_back(value);
        return true;
    }
    bool push(Kind kind, Content content) { return push(make(kind, std::move(content))); }

    // What lies below the last mark is out of reach.
    void require(std::size_t count) const {
        if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < count)
            throw Error(cat("the pickle takes a value that is not there, at byte ", reader_.at()));
    }
    PickleValue* top() {
        require(1);
        return stack_.back();
    }
    PickleValue* pop() {
        PickleValue* const value = top();
        stack_.pop_back();
        return value;
    }
    // The last `count` values, taken off the stack.
    Items pop_items(std::size_t count) {
        require(count);
        Items items(stack_.end() - std::ptrdiff_t(count), stack_.end());
        stack_.resize(stack_.size() - count);
        return items;
    }
    Items pop_to_mark() {
        if (marks_.empty()) throw Error("the pickle takes a mark that is not there");
        Items items = pop_items(stack_.size() - marks_.back());
        marks_.pop_back();
        return items;
    }

    bool push_constant(int code) {
        switch (code) {
            case 'N': return push(none_);
            case 0x88: return push(true_);
            case 0x89: return push(false_);
            case ')': return push(empty_tuple_);
            case ']': return push(Kind::list, Items());
            case '}': return push(Kind::dict, Items());
            case 0x80: return protocol();
            case 0x95: return reader_.number<std::uint64_t>(), true;  // how long a frame is
            default: return false;
        }
    }

    bool protocol() {
        const int version = reader_.number<std::uint8_t>();
        if (version > 5) throw Error(cat("pickle protocol ", version, ", known are up to 5"));
        return true;
    }

    bool push_number(int code) {
        switch (code) {
            case 'J':
                return push(Kind::integer,
                            std::int64_t(std::int32_t(reader_.number<std::uint32_t>())));
            case 'K': return push(Kind::integer, std::int64_t(reader_.number<std::uint8_t>()));
            case 'M': return push(Kind::integer, std::int64_t(reader_.number<std::uint16_t>()));
            case 0x8a: return push_long(reader_.take(reader_.number<std::uint8_t>()));
            case 'G': {  // big-endian, unlike all else
                std::uint64_t bits = 0;
                for (const std::byte b : reader_.take(8)) bits = bits << 8 | std::uint64_t(b);
                return push(Kind::real, std::bit_cast<double>(bits));
            }
            default: return false;
        }
    }

    // Two's complement, little-endian, of any length.
    bool push_long(std::span<const std::byte> bytes) {
        if (bytes.size() > 8) throw Error(cat("a whole number of ", bytes.size(), " bytes"));
        const bool negative = !bytes.empty() && (bytes.back() & std::byte(0x80)) != std::byte(0);
        std::uint64_t value = negative ? ~std::uint64_t(0) : 0;
        for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::uint64_t(bytes[i]);
        return push(Kind::integer, std::int64_t(value));
    }

    bool push_text(int code) {
        switch (code) {
            case 0x8c:
            case 'C':
            case 'U': return push(Kind::text, reader_.text(reader_.number<std::uint8_t>()));
            case 'X':
            case 'B':
            case 'T': return push(Kind::text, reader_.text(reader_.number<std::uint32_t>()));
            case 0x8d:
            case 0x8e: return push(Kind::text, reader_.text(reader_.number<std::uint64_t>()));
            default: return false;
        }
    }

    bool remember(int code) {
        switch (code) {
            case 'q': return put(reader_.number<std::uint8_t>());
            case 'r': return put(reader_.number<std::uint32_t>());
            case 0x94: return put(memo_.size());
            case 'h': return get(reader_.number<std::uint8_t>());
            case 'j': return get(reader_.number<std::uint32_t>());
            default: return false;
        }
    }
    // Writers number what they remember from 0 upwards: an index beyond the bytes read is not
    // theirs.
    bool put(std::size_t index) {
        if (index > reader_.at()) throw Error(cat("the pickle remembers a value as ", index));
        if (index >= memo_.size()) memo_.resize(index + 1);
        memo_[index] = top();
        return true;
    }
    bool get(std::size_t index) {
        if (index >= memo_.size() || !memo_[index])
            throw Error(cat("the pickle remembers no value ", index));
        return push(memo_[index]);
    }

    bool collect(int code) {
        switch (code) {
            case '(': return marks_.push_back(stack_.size()), true;
            case '0': return pop(), true;
            case '1': return pop_to_mark(), true;
            case 't': return push(Kind::tuple, pop_to_mark());
            case 0x85:
            case 0x86:
            case 0x87: return push(Kind::tuple, pop_items(std::size_t(code - 0x84)));
            case 'a': return append(Kind::list, pop_items(1));
            case 'e': return append(Kind::list, pop_to_mark());
            case 's': return append(Kind::dict, pop_items(2));
            case 'u': return append(Kind::dict, pop_to_mark());
            case 'b': return pop(), top(), true;  // attributes of an object: none matters here
            default: return false;
        }
    }
    bool append(Kind kind, const Items& items) {
        PickleValue* const value = top();
        if (!value->is(kind) || (kind == Kind::dict && items.size() % 2 != 0))
            throw Error(
                cat("the pickle adds ", items.size(), " values to ", name_of(value->kind())));
        auto& content = std::get<Items>(value->content_);
        content.insert(content.end(), items.begin(), items.end());
        return true;
    }

    bool name(int code) {
        switch (code) {
            case 'c': {
                const std::string module(line());
                return push_global(module, line());
            }
            case 0x93: {
                const std::string_view name = pop()->text();
                return push_global(pop()->text(), name);
            }
            case 'R': return call();
            case 'Q': return push(Kind::reference, Items{pop()});
            default: return false;
        }
    }
    std::string_view line() {
        ByteReader ahead = reader_;
        std::size_t size = 0;
        while (ahead.number<std::uint8_t>() != '\n') ++size;
        const std::string_view text = reader_.text(size);
        reader_.take(1);
        return text;
    }
    bool push_global(std::string_view module, std::string_view name) {
        const std::string full = cat(module, ".", name);
        const auto known = std::find(known_.begin(), known_.end(), full);
        if (known == known_.end())
            throw Error(cat("the pickle asks for ", full,
                            ", which no checkpoint needs; nothing of it was run"));
        return push(Kind::global, *known);
    }
    bool call() {
        PickleValue *const arguments = pop(), *const callee = pop();
        if (!callee->is(Kind::global) || !arguments->is(Kind::tuple))
            throw Error(cat("the pickle calls ", name_of(callee->kind()), " with ",
                            name_of(arguments->kind())));
        if (callee->text() == "collections.OrderedDict" && arguments->items().empty())
            return push(Kind::dict, Items());
        return push(Kind::call, Items{callee, arguments});
    }

    ByteReader& reader_;
    std::span<const std::string_view> known_;
    std::deque<PickleValue>& values_;
    std::vector<PickleValue*> stack_, memo_;
    std::vector<std::size_t> marks_;  // how much stood below each
    PickleValue *none_, *false_, *true_, *empty_tuple_;
};

Pickle::Pickle(ByteReader& reader, std::span<const std::string_view> known) {
    root_ = PickleMachine(reader, known, values_).run();
}

}  // namespace convert
