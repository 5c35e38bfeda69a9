#include "model/tokenizer_writer.h"
#include <doctest/doctest.h>
#include "model/tokenizer_files.h"
#include "tests/model_folder.h"

namespace {

// The vocabulary after it was written and read.
std::optional<Tokenizer> written(const Vocabulary& vocabulary) {
    ScratchFolder scratch;
    for (const auto& [name, content] : tokenizer_files(vocabulary))
        write_text(scratch.path(name), content);
    return load_tokenizer(Folder::at(scratch.path()));
}

std::vector<std::string> all_bytes() {
    std::vector<std::string> pieces;
    for (int byte = 0; byte < 256; ++byte) pieces.emplace_back(1, char(byte));
    return pieces;
}

}  // namespace

TEST_CASE("bytes, merges and added tokens read back as they were") {
    Vocabulary vocabulary{all_bytes(), {{"a", "b"}, {" ", "ab"}}, {}};
    for (const char* piece : {"ab", " ab", "<x y>", "é", "<|endoftext|>"})
        vocabulary.pieces.push_back(piece);
    vocabulary.pieces[259] = "";  // a gap
    vocabulary.added = {{"<x y>", 258, false}, {"<|endoftext|>", 260, true}};
    const auto tokenizer = written(vocabulary);
    REQUIRE(tokenizer);
    CHECK(tokenizer->encode(" ab<x y>ab<|endoftext|>") == std::vector{257, 258, 256, 260});
    CHECK(tokenizer->piece(259).empty());
    for (int id = 0; id < 258; ++id)
        CHECK(tokenizer->piece(id) == vocabulary.pieces[std::size_t(id)]);
}

TEST_CASE("characters without merges need none") {
    const Vocabulary vocabulary{{"a", "é", "\"", "\n"}, {}, {}};
    CHECK_FALSE(lacks_merges(vocabulary));
    CHECK(written(vocabulary)->encode("é\"a\n") == std::vector{1, 2, 0, 3});
}

TEST_CASE("pieces that lack their merges are written as plain text, if they are text") {
    const Vocabulary vocabulary{{"a", " the", "\\"}, {}, {}};
    CHECK(lacks_merges(vocabulary));
    CHECK(written(vocabulary)->decode(std::vector{1, 2, 0}) == " the\\a");
    CHECK(tokenizer_files({{"a", "\xffz"}, {}, {}}).empty());
    const auto ending = written({{"a", " the", ""}, {}, {{"<|endoftext|>", 2, true}}});
    CHECK(ending->encode("a<|endoftext|> the") == std::vector{0, 2, 1});
}
