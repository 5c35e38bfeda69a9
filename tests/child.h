// Runs a function in a process of its own, to see how signals end it.
#pragma once
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include "base/file.h"
#include "base/signals.h"
#include "tests/support.h"

// How the process ended, and what it wrote to stderr.
struct End {
    int signal, status;
    std::string err;
};

template <typename F>
End end_of(F f, void (*on_hangup)(int) = SIG_DFL) {
    const ScratchFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
        std::freopen(folder.path("err").c_str(), "w", stderr);
        std::signal(SIGHUP, on_hangup);
        catch_signals("gpt");
        f();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
            std::string(File::open(folder.path("err")).text())};
}
