// Turns bytes that come in pieces, such as tokens, into text that is never cut inside a character.
#pragma once
#include <string>
#include <string_view>

class Utf8Stream {
public:
    // The characters that are now whole. Bytes that can never become valid UTF-8 pass at once.
    std::string append(std::string_view bytes);
    // What is left, unchanged, and nothing afterwards.
    std::string finish();

private:
    std::string pending_;  // the start of one character
};
