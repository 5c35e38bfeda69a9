// What goes wrong around the program: memory, disks, and files that others change.
#include <doctest/doctest.h>
#include <filesystem>
#include "tests/commands/program.h"
#include "tests/model_folder.h"
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

TEST_CASE("where there is no memory for weights the error names them") {
    if (!may_limit_memory()) return;
    ModelFolder m({.vocab_size = 1 << 22});  // 128 MB, once mapped and once packed
    m.named("wte.weight").values = [] { return std::vector<float>(1 << 25); };
    m.load();
    CHECK(
        failed_with(shell(cat("ulimit -v 240000; $GPT score --ids 1,2 -t 1 -m ", m.scratch.path())),
                    1, m.scratch.path() + ": out of memory for its weights"));
    CHECK(failed_with(
        shell(cat("ulimit -v 200000; $CONVERT ", m.scratch.path(), " ", m.scratch.path("new/out"))),
        1, m.scratch.path() + ": out of memory", "convert"));
    CHECK(!std::filesystem::exists(m.scratch.path("new")));
    const std::string big = m.scratch.path("model.safetensors");
    CHECK(failed_with(shell(cat("ulimit -v 120000; $GPT info -m ", big)), 1,
                      big + ": out of memory for its "));
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

TEST_CASE("what the system does not follow or name is refused in a line, and left as it was") {
    const ScratchFolder folder;
    write_text(folder.path("m.bin"), foreign::llmc({}));
    const std::string in = folder.path("m.bin "), circle = folder.path("circle");
    std::filesystem::create_symlink("circle", circle);
    const std::string follows = circle + ": cannot be written: Too many levels of symbolic links";
    CHECK(failed_with(shell(cat("$CONVERT ", in, circle)), 1, follows, "convert"));
    CHECK(failed_with(shell(cat("$CONVERT ", circle, " ", folder.path("out"))), 1,
                      circle + ": cannot be opened: Too many levels of symbolic links", "convert"));
    CHECK(failed_with(shell(cat("$TRAIN ", in, circle)), 1, follows, "train"));
    CHECK(std::filesystem::is_symlink(circle));
    for (const std::size_t size : {252, 300})
        CHECK(failed_with(shell(cat("$CONVERT ", in, folder.path("new/" + std::string(size, 'a')))),
                          1, "a: cannot be written: File name too long", "convert"));
    CHECK(failed_with(shell(cat("$CONVERT ", in, folder.path("m.bin/"))), 1,
                      "m.bin: is there already, and no folder", "convert"));
    CHECK(std::filesystem::is_regular_file(folder.path("m.bin")));
    CHECK(files_in(folder) == 2);
}

TEST_CASE("the folder that convert writes lies where the system finds it behind a link") {
    const ScratchFolder folder;
    write_text(folder.path("m.bin"), foreign::llmc({}));
    std::filesystem::create_directories(folder.path("far/away"));
    std::filesystem::create_directory_symlink("far/away", folder.path("link"));
    const Outcome done = shell(cat("$CONVERT ", folder.path("m.bin "), folder.path("link/../new")));
    CHECK(done.status == 0);
    CHECK(done.err.find("link/../new: ") < done.err.size());
    CHECK(std::filesystem::exists(folder.path("far/new/model.safetensors")));
}

TEST_CASE("Ctrl-C ends any command with a line") {
    const ScratchFolder folder;
    const Outcome outcome = interrupt_once_written(
        folder.path("table"), "exec $GPT bench --json >" + folder.path("table"));
    CHECK(outcome.status == 130);
    CHECK(outcome.err == "gpt: interrupted\n");
}
