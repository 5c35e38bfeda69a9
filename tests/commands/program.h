// Runs the program of this build as a user does, and keeps what it wrote to each stream.
#pragma once
#include <string>
#include <string_view>
#include <vector>

struct Outcome {
    int status;  // as a shell tells it: 128 + n where signal n ended it
    std::string out, err;
};

// $RUN: the program that this one runs under, such as qemu-s390x or valgrind; empty for none.
std::string runner();
// gpt WORDS, with `input` on standard input.
Outcome gpt(const std::vector<std::string>& words, std::string_view input = "");
// The same with the model in weights/ that has a token for each of 65 characters, a context of 64,
// and no end-of-text token.
Outcome gpt_of_characters(std::vector<std::string> words, std::string_view input = "");
// A line for the shell, in which $GPT is the program, $TRAIN and $CONVERT are the tools.
Outcome shell(const std::string& line);
// A line for the shell, sent Ctrl-C as soon as there is something in the file that it writes to.
Outcome interrupt_once_written(const std::string& file, const std::string& line);
// gpt WORDS in a terminal of its own, which shows both streams: all of it in `out`.
Outcome gpt_in_terminal(const std::vector<std::string>& words);

// Whether it failed as it should: that status, nothing on stdout, and one line on stderr that
// starts with the program's name and holds the words.
bool failed_with(const Outcome& outcome, int status, std::string_view words,
                 std::string_view name = "gpt");

std::vector<std::string> lines_of(std::string_view text);
