// Ctrl-C, taken as a request to end in good order.
#pragma once

// From now on the first Ctrl-C is only noted; a second one ends the program at once.
void catch_interrupt();
bool interrupted();
// The status of a program that Ctrl-C has ended, as shells have it.
constexpr int kInterruptedStatus = 130;

// Where another program cuts a file that is mapped, reading the rest of it shall end `program` with
// a line on stderr and status 1, and a file that grows beyond the user's limit shall be an error of
// writing: the system would end it without a word.
void catch_file_signals(const char* program);
