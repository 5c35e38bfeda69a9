// Tokenizers that others made, from the reference data.
#include <doctest/doctest.h>
#include "base/error.h"
#include "formats/json.h"
#include "model/tokenizer_files.h"
#include "tests/support.h"
#include "text/unicode.h"

namespace {

using Ids = std::vector<int>;
using Special = Tokenizer::Special;

}  // namespace

TEST_CASE("GPT-2's own files give the ids that an independent tokenizer gives") {
    const auto folder = shared("gpt2");
    if (!folder) return skip("GPT-2's tokenizer on ../shared/gpt2/tokenizer_cases.jsonl");
    const auto tokenizer = load_tokenizer(Folder::at(*folder));
    REQUIRE(tokenizer->size() == 50257);
    const File cases = File::open(*folder + "/tokenizer_cases.jsonl");
    int count = 0;
    for (std::string_view rest = cases.text(); !rest.empty(); ++count) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        const Json json = parse_json(line, "a case");
        const std::string& text = json.find("text")->string();
        Ids wanted;
        for (const Json& id : json.find("ids")->array()) wanted.push_back(int(id.number()));
        if (tokenizer->encode(text, Special::as_text) != wanted) FAIL_CHECK(in_quotes(text));
        if (tokenizer->decode(wanted) != text) FAIL_CHECK(in_quotes(text));
    }
    CHECK(count == 495);
}

TEST_CASE("GPT-2's tokenizer does not fall into the known traps") {
    const auto folder = shared("gpt2");
    if (!folder) return skip("GPT-2's tokenizer on the known traps");
    const auto tokenizer = load_tokenizer(Folder::at(*folder));
    const std::pair<const char*, Ids> cases[] = {
        {"unhappiness", {403, 71, 42661}},
        {"naïve façade", {2616, 38776, 24685, 16175, 671}},
        {"ok 🎈 sky 🚲", {482, 12520, 236, 230, 6766, 12520, 248, 110}},
        {"!", {0}},
        {"We'll DON'T can't I'VE he'd",
         {1135, 1183, 23917, 6, 51, 460, 470, 314, 6, 6089, 339, 1549}},
        {"a ", {64, 220}},
        {"a  ", {64, 220, 220}},
        {"a   b", {64, 220, 220, 275}},
        {"  a", {220, 257}},
        {"no , yes . ok !", {3919, 837, 3763, 764, 12876, 5145}},
        {"a <|endoftext|> b", {64, 220, 50256, 275}},
        {"Ⅳ½²", {158, 227, 96, 23141, 31185}}};
    for (const auto& [text, ids] : cases) {
        CHECK(tokenizer->encode(text) == ids);
        CHECK(tokenizer->decode(ids) == text);
    }
    CHECK(tokenizer->encode("a <|endoftext|> b", Special::as_text) ==
          Ids{64, 1279, 91, 437, 1659, 5239, 91, 29, 275});
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text(1, char(byte));
        const Ids ids = tokenizer->encode(text);
        CHECK(ids.size() == 1);
        CHECK(tokenizer->decode(ids) == text);
    }
    const std::string broken = "a\xff\xfe \xc3(\xe2\x82";
    CHECK(tokenizer->decode(tokenizer->encode(broken)) == broken);
    Utf8Stream stream;
    CHECK(stream.append(tokenizer->piece(165)) == "");
    CHECK(stream.append(tokenizer->piece(250)) == "");
    CHECK(stream.append(tokenizer->piece(229)) == "震");
    CHECK(tokenizer->encode(std::string(1000000, 'A')).size() == 125000);
    CHECK(tokenizer->encode(std::string(100000, '\n')).size() == 50000);
    CHECK(tokenizer->encode(std::string(100000, 'a')).size() == 25000);
}

TEST_CASE("models made by others have the tokenizers that their makers gave them") {
    const auto folder = shared("real");
    if (!folder) return skip("the tokenizers of ../shared/real");
    const auto tokenizer = [&](const char* name) {
        return load_tokenizer(Folder::at(*folder + "/" + name));
    };
    const auto words = tokenizer("gpt-by-hand-nanogpt");
    CHECK(words->encode("to be or not ") == Ids{28, 0, 5, 0, 23, 0, 21, 0});
    CHECK(words->encode("learning a") == Ids{15, 0, 1});
    CHECK_THROWS_AS(words->encode("to err"), Error);
    const auto tiny = tokenizer("lm-buddy-tiny-gpt2-untrained");
    CHECK(tiny->encode(" lower<unk> low<|endoftext|>") == Ids{14, 15, 19, 14, 20});
    const auto characters = tokenizer("shakespeare-char");
    CHECK(characters->encode("To be\n") == Ids{32, 53, 1, 40, 43, 0});
    CHECK_THROWS_AS(characters->encode("café"), Error);
    CHECK(!tokenizer("ort-genai-tiny-random-gpt2"));
}
