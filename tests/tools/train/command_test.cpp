// The trainer as a user runs it, on a text of its own making.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include "base/file.h"
#include "tests/commands/program.h"
#include "tests/support.h"

namespace {

// A folder with a text in it, whose last tenth holds a few windows of the small shape below.
class TextFolder {
public:
    TextFolder() {
        Random random(1);
        std::ofstream text(path("text"));
        for (int line = 0; line < 150; ++line)
            text << "the " << std::string("cat hat mat sat").substr(4 * (random.next() % 4), 3)
                 << " and then the " << random.next() % 10 << (line % 9 ? "\n" : "\n\n");
    }
    std::string path(const std::string& name = "") const { return folder_.path(name); }

    // A line for the shell, run in this folder.
    std::string line(const std::string& words) const {
        return "TRAIN=\"${TRAIN% *} $(realpath ${TRAIN##* })\"; cd " + path() + "; exec " + words;
    }
    Outcome train(const std::string& words) const { return shell(line(words)); }

private:
    ScratchFolder folder_;
};

const std::string kSmall =
    " --vocab 270 --layers 2 --heads 2 --channels 16 --context 16 --batch 3 --warmup 2 --cut 0.1 ";

bool same_file(const std::string& one, const std::string& other) {
    return File::open(one).text() == File::open(other).text();
}

bool refused(const Outcome& outcome, int status, const std::string& words) {
    return failed_with(outcome, status, words, "train");
}

}  // namespace

TEST_CASE("a text becomes a folder that gpt loads, whatever the threads, interrupted or not") {
    const TextFolder here;
    const Outcome one = here.train("$TRAIN text one" + kSmall + "--steps 12 -t 1");
    REQUIRE(one.status == 0);
    CHECK(one.out.empty());
    CHECK(one.err.find("step 12/12  loss ") < one.err.size());
    CHECK(one.err.find("bits a byte\n") < one.err.size());
    REQUIRE(here.train("$TRAIN text two" + kSmall + "--steps 12 -t 2").status == 0);
    for (const char* file : {"model.safetensors", "vocab.json", "merges.txt", "config.json"})
        CHECK(same_file(here.path("one/") + file, here.path("two/") + file));

    const Outcome text = gpt({"generate", "-m", here.path("one"), "-n", "5", "--ids", "269"});
    CHECK(text.status == 0);
    const Outcome score = gpt({"score", "--json", "-m", here.path("one"), "-f", here.path("text")});
    CHECK(score.status == 0);
    CHECK(!std::filesystem::exists(here.path("one.checkpoint")));
    CHECK(!std::filesystem::exists(here.path("one.part")));
}

TEST_CASE("Ctrl-C leaves a checkpoint, from which --resume reaches the very same weights") {
    const TextFolder here;
    const std::string many = kSmall + "--steps 300 --ema 0.9 -t 1";
    REQUIRE(here.train("$TRAIN text straight" + many).status == 0);
    const Outcome cut = interrupt_once_written(
        here.path("talk"), here.line("$TRAIN text again" + many + " --report-every 1 2>talk"));
    REQUIRE(cut.status == 130);
    CHECK(File::open(here.path("talk"))
              .text()
              .ends_with("interrupted; the same command with --resume goes on\n"));
    CHECK(!std::filesystem::exists(here.path("again")));
    std::ofstream(here.path("empty"));
    CHECK(refused(here.train("$TRAIN empty again" + many), 1,
                  "again.checkpoint: is there already, of a run that was stopped"));
    CHECK(refused(here.train("$TRAIN text again --resume" + many + " --seed 2"), 1,
                  "again.checkpoint: of a run with "));
    REQUIRE(here.train("$TRAIN text again --resume" + many).status == 0);
    CHECK(same_file(here.path("again/model.safetensors"), here.path("straight/model.safetensors")));
}

TEST_CASE("what cannot be trained is refused in one line, before any work") {
    const TextFolder here;
    std::ofstream(here.path("empty"));
    std::ofstream(here.path("short")) << "to be";
    std::filesystem::create_directory(here.path("taken"));
    CHECK(refused(here.train("$TRAIN empty out"), 1, "empty: empty"));
    CHECK(refused(here.train("$TRAIN short out"), 1, "short: 5 bytes, too short"));
    CHECK(refused(here.train("$TRAIN missing out"), 1, "missing: no such file"));
    CHECK(refused(here.train("$TRAIN text out --context 4096"), 1, "text: "));
    CHECK(refused(here.train("$TRAIN text out --context 8 --vocab 5000"), 1,
                  "a vocabulary of 5000 is larger than the text allows"));
    CHECK(refused(here.train("$TRAIN text taken"), 1, "taken: is there already"));
    for (const std::size_t size : {242, 250})
        CHECK(refused(here.train("$TRAIN text " + std::string(size, 'a')), 1,
                      "a.checkpoint.part: cannot be written: File name too long"));
    CHECK(
        refused(here.train("$TRAIN text /proc/none/out"), 1, "/proc/none/out: cannot be written"));
    CHECK(refused(here.train("$TRAIN text out --resume" + kSmall), 1,
                  "out.checkpoint: no such file"));
    CHECK(refused(here.train("$TRAIN text"), 2, "expected TEXT and OUT"));
    CHECK(refused(here.train("$TRAIN text ''"), 2, "TEXT and OUT are names"));
    CHECK(refused(here.train("$TRAIN text out --heads 3"), 2, "--channels 128 cannot be shared"));
    CHECK(refused(here.train("$TRAIN text out --steps many"), 2, "--steps needs a whole number"));
    CHECK(!std::filesystem::exists(here.path("out")));
}

TEST_CASE("the trainer's help names every option") {
    const Outcome help = shell("$TRAIN --help");
    CHECK(help.status == 0);
    CHECK(help.out.find("--resume") < help.out.size());
    CHECK(help.out.ends_with("\n"));
    CHECK(failed_with(shell("$TRAIN --help > /dev/full"), 1, "standard output cannot be written",
                      "train"));
}

TEST_CASE("a run that diverges is an error, and no model") {
    const TextFolder here;
    const std::string wild = "--lr 1 --clip 1e6 --weight-decay 10 --warmup 0 --ema 0 --steps 60 ";
    std::string small = kSmall;
    small.replace(small.find("--warmup 2 "), 11, wild);
    const Outcome outcome = here.train("$TRAIN text new/out" + small + "-t 1");
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find(": the loss is ") < outcome.err.size());
    CHECK(outcome.err.find("-nan") == outcome.err.npos);
    CHECK(outcome.err.find(", expected a finite number: training diverges with --lr 1\n") <
          outcome.err.size());
    CHECK_FALSE(std::filesystem::exists(here.path("new")));
}
