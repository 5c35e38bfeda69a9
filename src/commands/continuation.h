// One text as it grows: where it ends, why, and how it is told.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "commands/input.h"
#include "text/stop_strings.h"
#include "text/utf8_stream.h"

class Continuation {
public:
    enum class End { none, length, end_of_text, stop_string, interrupted };
    static constexpr std::array kEndNames = {"", "length", "end-of-text", "stop-string",
                                             "interrupted"};

    Continuation(Ids prompt_ids, std::uint64_t its_seed,
                 const std::vector<std::string>& stop_strings)
        : prompt(std::move(prompt_ids)), seed(its_seed), stop_(stop_strings) {}

    // Takes the next token with the bytes it stands for. Returns the text that is now certain: no
    // part of a character or of what may be a stop string.
    std::string append(int id, std::string_view piece);
    // Ends it, where no stop string has yet, and returns the text that was still held back.
    std::string finish(End why);

    // {"prompt_ids":[…],"ids":[…],"text":"…","stop":"…","seed":n}; text is null without a
    // tokenizer.
    std::string json(bool has_text) const;

    const Ids prompt;
    const std::uint64_t seed;
    Ids ids;           // every token made, also those that end the text
    std::string text;  // what has been returned so far
    End end = End::none;

private:
    StopStrings stop_;
    Utf8Stream characters_;
};
