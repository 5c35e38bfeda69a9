// The two streams of every command: the product goes to stdout, the talk to stderr.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

// What main does first, given what it was given: the words after the program's name, as UTF-8.
// From here on the standard streams carry bytes as they are.
std::vector<std::string> begin(int argc, char** argv);

// Writes to stdout. Throws Error where that fails, such as on a full device.
void print(std::string_view text);
// Hands on what print still holds back. Throws likewise.
void flush();
// Writes to stderr; a failure there has nowhere to be told.
void note(std::string_view text);

bool is_terminal(std::FILE* stream);
// Whether colour may be used: on a terminal, unless NO_COLOR is set (no-color.org).
bool has_colour(std::FILE* stream);

// The columns that a line may have: $COLUMNS, or 120.
int line_width();
