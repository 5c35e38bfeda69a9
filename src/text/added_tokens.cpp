#include "text/added_tokens.h"
#include <algorithm>
#include <utility>
#include "base/error.h"
#include "text/unicode.h"

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : sorted_(std::move(tokens)) {
    std::ranges::sort(sorted_, {}, &AddedToken::text);
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
        const std::string& text = sorted_[i].text;
        if (text.empty()) throw Error(cat("added token ", sorted_[i].id, " is empty"));
        if (i > 0 && text == sorted_[i - 1].text)
            throw Error(cat("the added token ", in_quotes(text), " is given twice"));
        begins_[static_cast<unsigned char>(text[0])] = true;
    }
}

const AddedToken* AddedTokens::at_start(std::string_view text) const {
    const AddedToken* longest = nullptr;
    // [first, last) begin with the first n bytes of text; the token of just these sorts first.
    auto first = sorted_.begin(), last = sorted_.end();
    for (std::size_t n = 0; first != last; ++n) {
        if (first->text.size() == n) longest = &*first++;
        if (n == text.size()) break;
        // std::string sorts by bytes, whether or not char has a sign.
        const auto byte = static_cast<unsigned char>(text[n]);
        const auto byte_of = [n](const AddedToken& t) {
            return static_cast<unsigned char>(t.text[n]);
        };
        first = std::partition_point(first, last, [&](auto& t) { return byte_of(t) < byte; });
        last = std::partition_point(first, last, [&](auto& t) { return byte_of(t) == byte; });
    }
    return longest;
}

std::size_t AddedTokens::next(std::string_view text, std::size_t from) const {
    for (; from < text.size(); ++from)
        if (begins_[static_cast<unsigned char>(text[from])] && at_start(text.substr(from))) break;
    return from;
}
