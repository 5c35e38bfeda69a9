// gpt COMMAND [OPTIONS] [TEXT]: finds the command and runs it. Errors become one line on stderr and
// an exit status: 1 failed, 2 misused.
#include <algorithm>
#include <csignal>
#include <new>
#include "base/buffer.h"
#include "base/nearest.h"
#include "base/signals.h"
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "commands/version.h"

namespace {

struct Command {
    std::string_view name, summary;
    int (*run)(Session&);
};

constexpr Command kCommands[] = {
    {"generate", "continue a text", commands::generate},
    {"score", "how likely the model finds each token of a text", commands::score},
    {"logits", "what the model predicts at every position", commands::logits},
    {"tokenize", "a text as token ids, and back", commands::tokenize},
    {"trace", "every step of the forward pass, with its shape", commands::trace},
    {"mix", "four ways to make the matrix that mixes positions", commands::mix},
    {"attend", "who reads whom, per layer and head", commands::attend},
    {"check", "what the program claims, proved on a model", commands::check},
    {"info", "architecture, parameters, memory and tokenizer of a model", commands::info},
    {"explain", "a page that walks through what the model does with a text", commands::explain},
    {"lens", "what the model would say if it stopped after each layer", commands::lens},
    {"bench", "tokens per second, beside what the machine can do", commands::bench},
};

std::string usage() {
    std::string text = "usage: gpt COMMAND [OPTIONS] [TEXT]\n\n";
    for (const Command& c : kCommands) text += cat("  ", fit(c.name, 10), c.summary, "\n");
    return text +
           "\n"
           "  help COMMAND, or COMMAND --help, tells more; --version, how it was built\n"
           "\n"
           "example: gpt generate \"ROMEO:\"\n";
}

const Command& find_command(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Command& c : kCommands) {
        if (name == c.name) return c;
        names.push_back(c.name);
    }
    throw UsageError(cat("unknown command '", name, "'", did_you_mean(name, names)));
}

void check_alone(const std::vector<std::string>& words, std::size_t most) {
    if (words.size() > most)
        throw UsageError(
            cat(words[0], " takes no more words, found '", cut(on_one_line(words[most]), 40), "'"));
}

int run(std::vector<std::string> words) {
    if (words.empty()) {
        note(usage());
        return 2;
    }
    if (words[0] == "--version") {
        check_alone(words, 1);
        print(version());
        return 0;
    }
    if (words[0] == "help" && words.size() > 1) {
        check_alone(words, 2);
        words.erase(words.begin());
        if (words[0] != "help") words.push_back("--help");
    }
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        check_alone(words, 1);
        print("GPT-2, exact and readable\n\n" + usage());
        return 0;
    }
    const Command& command = find_command(words[0]);
    words.erase(words.begin());
    Session session(command.name, command.summary, std::move(words));
    const int status = command.run(session);
    session.check_files();
    return status;
}

int fail(int status, std::string_view message, std::string_view hint = "") {
    std::fflush(stdout);  // what there is comes before the word on what is not
    note(error_line("gpt", message, hint));
    return status;
}

// Where to read on after a mistake: the command's own help, where there is such a command.
std::string hint(const std::string& command) {
    const bool known = std::any_of(std::begin(kCommands), std::end(kCommands),
                                   [&](const Command& c) { return c.name == command; });
    return cat(" (see gpt ", known ? command + " " : "", "--help)");
}

}  // namespace

int main(int argc, char** argv) {
#if defined(SIGPIPE)
    // A reader who has seen enough ends this program quietly, as it does any other.
    std::signal(SIGPIPE, SIG_DFL);
#endif
    begin_heap();
    catch_signals("gpt");
    const std::vector<std::string> words = begin(argc, argv);
    try {
        const int status = run(words);
        flush();
        return status;
    } catch (const UsageError& e) {
        return fail(2, e.what(), hint(words.empty() ? "" : words[0]));
    } catch (const std::bad_alloc&) {
        return fail(1, "out of memory");
    } catch (const std::exception& e) {
        return fail(1, e.what());
    }
}
