// Signals that would end the program without a word: it ends in good order where it can, and
// otherwise with a line on stderr; either way no half of a file stays behind. (A DraftFolder does,
// where the end is not in good order.)
#pragma once
#include <string>

// Ctrl-C, SIGTERM and, unless it is ignored, SIGHUP end `program` with a line, as if it had been
// killed. Where another program cuts a file that is mapped, reading the rest of it ends this one
// with status 1, and a file that grows beyond the user's limit is an error of writing.
void catch_signals(const char* program);

// From now on the first Ctrl-C, SIGTERM or SIGHUP is only noted; a second one ends the program.
void note_interrupts();
bool interrupted();
int interrupted_status();  // of a program that the signal has ended, as shells have it

// As long as it lives, a signal that ends the program removes the file `draft` first.
class DraftInWork {
public:
    explicit DraftInWork(const std::string& draft);
    ~DraftInWork();
    DraftInWork(const DraftInWork&) = delete;
    DraftInWork& operator=(const DraftInWork&) = delete;
};
