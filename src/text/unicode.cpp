#include "text/unicode.h"
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include "base/utf8.h"

namespace {

struct Range {
    char32_t first, last;
    CharClass type;
};

using enum CharClass;
#include "text/unicode_table.inc"

CharClass search(char32_t code) {
    const auto range = std::upper_bound(std::begin(kRanges), std::end(kRanges), code,
                                        [](char32_t c, const Range& r) { return c <= r.last; });
    return range != std::end(kRanges) && code >= range->first ? range->type : other;
}

}  // namespace

Character unicode::first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const int size = utf8_length(text);
    if (size == 0) return {first, 1, false};
    return {utf8_code_point(text.substr(0, std::size_t(size))), std::size_t(size), true};
}

bool is_cut_short(std::string_view bytes) {
    if (utf8_length(bytes) > 0) return false;
    // Whatever the second byte's range is, it includes the lowest or the highest of all.
    return std::ranges::any_of(std::array{"\x80\x80\x80", "\xbf\xbf\xbf"}, [&](const char* rest) {
        return utf8_length(std::string(bytes) + rest) > int(bytes.size());
    });
}

CharClass unicode::class_of(Character c) { return c.valid ? search(c.code) : other; }

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kMostQuoted = 80;
    constexpr const char* kHex = "0123456789abcdef";
    std::string out = "'";
    for (std::size_t at = 0; at < text.size();) {
        if (at >= kMostQuoted) return out + "…'";
        const Character c = first_character(text.substr(at));
        const bool control = c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0);
        if (c.valid && !control)
            out += text.substr(at, c.size);
        else
            for (const char byte : text.substr(at, c.size))
                out.append("\\x").append({kHex[byte >> 4 & 15], kHex[byte & 15]});
        at += c.size;
    }
    return out + "'";
}

const char* unicode_version() { return kVersion; }
