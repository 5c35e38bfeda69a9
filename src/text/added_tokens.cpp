#include "text/added_tokens.h"
#include <algorithm>
#include <utility>
#include "base/error.h"
#include "text/unicode.h"

namespace {

// The order by bytes from the last to the first.
bool backwards(std::string_view a, std::string_view b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
    std::ranges::sort(tokens_, backwards, &AddedToken::text);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const auto& [text, id, special, normalized] = tokens_[i];
        if (text.empty()) throw Error(cat("added token ", id, " is empty"));
        if (i > 0 && text == tokens_[i - 1].text)
            throw Error(cat("the added token ", in_quotes(text), " is given twice"));
    }
    add_nodes();
}

void AddedTokens::add_nodes() {
    // Of each node: its size, and the tokens that end with it, which lie together.
    struct Tokens {
        std::size_t size, first, end;
    };
    std::vector<Tokens> ends = {{0, 0, tokens_.size()}};
    nodes_ = {{'\0', 0, kNone, kNone, 0}};
    // Room for all at once: to move them would take as long as to make them.
    std::size_t most = 2;
    for (const AddedToken& token : tokens_) most += token.text.size();
    ends.reserve(most);
    nodes_.reserve(most);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const std::size_t size = ends[n].size, end = ends[n].end;
        std::size_t i = ends[n].first;
        if (i < end && tokens_[i].text.size() == size) ++i;  // the node itself is a token
        const auto byte_before = [&] { return tokens_[i].text[tokens_[i].text.size() - 1 - size]; };
        nodes_[n].first = nodes_.size();
        while (i < end) {
            const std::size_t first = i;
            const char byte = byte_before();
            while (i < end && byte_before() == byte) ++i;
            const std::size_t shorter = n == 0 ? 0 : longest(nodes_[n].shorter, byte);
            const bool whole = tokens_[first].text.size() == size + 1;
            const bool plain = whole && !tokens_[first].special;
            nodes_.push_back({byte, shorter, whole ? first : nodes_[shorter].token,
                              plain ? first : nodes_[shorter].plain, 0});
            ends.push_back({size + 1, first, i});
        }
    }
    nodes_.push_back({'\0', 0, kNone, kNone, nodes_.size()});
}

// The node of a byte and what the node says; 0 where there is none.
std::size_t AddedTokens::child(std::size_t node, char byte) const {
    const auto begin = nodes_.begin() + std::ptrdiff_t(nodes_[node].first);
    const auto end = nodes_.begin() + std::ptrdiff_t(nodes_[node + 1].first);
    const auto found = std::ranges::lower_bound(begin, end, byte, {}, &Node::byte);
    return found != end && found->byte == byte ? std::size_t(found - nodes_.begin()) : 0;
}

// The longest node that a byte and what the node says start with.
std::size_t AddedTokens::longest(std::size_t node, char byte) const {
    for (;; node = nodes_[node].shorter)
        if (const std::size_t next = child(node, byte); next > 0 || node == 0) return next;
}

const AddedToken* AddedTokens::find(std::string_view text) const {
    const auto at = std::ranges::lower_bound(tokens_, text, backwards, &AddedToken::text);
    return at != tokens_.end() && at->text == text ? &*at : nullptr;
}

std::vector<AddedTokens::Found> AddedTokens::search(std::string_view text, Special special) const {
    std::vector<Found> found;  // at every place where one begins
    for (std::size_t at = text.size(), node = 0; at-- > 0;) {
        node = longest(node, text[at]);
        const std::size_t token =
            special == Special::as_text ? nodes_[node].plain : nodes_[node].token;
        if (token != kNone) found.push_back({at, &tokens_[token]});
    }
    std::ranges::reverse(found);
    std::size_t behind = 0;  // the token before
    std::erase_if(found, [&](const Found& f) {
        if (f.at < behind) return true;
        behind = f.at + f.token->text.size();
        return false;
    });
    return found;
}
