#include "base/signals.h"
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstring>
#include <initializer_list>

namespace {

// A signal handler can reach nothing but globals, and may call only what POSIX lists for it.
volatile std::sig_atomic_t noted = 0;
const char* volatile program_name = nullptr;
char draft_in_work[4096] = "";

void say(const char* what) {
    if (!program_name) return;
    for (const char* text : {static_cast<const char*>(program_name), what})
        if (::write(2, text, unsigned(std::strlen(text))) < 0) break;
}

void discard_draft() {
    if (*draft_in_work) ::unlink(draft_in_work);
}

void on_interrupts(void (*handler)(int)) {
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
#if defined(SIGHUP)  // which nohup has this program ignore
    if (std::signal(SIGHUP, handler) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
#endif
}

void end(int signal) {
    discard_draft();
    say(": interrupted\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void note_interrupt(int signal) {
    noted = signal;
    on_interrupts(end);
}

#if defined(SIGBUS)
void end_for_cut_file(int) {
    discard_draft();
    say(": a file was cut by another program while it was read\n");
    ::_exit(1);
}
#endif

}  // namespace

void catch_signals(const char* program) {
    program_name = program;
    on_interrupts(end);
#if defined(SIGXFSZ)
    std::signal(SIGXFSZ, SIG_IGN);
#endif
#if defined(SIGBUS)
    std::signal(SIGBUS, end_for_cut_file);
#endif
}

void note_interrupts() { on_interrupts(note_interrupt); }

bool interrupted() { return noted != 0; }
int interrupted_status() { return 128 + noted; }

DraftInWork::DraftInWork(const std::string& draft) {
    if (draft.empty() || draft.size() >= sizeof draft_in_work) return;
    // The first character last: a signal shall not find half a name, which may be another file's.
    std::strcpy(draft_in_work + 1, draft.c_str() + 1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    draft_in_work[0] = draft[0];
}

DraftInWork::~DraftInWork() { *draft_in_work = 0; }
