#include "base/signals.h"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include "tests/child.h"

TEST_CASE("a signal that ends the program says so, and leaves nothing of a file that it writes") {
    const ScratchFolder folder;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const End end = end_of([&] {
            write_file(folder.path("out"), [&](const Append& append) {
                append(bytes_of_text("half"));
                std::raise(signal);
            });
        });
        CHECK(end.signal == signal);
        CHECK(end.err == "gpt: interrupted\n");
        CHECK(std::filesystem::is_empty(folder.path()));
    }
}

TEST_CASE("a file that is complete stays, whatever signal comes after it") {
    const ScratchFolder folder;
    end_of([&] {
        write_file(folder.path("out"), [](const Append& append) { append(bytes_of_text("all")); });
        std::raise(SIGINT);
    });
    CHECK(File::open(folder.path("out")).text() == "all");
}

TEST_CASE("where interrupts are noted the first one does nothing else, and the second one ends") {
    const ScratchFolder folder;
    const End noted = end_of([] {
        note_interrupts();
        if (interrupted()) ::_exit(1);
        std::raise(SIGTERM);
        ::_exit(interrupted() ? interrupted_status() : 2);
    });
    CHECK(noted.signal == 0);
    CHECK(noted.status == 128 + SIGTERM);
    CHECK(noted.err.empty());
    const End twice = end_of([] {
        note_interrupts();
        std::raise(SIGINT);
        std::raise(SIGTERM);
    });
    CHECK(twice.signal == SIGTERM);
    CHECK(twice.err == "gpt: interrupted\n");
}

TEST_CASE("a hangup that is ignored, as under nohup, stays so") {
    const ScratchFolder folder;
    const auto hangs_up_twice = [] {
        std::raise(SIGHUP);
        note_interrupts();
        std::raise(SIGHUP);
        ::_exit(interrupted() ? 1 : 3);
    };
    const End end = end_of(hangs_up_twice, SIG_IGN);
    CHECK(end.signal == 0);
    CHECK(end.status == 3);
}

TEST_CASE("reading what was cut off a file ends the program with a line, and without a draft") {
    const ScratchFolder folder;
    std::ofstream(folder.path("big")) << std::string(100000, 'x');
    const End end = end_of([&] {
        const File file = File::open(folder.path("big"));
        std::filesystem::resize_file(folder.path("big"), 10);
        write_file(folder.path("out"), [&](const Append& append) {
            append(bytes_of_text("half"));
            ::_exit(file.text()[99999] == 'x' ? 2 : 3);
        });
    });
    CHECK(end.signal == 0);
    CHECK(end.status == 1);
    CHECK(end.err == "gpt: a file was cut by another program while it was read\n");
    CHECK(!std::filesystem::exists(folder.path("out.part")));
}
