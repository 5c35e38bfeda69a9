#include "text/pieces.h"
#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include "base/error.h"
#include "text/unicode.h"

namespace {

// Makes room for the ids of the added tokens, which may not lie further beyond the rest than there
// are of them.
void make_room(std::vector<std::string>& by_id, const std::vector<AddedToken>& added) {
    const std::size_t limit = by_id.size() + added.size();
    std::size_t size = by_id.size();
    for (const auto& [text, id, special, normalized] : added) {
        if (id < 0 || std::size_t(id) >= limit)
            throw Error(cat("the added token ", in_quotes(text), " has id ", id,
                            ", and the vocabulary has ", limit, " entries"));
        size = std::max(size, std::size_t(id) + 1);
    }
    by_id.resize(size);
}

}  // namespace

Pieces::Pieces(std::vector<std::string> by_id, const std::vector<AddedToken>& added)
    : by_id_(std::move(by_id)) {
    make_room(by_id_, added);
    slots_.assign(std::bit_ceil(2 * by_id_.size() + 1), -1);
    for (int id = 0; id < size(); ++id) {
        const std::string& piece = (*this)[id];
        if (piece.empty()) continue;
        int& place = slots_[slot(piece)];
        if (place >= 0)
            throw Error(cat("the piece ", in_quotes(piece), " has two ids, ", place, " and ", id));
        place = id;
    }
    for (const auto& [text, id, special, normalized] : added) {
        std::string& piece = by_id_[std::size_t(id)];
        if (piece.empty()) piece = text;
        if (piece != text)
            throw Error(cat("id ", id, " is the added token ", in_quotes(text), " and the piece ",
                            in_quotes(piece)));
    }
    for (int byte = 0; byte < 256; ++byte)
        byte_ids_[std::size_t(byte)] = find(std::string(1, char(byte)));
}

std::size_t Pieces::slot(std::string_view bytes) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = std::hash<std::string_view>()(bytes) & mask;
    while (slots_[i] >= 0 && (*this)[slots_[i]] != bytes) i = (i + 1) & mask;
    return i;
}

int Pieces::find(std::string_view bytes) const { return slots_[slot(bytes)]; }

bool Pieces::has_bytes(std::string_view text) const {
    return std::ranges::all_of(text, [&](char byte) { return find_byte(byte) >= 0; });
}

bool Pieces::is_unit(std::string_view piece) const {
    if (piece.size() == 1) return true;
    return first_character(piece).size == piece.size() && !has_bytes(piece);
}

bool Pieces::append_character(std::string_view character, std::vector<int>& ids) const {
    if (has_bytes(character)) {
        for (const char byte : character) ids.push_back(find_byte(byte));
        return true;
    }
    const int id = find(character);
    if (id >= 0) ids.push_back(id);
    return id >= 0;
}

std::size_t Pieces::append_units(std::string_view text, std::vector<int>& ids) const {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t size = first_character(text.substr(at)).size;
        if (!append_character(text.substr(at, size), ids)) break;
        at += size;
    }
    return at;
}
