// GPT-2's alphabet for bytes: its files write each byte of a piece as one visible character, a
// space as Ġ.
#pragma once
#include <string>
#include <string_view>

// The bytes in that alphabet, as UTF-8.
std::string to_byte_characters(std::string_view bytes);

// The bytes that text stands for. Throws Error on a character that stands for none.
std::string from_byte_characters(std::string_view text);
