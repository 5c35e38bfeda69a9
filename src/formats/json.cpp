#include "formats/json.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include "base/error.h"
#include "base/utf8.h"

namespace {

constexpr std::size_t kMostLevels = 64;
constexpr const char* kKinds[] = {"null",     "a boolean", "a number",
                                  "a string", "an array",  "an object"};

std::string hex(unsigned char byte) {
    constexpr const char* kDigits = "0123456789abcdef";
    return {kDigits[byte >> 4], kDigits[byte & 15]};
}

class JsonReader {
public:
    JsonReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

    Json read() {
        Json root;
        for (Json* place = &root; place; place = next_place()) *place = read_value();
        skip_space();
        if (at_ != text_.size()) fail_expecting("nothing after the value");
        return root;
    }

private:
    // An array or object whose end has not been read yet; the other pointer is null.
    struct Open {
        Json::Array* array;
        Json::Object* object;
    };

    [[noreturn]] void fail(const std::string& what) const {
        const std::string_view before = text_.substr(0, at_);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::string_view last = before.substr(before.rfind('\n') + 1);
        const auto column =
            1 + std::count_if(last.begin(), last.end(), [](char c) { return (c & 0xc0) != 0x80; });
        throw Error(cat(name_, ":", line, ":", column, ": ", what));
    }
    [[noreturn]] void fail_expecting(const char* wanted) const {
        const bool end = at_ == text_.size();
        fail(cat("expected ", wanted, ", found ",
                 end ? "the end of the text" : character_in_words(text_.substr(at_))));
    }

    // The byte at the position; 0 at the end, which no rule of JSON expects anywhere.
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void skip_space() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
    }

    // A scalar, or a container that is still empty and from now on the innermost open one.
    Json read_value() {
        skip_space();
        switch (peek()) {
            case '{': return open(std::make_unique<Json::Object>());
            case '[': return open(std::make_unique<Json::Array>());
            case '"': return Json(std::make_unique<std::string>(read_string()));
            case 't': return read_word("true", true);
            case 'f': return read_word("false", false);
            case 'n': return read_word("null", nullptr);
            default: return read_number();
        }
    }

    // Ends the containers that end here. The place of the next value; null after the outermost.
    Json* next_place() {
        while (!open_.empty()) {
            const auto [array, object] = open_.back();
            const bool first = array ? array->empty() : object->empty();
            skip_space();
            if (take(array ? ']' : '}')) {
                if (object) refuse_duplicates(*object);
                open_.pop_back();
                continue;
            }
            if (!first && !take(',')) fail_expecting(array ? "',' or ']'" : "',' or '}'");
            if (array) return &array->emplace_back();
            std::string key = read_key();
            return &object->emplace_back(std::move(key), Json()).second;
        }
        return nullptr;
    }

    template <typename Container>
    Json open(std::unique_ptr<Container> container) {
        if (open_.size() == kMostLevels) fail(cat("more than ", kMostLevels, " levels deep"));
        ++at_;
        if constexpr (std::is_same_v<Container, Json::Array>)
            open_.push_back({container.get(), nullptr});
        else
            open_.push_back({nullptr, container.get()});
        return Json(std::move(container));
    }

    std::string read_key() {
        skip_space();
        if (peek() != '"') fail_expecting("a key in quotes");
        std::string key = read_string();
        skip_space();
        if (!take(':')) fail_expecting("':'");
        return key;
    }

    // Sorts, so that no choice of keys makes it quadratic; hashes first, which is faster.
    void refuse_duplicates(const Json::Object& object) {
        std::vector<std::size_t> hashes;
        hashes.reserve(object.size());
        for (const auto& [key, value] : object) hashes.push_back(std::hash<std::string>()(key));
        std::sort(hashes.begin(), hashes.end());
        if (std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end()) return;
        std::vector<std::string_view> keys;
        keys.reserve(object.size());
        for (const auto& [key, value] : object) keys.push_back(key);
        std::sort(keys.begin(), keys.end());
        const auto twice = std::adjacent_find(keys.begin(), keys.end());
        if (twice == keys.end()) return;
        --at_;
        fail(cat("key ", json_quote(*twice), " is given twice in the object that ends here"));
    }

    Json read_word(std::string_view word, Json::Value value) {
        if (text_.substr(at_, word.size()) != word) fail_expecting("a value");
        at_ += word.size();
        return Json(std::move(value));
    }

    Json read_number() {
        const std::size_t start = at_;
        take('-');
        if (at_ == start && !is_digit()) fail_expecting("a value");
        if (!take('0')) skip_digits();
        if (is_digit()) fail("a number does not start with 0");
        if (take('.')) skip_digits();
        if (take('e') || take('E')) {
            if (!take('-')) take('+');
            skip_digits();
        }
        double value = 0;
        const char* const first = text_.data() + start;
        if (std::from_chars(first, text_.data() + at_, value).ec != std::errc{}) {
            const std::string_view number = text_.substr(start, at_ - start);
            at_ = start;
            fail(cat(number.substr(0, 40), " is outside the range of a double"));
        }
        // What the double may have rounded.
        if (std::abs(value) >= 0x1p53)
            return Json(Json::Number{
                value, std::make_unique<std::string>(text_.substr(start, at_ - start))});
        return Json(Json::Number{value, nullptr});
    }
    bool is_digit() const { return peek() >= '0' && peek() <= '9'; }
    void skip_digits() {
        if (!is_digit()) fail_expecting("a digit");
        while (is_digit()) ++at_;
    }

    // At an opening quote: what the string says, and the position behind its closing quote.
    std::string read_string() {
        std::string result;
        for (std::size_t start = ++at_;; start = at_) {
            skip_plain();
            result.append(text_, start, at_ - start);
            if (take('"')) return result;
            if (!take('\\')) fail_in_string();
            read_escape(result);
        }
    }
    // Moves over characters that stand for themselves.
    void skip_plain() {
        while (at_ < text_.size()) {
            const auto byte = static_cast<unsigned char>(text_[at_]);
            if (byte == '"' || byte == '\\' || byte < 0x20) return;
            const int length = byte < 0x80 ? 1 : utf8_length(text_.substr(at_));
            if (length == 0) return;
            at_ += std::size_t(length);
        }
    }
    [[noreturn]] void fail_in_string() const {
        if (at_ == text_.size()) fail("the string does not end");
        const bool control = static_cast<unsigned char>(text_[at_]) < 0x20;
        fail(cat(character_in_words(text_.substr(at_)),
                 control ? " in a string must be escaped" : " is not UTF-8"));
    }

    // Behind a backslash.
    void read_escape(std::string& result) {
        constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
        if (take('u')) return append_utf8(result, read_code_point());
        const std::size_t which = kLetters.find(peek());
        if (at_ == text_.size() || which == std::string_view::npos)
            fail_expecting("one of \"\\/bfnrtu after the backslash");
        ++at_;
        result += kMeanings[which];
    }

    // Behind \u: four digits, or a pair of surrogates.
    std::uint32_t read_code_point() {
        const std::uint32_t code = read_hex();
        if (code < 0xd800 || code > 0xdfff) return code;
        if (code < 0xdc00 && take('\\') && take('u')) {
            const std::uint32_t low = read_hex();
            if (low >= 0xdc00 && low <= 0xdfff)
                return 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
        }
        fail("a surrogate without its other half ends here");
    }
    std::uint32_t read_hex() {
        std::uint32_t code = 0;
        const char* const first = text_.data() + at_;
        const char* const last = text_.data() + std::min(at_ + 4, text_.size());
        const auto [end, error] = std::from_chars(first, last, code, 16);
        at_ += std::size_t(end - first);
        if (end != first + 4) fail_expecting("four hexadecimal digits");
        return code;
    }

    std::string_view text_, name_;
    std::size_t at_ = 0;
    std::vector<Open> open_;  // outermost first
};

template <typename Wanted>
const Wanted& get(const Json::Value& value, Json::Kind wanted) {
    if (const Wanted* found = std::get_if<Wanted>(&value)) return *found;
    throw Error(cat("expected ", kKinds[int(wanted)], ", found ", kKinds[value.index()]));
}

}  // namespace

bool Json::boolean() const { return get<bool>(value_, Kind::boolean); }
double Json::number() const { return get<Number>(value_, Kind::number).value; }
const std::string& Json::string() const {
    return *get<std::unique_ptr<std::string>>(value_, Kind::string);
}
const Json::Array& Json::array() const { return *get<std::unique_ptr<Array>>(value_, Kind::array); }
const Json::Object& Json::object() const {
    return *get<std::unique_ptr<Object>>(value_, Kind::object);
}

std::int64_t Json::integer(std::int64_t least, std::int64_t most) const {
    const auto& [value, text] = get<Number>(value_, Kind::number);
    if (value != std::floor(value) || value < double(least) || value > double(most))
        throw Error(cat("expected a whole number from ", least, " to ", most, ", found ",
                        text ? *text : json_number(value)));
    return std::int64_t(value);
}

const Json* Json::find(std::string_view key) const {
    for (const auto& [name, value] : object())
        if (name == key) return &value;
    return nullptr;
}

Json parse_json(std::string_view text, std::string_view name) {
    return JsonReader(text, name).read();
}

std::string json_quote(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const int length = utf8_length(text);
        const auto byte = static_cast<unsigned char>(text[0]);
        if (byte == '"' || byte == '\\') {
            out += {'\\', char(byte)};
        } else if (length == 0 || byte < 0x20) {
            out += (length == 0 ? "\\udc" : "\\u00") + hex(byte);
        } else {
            out += text.substr(0, std::size_t(length));
        }
        text.remove_prefix(std::size_t(std::max(length, 1)));
    }
    return out + '"';
}

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}
