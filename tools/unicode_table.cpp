// Makes src/text/unicode_table.inc, the Unicode classes that the tokenizer knows, from the files of
// Debian's package unicode-data:
//   build/unicode_table /usr/share/unicode > src/text/unicode_table.inc
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include "base/error.h"

namespace {

using Classes = std::map<unsigned long, std::string>;  // by code point

std::ifstream open(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw Error(cat(path, ": cannot be opened"));
    return in;
}

// UnicodeData.txt has a character a line, "0041;LATIN CAPITAL LETTER A;Lu;...", but only the first
// and the last of a large block: "<CJK Ideograph, First>", "<CJK Ideograph, Last>".
void add_letters_and_numbers(Classes& classes, const std::string& path) {
    std::ifstream in = open(path);
    unsigned long first = 0;
    for (std::string line; std::getline(in, line);) {
        const std::size_t name = line.find(';') + 1, category = line.find(';', name) + 1;
        if (name == 0 || category == 0) throw Error(cat(path, ": no category in '", line, "'"));
        const unsigned long code = std::stoul(line, nullptr, 16);
        const std::string_view text(line);
        if (!text.substr(name, category - name).ends_with(", Last>;")) first = code;
        const char kind = line[category];
        for (; first <= code && (kind == 'L' || kind == 'N'); ++first)
            classes[first] = kind == 'L' ? "letter" : "number";
    }
}

// PropList.txt has a range a line, "0009..000D    ; White_Space # Cc ...".
void add_spaces(Classes& classes, const std::string& path) {
    std::ifstream in = open(path);
    for (std::string line; std::getline(in, line);) {
        if (line.find("; White_Space") == std::string::npos) continue;
        std::size_t end = 0;
        const unsigned long first = std::stoul(line, &end, 16);
        const bool range = line.compare(end, 2, "..") == 0;
        const unsigned long last = range ? std::stoul(line.substr(end + 2), nullptr, 16) : first;
        for (unsigned long code = first; code <= last; ++code)
            if (!classes.emplace(code, "space").second)
                throw Error(cat(path, ": code point ", code, " is a letter or a number as well"));
    }
}

// PropList.txt begins "# PropList-15.0.0.txt".
std::string version(const std::string& path) {
    std::string line;
    std::getline(open(path), line);
    const std::size_t first = line.find('-') + 1, last = line.rfind(".txt");
    if (first == 0 || last == std::string::npos || last < first)
        throw Error(cat(path, ": no Unicode version in '", line, "'"));
    return line.substr(first, last - first);
}

void print(const Classes& classes, const std::string& version) {
    std::printf("// Letters (\\p{L}), numbers (\\p{N}) and white space, sorted.\n");
    std::printf("// Made by tools/unicode_table.cpp.\n");
    std::printf("constexpr const char* kVersion = \"%s\";\n", version.c_str());
    std::printf("constexpr Range kRanges[] = {");
    int column = 0;
    for (auto i = classes.begin(); i != classes.end(); ++column) {
        const auto [first, kind] = *i;
        unsigned long last = first;
        while (++i != classes.end() && i->first == last + 1 && i->second == kind) ++last;
        std::printf("%s{0x%05lx, 0x%05lx, %s},", column % 3 ? " " : "\n    ", first, last,
                    kind.c_str());
    }
    std::printf("\n};\n");
    if (std::fflush(stdout) != 0) throw Error("the table cannot be written");
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) throw Error("usage: unicode_table FOLDER (with UnicodeData.txt, PropList.txt)");
    const std::string folder = cat(argv[1], "/");
    Classes classes;
    add_letters_and_numbers(classes, folder + "UnicodeData.txt");
    add_spaces(classes, folder + "PropList.txt");
    print(classes, version(folder + "PropList.txt"));
} catch (const std::exception& e) {
    std::fprintf(stderr, "unicode_table: %s\n", e.what());
    return 1;
}
