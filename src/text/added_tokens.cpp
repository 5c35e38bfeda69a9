#include "text/added_tokens.h"
#include <algorithm>
#include <utility>

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
    std::ranges::sort(tokens_, [](const AddedToken& a, const AddedToken& b) {
        return std::lexicographical_compare(a.text.rbegin(), a.text.rend(), b.text.rbegin(),
                                            b.text.rend());
    });
    add_nodes();
}

void AddedTokens::add_nodes() {
    // Of each node: its size, and the tokens that end with it, which lie together.
    struct Tokens {
        std::size_t size, first, end;
    };
    std::vector<Tokens> ends = {{0, 0, tokens_.size()}};
    nodes_ = {{'\0', 0, kNone, 0, 0}};
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
            nodes_.push_back({byte, shorter, whole ? first : nodes_[shorter].token, 0, 0});
            ends.push_back({size + 1, first, i});
        }
        nodes_[n].end = nodes_.size();
    }
}

// The node of a byte and what the node says; 0 where there is none.
std::size_t AddedTokens::child(std::size_t node, char byte) const {
    const auto begin = nodes_.begin() + std::ptrdiff_t(nodes_[node].first);
    const auto end = nodes_.begin() + std::ptrdiff_t(nodes_[node].end);
    const auto found = std::ranges::lower_bound(begin, end, byte, {}, &Node::byte);
    return found != end && found->byte == byte ? std::size_t(found - nodes_.begin()) : 0;
}

// The longest node that a byte and what the node says start with.
std::size_t AddedTokens::longest(std::size_t node, char byte) const {
    for (;; node = nodes_[node].shorter)
        if (const std::size_t next = child(node, byte); next > 0 || node == 0) return next;
}

std::vector<AddedTokens::Found> AddedTokens::search(std::string_view text) const {
    std::vector<Found> found;  // at every place where one begins
    for (std::size_t at = text.size(), node = 0; at-- > 0;) {
        node = longest(node, text[at]);
        if (nodes_[node].token != kNone) found.push_back({at, &tokens_[nodes_[node].token]});
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
