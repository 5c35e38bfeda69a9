#include "commands/interrupt.h"
#include <csignal>
#include <cstring>
#include <initializer_list>
#if defined(SIGBUS)
#include <unistd.h>
#endif

namespace {

volatile std::sig_atomic_t noted = 0;  // a signal handler can reach nothing but a global

void note_interrupt(int signal) {
    noted = 1;
    std::signal(signal, SIG_DFL);
}

#if defined(SIGBUS)
const char* volatile program_name = "";

void end_for_cut_file(int) {
    // Nothing but what a signal handler may call.
    for (const char* text : {static_cast<const char*>(program_name),
                             ": a file was cut by another program while it was read\n"})
        if (::write(2, text, std::strlen(text)) < 0) break;
    ::_exit(1);
}
#endif

}  // namespace

void catch_interrupt() { std::signal(SIGINT, note_interrupt); }

void catch_file_signals([[maybe_unused]] const char* program) {
#if defined(SIGXFSZ)
    std::signal(SIGXFSZ, SIG_IGN);
#endif
#if defined(SIGBUS)
    program_name = program;
    std::signal(SIGBUS, end_for_cut_file);
#endif
}

bool interrupted() { return noted != 0; }
