#include "text/tokenizer.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include "base/error.h"
#include "base/utf8.h"
#include "text/split.h"
#include "text/unicode.h"

namespace {

// The merges by the ids of their pieces.
std::vector<Merge> resolve(const Pieces& pieces, const Vocabulary& vocabulary) {
    std::vector<Merge> merges;
    merges.reserve(vocabulary.merges.size());
    const auto find = [&](const std::string& piece) {
        const int id = pieces.find(piece);
        if (id < 0)
            throw Error(cat("merge ", merges.size(), " needs the piece ", in_quotes(piece),
                            ", which is not in the vocabulary"));
        return id;
    };
    for (const auto& [left, right] : vocabulary.merges)
        merges.push_back({find(left), find(right), find(left + right)});
    return merges;
}

AddedTokens selected(const std::vector<AddedToken>& added, bool normalized) {
    std::vector<AddedToken> tokens;
    std::ranges::copy_if(added, std::back_inserter(tokens),
                         [=](const AddedToken& token) { return token.normalized == normalized; });
    return AddedTokens(std::move(tokens));
}

// Appends the ids of the added tokens in a text, and calls between(part) for what lies before,
// between and behind them.
template <typename Between>
void find_added(const AddedTokens& added, std::string_view text, Tokenizer::Special special,
                std::vector<int>& ids, Between between) {
    std::size_t behind = 0;  // the token before
    for (const auto& [at, token] : added.search(text, special)) {
        between(text.substr(behind, at - behind));
        ids.push_back(token->id);
        behind = at + token->text.size();
    }
    between(text.substr(behind));
}

Error no_piece(std::string_view text, std::size_t at) {
    const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
    return Error(cat("the vocabulary has no piece for ", character_in_words(text.substr(at)),
                     " at byte ", at, line > 1 ? cat(", line ", line) : ""));
}

// Words repeat, and so do their ids: where words seen in this text stand among the ids so far. A
// word keeps its place until another of the same hash takes it.
class SeenWords {
public:
    explicit SeenWords(std::size_t text_size)
        : places_(std::clamp<std::size_t>(text_size / 8, 1, kMostPlaces)) {}

    // Appends the ids of word once more, where it is known.
    bool append_again(std::string_view word, std::vector<int>& ids) const {
        const Place& place = places_[index(word)];
        if (place.word != word) return false;
        for (std::size_t i = 0; i < place.count; ++i) ids.push_back(ids[place.first + i]);
        return true;
    }
    void remember(std::string_view word, std::size_t first, std::size_t count) {
        places_[index(word)] = {word, first, count};
    }

private:
    struct Place {
        std::string_view word;
        std::size_t first = 0, count = 0;
    };
    std::size_t index(std::string_view word) const {
        return std::hash<std::string_view>()(word) % places_.size();
    }
    static constexpr std::size_t kMostPlaces = 4096;
    std::vector<Place> places_;
};

}  // namespace

Tokenizer::Tokenizer(Vocabulary vocabulary)
    : pieces_(std::move(vocabulary.pieces), vocabulary.added),
      merges_(resolve(pieces_, vocabulary)),
      not_normalized_(selected(vocabulary.added, false)),
      normalized_(selected(vocabulary.added, true)) {
    for (const AddedToken& token : vocabulary.added)
        if (token.normalized && not_normalized_.find(token.text))
            throw Error(cat("the added token ", in_quotes(token.text), " is given twice"));
    if (vocabulary.merges.empty()) require_merges();
}

// A vocabulary without merges is one of single characters; anything longer shows that its merges
// are missing.
void Tokenizer::require_merges() const {
    for (int id = 0; id < size(); ++id) {
        const std::string& piece = pieces_[id];
        if (piece.empty() || pieces_.is_unit(piece)) continue;
        const AddedToken* token = added_token(piece);
        if (!token || token->id != id)
            throw Error(cat("there are no merges, and without them no text becomes the piece ",
                            in_quotes(piece), " (id ", id, ")"));
    }
}

const AddedToken* Tokenizer::added_token(std::string_view text) const {
    const AddedToken* const token = not_normalized_.find(text);
    return token ? token : normalized_.find(text);
}

std::vector<int> Tokenizer::encode(std::string_view text, Special special) const {
    std::vector<int> ids;
    Merger merger(merges_);
    SeenWords seen(text.size());
    const auto encode_words = [&](std::string_view part) {
        for (std::string_view word; !part.empty(); part.remove_prefix(word.size())) {
            word = part.substr(0, first_word(part));
            if (seen.append_again(word, ids)) continue;
            const std::size_t first = ids.size(), read = pieces_.append_units(word, ids);
            if (read < word.size())
                throw no_piece(text, std::size_t(word.data() - text.data()) + read);
            merger.merge(ids, first);
            seen.remember(word, first, ids.size() - first);
        }
    };
    find_added(not_normalized_, text, special, ids, [&](std::string_view part) {
        find_added(normalized_, part, special, ids, encode_words);
    });
    return ids;
}

const std::string& Tokenizer::piece(int id) const {
    if (id < 0 || id >= size())
        throw Error(cat("token id ", id, " is outside the vocabulary, 0 to ", size() - 1));
    return pieces_[id];
}

std::string Tokenizer::decode(std::span<const int> ids) const {
    std::string text;
    for (const int id : ids) text += piece(id);
    return text;
}

std::optional<int> Tokenizer::find(std::string_view text) const {
    if (const AddedToken* token = added_token(text)) return token->id;
    const int id = pieces_.find(text);
    return id < 0 ? std::nullopt : std::optional(id);
}
