#include "tests/commands/program.h"
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include "base/error.h"

namespace {

using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TemporaryFile temporary_file() {
    return {std::tmpfile(), [](std::FILE* f) { return std::fclose(f); }};
}

std::string contents(std::FILE* file) {
    std::string text;
    std::rewind(file);
    std::array<char, 65536> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file))
        text.append(buffer.data(), count);
    return text;
}

// Starts the words with these standard streams; never returns in the child.
pid_t start(std::vector<std::string> words, int in, int out, int err) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::dup2(in, 0);
    ::dup2(out, 1);
    ::dup2(err, 2);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
}

int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Outcome run(std::vector<std::string> words, std::string_view input) {
    const TemporaryFile in = temporary_file(), out = temporary_file(), err = temporary_file();
    std::fwrite(input.data(), 1, input.size(), in.get());
    std::rewind(in.get());
    const pid_t child =
        start(std::move(words), ::fileno(in.get()), ::fileno(out.get()), ::fileno(err.get()));
    const int status = wait_for(child);
    return {status, contents(out.get()), contents(err.get())};
}

std::vector<std::string> program_and(const std::vector<std::string>& words) {
    std::vector<std::string> all = {BUILD "/gpt"};
    if (!runner().empty()) all.insert(all.begin(), runner());
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

}  // namespace

std::string runner() {
    const char* name = std::getenv("RUN");
    return name ? name : "";
}

Outcome gpt(const std::vector<std::string>& words, std::string_view input) {
    return run(program_and(words), input);
}

Outcome gpt_of_characters(std::vector<std::string> words, std::string_view input) {
    words.insert(words.begin() + 1, {"-m", "weights/shakespeare-char"});
    return gpt(words, input);
}

Outcome shell(const std::string& line) {
    std::string programs;
    for (const auto& [name, program] :
         {std::pair("GPT", "gpt"), std::pair("TRAIN", "train"), std::pair("CONVERT", "convert")})
        programs += cat(name, "='", runner(), " " BUILD "/", program, "'; ");
    return run({"sh", "-c", programs + line}, "");
}

Outcome interrupt_once_written(const std::string& file, const std::string& line) {
    return shell("(" + line + ") & while kill -0 $! && ! [ -s " + file +
                 " ]; do sleep 0.02; done; kill -INT $!; wait $!");
}

Outcome gpt_in_terminal(const std::vector<std::string>& words) {
    const int ours = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(ours >= 0);
    REQUIRE(::grantpt(ours) == 0);
    REQUIRE(::unlockpt(ours) == 0);
    const int its = ::open(::ptsname(ours), O_RDWR | O_NOCTTY);
    const pid_t child = start(program_and(words), its, its, its);
    ::close(its);
    std::string shown;
    std::array<char, 4096> buffer;
    for (ssize_t count; (count = ::read(ours, buffer.data(), buffer.size())) > 0;)
        shown.append(buffer.data(), std::size_t(count));
    ::close(ours);
    const int status = wait_for(child);
    return {status, shown, ""};
}

bool failed_with(const Outcome& outcome, int status, std::string_view words,
                 std::string_view name) {
    const bool failed = outcome.status == status && outcome.out.empty() &&
                        lines_of(outcome.err).size() == 1 &&
                        outcome.err.starts_with(std::string(name) + ": ") &&
                        outcome.err.ends_with('\n') && outcome.err.find(words) < outcome.err.size();
    if (!failed)
        MESSAGE("status " << outcome.status << ", stdout '" << outcome.out << "', stderr '"
                          << outcome.err << "'");
    return failed;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}
