// The pieces of a vocabulary, by id and by their bytes, and what a text consists of before any
// merge: bytes or, where a small vocabulary has a character but not its bytes, characters.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>
#include "text/added_tokens.h"

class Pieces {
public:
    // The pieces by id, gaps empty, and the added tokens, each of which has the id of a gap, of a
    // piece with its own text, or one of the next ids. Refuses others, and one piece twice.
    Pieces(std::vector<std::string> by_id, const std::vector<AddedToken>& added);

    int size() const { return int(by_id_.size()); }  // one more than the largest id
    const std::string& operator[](int id) const { return by_id_[std::size_t(id)]; }

    // The id of these bytes as a piece, -1 where they are none. Added tokens that the vocabulary
    // does not list do not count.
    int find(std::string_view bytes) const;

    // Whether a text consists of this piece before any merge.
    bool is_unit(std::string_view piece) const;

    // Appends the ids of the pieces that text consists of before any merge. Returns its size, or
    // where a character begins that has no piece.
    std::size_t append_units(std::string_view text, std::vector<int>& ids) const;

private:
    int find_byte(char byte) const { return byte_ids_[static_cast<unsigned char>(byte)]; }
    bool has_bytes(std::string_view text) const;
    bool append_character(std::string_view character, std::vector<int>& ids) const;

    // Where the id of these bytes is among slots_, or would be put.
    std::size_t slot(std::string_view bytes) const;

    std::vector<std::string> by_id_;
    std::vector<int> slots_;  // ids by hash, or -1; a power of two, at most half of them taken
    std::array<int, 256> byte_ids_;
};
