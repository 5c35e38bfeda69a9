// Reading what a command works on: bytes of a file or of standard input, and lists of token ids.
#pragma once
#include <string>
#include <string_view>
#include <vector>

using Ids = std::vector<int>;

// What a file of input is called: "-" is standard input.
std::string input_name(const std::string& path);

// Every byte of the file, which may be a pipe. Refuses one that goes on beyond `most` bytes, as
// some devices do without end.
std::string read_bytes(const std::string& path, std::size_t most = std::size_t(1) << 30);

// Throws UsageError where the file that the option names is "-": standard output is for text.
void check_is_file(const char* option, const std::string& path);

// The numbers of "1,2,3", which commas or white space divide. Throws UsageError where one is no
// number from 0 to limit - 1.
Ids parse_ids(std::string_view list, int limit);
