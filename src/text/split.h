// GPT-2's split of a text into words, which merges never cross:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once
#include <cstddef>
#include <string_view>

// The size in bytes of the first word of text (at least 1 where text is not empty). Reads no more
// than that word and two characters, so that a whole split takes linear time.
std::size_t first_word(std::string_view text);
