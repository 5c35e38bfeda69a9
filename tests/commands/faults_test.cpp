// What goes wrong around the program: memory, disks, and files that others change.
#include <doctest/doctest.h>
#include <filesystem>
#include "tests/commands/program.h"
#include "tests/support.h"
#include "tests/tools/convert/foreign_formats.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZES 1
#elif defined(__has_feature)
#define SANITIZES __has_feature(address_sanitizer)
#else
#define SANITIZES 0
#endif

namespace {

// A sanitizer and an emulator need more address space than there is, and LLVM's OpenMP ends a
// program by itself where it has no room for threads: the test is then skipped by name.
bool may_limit_memory() {
#if defined(__clang__) && defined(_OPENMP)
    const bool may = false;
#else
    const bool may = runner().empty() && !SANITIZES;
#endif
    if (!may) skip("too little memory: not under a sanitizer, an emulator or LLVM's OpenMP");
    return may;
}

std::size_t files_in(const ScratchFolder& folder) {
    return std::size_t(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

}  // namespace

TEST_CASE("with too little memory or room for threads the program works, or says why in a line") {
    if (!may_limit_memory()) return;
    for (const char* words : {"generate -n 5 --seed 1 a", "score abc", "check", "info"})
        for (const int kilobytes : {20000, 30000, 60000, 120000, 240000}) {
            const Outcome outcome =
                shell(cat("ulimit -v ", kilobytes, "; $GPT ", words, " -t 4 > /dev/null"));
            CAPTURE(words);
            CAPTURE(kilobytes);
            if (outcome.status == 0) continue;
            CHECK(outcome.status == 1);
            CHECK(lines_of(outcome.err).back().starts_with("gpt: "));
        }
    CHECK(failed_with(shell("ulimit -v 100000; $GPT score abc -t 1024"), 1,
                      "of 1024 threads can be started"));
}

TEST_CASE("with too little memory the trainer works, or says why in a line, without a model") {
    if (!may_limit_memory()) return;
    for (const int kilobytes : {20000, 28000, 36000, 60000}) {
        const ScratchFolder folder;
        std::string text;
        for (int line = 0; line < 2000; ++line) text += cat("line ", line * line, "\n");
        write_text(folder.path("text"), text);
        const Outcome outcome =
            shell(cat("ulimit -v ", kilobytes, "; $TRAIN ", folder.path("text "),
                      folder.path("out"), " --vocab 270 --layers 1 --heads 3 --channels 51",
                      " --context 70 --batch 2 --warmup 1 --steps 2 -t 3"));
        CAPTURE(kilobytes);
        CHECK(outcome.status == (std::filesystem::exists(folder.path("out")) ? 0 : 1));
        CHECK((outcome.status == 0 || lines_of(outcome.err).back().starts_with("train: ")));
    }
}

TEST_CASE("on a full disk nothing stands under the final name, nor beside it") {
    const ScratchFolder folder;
    write_text(folder.path("m.bin"), foreign::llmc({.n_embd = 64, .n_inner = 256}));
    const std::string full = "ulimit -f 8; ";
    for (const char* option : {"--npy", "--dump"})
        CHECK(failed_with(shell(cat(full, "$GPT logits --json ", option, " ", folder.path("out"),
                                    " 'a text that is long enough' > /dev/null")),
                          1, "out: cannot be written: File too large"));
    const std::string convert = cat(full, "$CONVERT ", folder.path("m.bin "), folder.path("out"));
    CHECK(failed_with(shell(convert), 1, "cannot be written: File too large", "convert"));
    CHECK(files_in(folder) == 1);
}

TEST_CASE("what cannot be written to is refused in a line") {
    const ScratchFolder folder;
    write_text(folder.path("m.bin"), foreign::llmc({}));
    const std::string within = folder.path("m.bin/out");
    CHECK(failed_with(gpt({"logits", "--npy", within, "text"}), 1, within + ": cannot be written"));
    CHECK(failed_with(shell(cat("$CONVERT ", folder.path("m.bin "), within)), 1,
                      within + ": cannot be written", "convert"));
    CHECK(failed_with(shell("$CONVERT"), 2, "expected IN and OUT, found 0 words", "convert"));
    CHECK(files_in(folder) == 1);
}

TEST_CASE("Ctrl-C ends any command with a line") {
    const ScratchFolder folder;
    const Outcome outcome = interrupt_once_written(
        folder.path("table"), "exec $GPT bench --json >" + folder.path("table"));
    CHECK(outcome.status == 130);
    CHECK(outcome.err == "gpt: interrupted\n");
}
