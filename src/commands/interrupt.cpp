#include "commands/interrupt.h"
#include <csignal>

namespace {

volatile std::sig_atomic_t noted = 0;  // a signal handler can reach nothing but a global

void note_interrupt(int signal) {
    noted = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupt() { std::signal(SIGINT, note_interrupt); }

bool interrupted() { return noted != 0; }
