#include "text/utf8_stream.h"
#include <algorithm>
#include <utility>
#include "text/unicode.h"

std::string Utf8Stream::append(std::string_view bytes) {
    std::string text = std::exchange(pending_, {}).append(bytes);
    // A first byte is never a later byte of another character, so the end can be read by itself.
    for (std::size_t n = std::min<std::size_t>(3, text.size()); n > 0; --n)
        if (is_cut_short(std::string_view(text).substr(text.size() - n))) {
            pending_ = text.substr(text.size() - n);
            text.erase(text.size() - n);
            break;
        }
    return text;
}

std::string Utf8Stream::finish() { return std::exchange(pending_, {}); }
