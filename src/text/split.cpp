#include "text/split.h"
#include "text/unicode.h"

namespace {

// The size of 's, 't, 're, 've, 'm, 'll or 'd at the start of text, 0 where there is none.
std::size_t contraction(std::string_view text) {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
        if (text.starts_with(ending)) return ending.size();
    return 0;
}

struct Run {
    std::size_t size;  // of all its characters
    std::size_t last;  // where the last of them begins
};

// The characters at the start of text that are of one class.
Run run_of(CharClass type, std::string_view text) {
    Run run{0, 0};
    while (run.size < text.size()) {
        const Character c = first_character(text.substr(run.size));
        if (class_of(c) != type) break;
        run.last = run.size;
        run.size += c.size;
    }
    return run;
}

}  // namespace

std::size_t first_word(std::string_view text) {
    if (text.empty()) return 0;
    if (text[0] == '\'')
        if (const std::size_t size = contraction(text)) return size;

    const std::size_t space = text[0] == ' ' && text.size() > 1;
    const CharClass type = class_of(first_character(text.substr(space)));
    if (type != CharClass::space) return space + run_of(type, text.substr(space)).size;

    // Before a word, the last of several white spaces stays for that word.
    const Run run = run_of(CharClass::space, text);
    return run.size == text.size() || run.last == 0 ? run.size : run.last;
}
