#include "model/tokenizer_files.h"
#include <doctest/doctest.h>
#include <map>
#include "base/error.h"
#include "tests/support.h"
#include "text/unicode.h"

namespace {

using Ids = std::vector<int>;
using Special = Tokenizer::Special;

using Files = std::map<std::string, std::string>;  // texts by name

Files with(Files files, const std::string& name, const std::string& text) {
    files[name] = text;
    return files;
}

std::optional<Tokenizer> load(const Files& files) {
    std::vector<File> views;
    for (const auto& [name, text] : files)
        views.push_back(File::view(name, std::as_bytes(std::span(text))));
    return load_tokenizer(Folder("m", std::move(views)));
}

std::string refusal(const Files& files) {
    try {
        load(files);
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

const Files kPlain = {
    {"vocab.json", R"({"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġab": 4, "#": 5, "##": 6, "<": 7, ">": 8,
                       "x": 9, "y": 10, "Ã": 11, "©": 12, "|": 13, "<|endoftext|>": 14})"},
    {"merges.txt", "#version: 0.2\na b\nĠ ab\n# #\n"}};

// The parts of a tokenizer.json, each to be changed.
struct TokenizerJson {
    std::string added = R"([{"id": 14, "content": "<|endoftext|>", "special": true,
        "single_word": false, "lstrip": false, "rstrip": false, "normalized": true}])";
    std::string normalizer = "null";
    std::string pre_tokenizer =
        R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true})";
    std::string post_processor = R"({"type": "ByteLevel", "add_prefix_space": true})";
    std::string options = R"("type": "BPE", "dropout": null, "continuing_subword_prefix": "")";
    std::string merges = R"(["a b", "Ġ ab", "# #"])";

    Files files() const {
        return {{"tokenizer.json",
                 cat(R"({"added_tokens": )", added, R"(, "normalizer": )", normalizer,
                     R"(, "pre_tokenizer": )", pre_tokenizer, R"(, "post_processor": )",
                     post_processor, R"(, "model": {)", options, R"(, "vocab": )",
                     kPlain.at("vocab.json"), R"(, "merges": )", merges, "}}")}};
    }
};

void check_ids(const std::optional<Tokenizer>& tokenizer) {
    REQUIRE(tokenizer);
    CHECK(tokenizer->size() == 15);
    CHECK(tokenizer->encode("ab ab###a\xc3\xa9") == Ids{3, 4, 6, 5, 0, 11, 12});
    CHECK(tokenizer->encode("a<|endoftext|>") == Ids{0, 14});
    CHECK(tokenizer->decode(Ids{3, 4, 14}) == "ab ab<|endoftext|>");
}

}  // namespace

TEST_CASE("a folder without tokenizer files has no tokenizer") {
    CHECK(!load({}));
    CHECK(!load({{"config.json", "{}"}, {"merges.txt", ""}}));
}

TEST_CASE("merges.txt is read with or without version, carriage returns and last newline") {
    for (const char* merges : {"#version: 0.2\na b\nĠ ab\n# #\n", "a b\nĠ ab\n# #\n",
                               "a b\nĠ ab\n# #", "#version: 0.2\r\na b\r\nĠ ab\r\n# #\r\n",
                               "a b\r\nĠ ab\r\n# #\r\n\r\n", "# #\na b\nĠ ab\n"})
        check_ids(load(with(kPlain, "merges.txt", merges)));
}

TEST_CASE("a bad line of merges.txt is refused with its number") {
    for (const auto& [merges, message] :
         {std::pair("a b\nab\n",
                    "line 2: a merge is two pieces and a space between them, not 'ab'"),
          {"a b\n#version: 0.2 x\n",
           "line 2: a merge is two pieces and a space between them, not '#version: 0.2 x'"},
          {"a b\n\u3000 a\n", "line 2: '\u3000' (U+3000) stands for no byte in GPT-2's alphabet"},
          {"\ufeff#version: 0.2\na b\n",
           "line 1: U+FEFF (a byte order mark) stands for no byte in GPT-2's alphabet"}})
        CHECK(refusal(with(kPlain, "merges.txt", merges)) == cat("m/merges.txt: ", message));
    CHECK(refusal(with(kPlain, "merges.txt", "a x\n")) ==
          "m/vocab.json: merge 0 needs the piece 'ax', which is not in the vocabulary");
}

TEST_CASE("missing merges are an error where the vocabulary needs them") {
    const char* const message =
        "m/vocab.json: there are no merges, and without them no text becomes the piece 'ab' (id 3)";
    CHECK(refusal(with(kPlain, "merges.txt", "#version: 0.2\n")) == message);
    CHECK(refusal({{"vocab.json", kPlain.at("vocab.json")}}) == message);
    const auto characters = load({{"vocab.json", R"({"a": 0, "Ċ": 1, "Ã©": 2})"}});
    CHECK(characters->encode("éa\n") == Ids{2, 0, 1});
}

TEST_CASE("tokenizer.json is read with its merges as strings or as pairs, and wins") {
    TokenizerJson json;
    check_ids(load(json.files()));
    check_ids(load(with(with(json.files(), "vocab.json", "{}"), "merges.txt", "?")));
    json.merges = R"([["a", "b"], ["Ġ", "ab"], ["#", "#"]])";
    check_ids(load(json.files()));
    json.options = R"("dropout": null)";
    json.post_processor = "null";
    json.pre_tokenizer = R"({"type": "ByteLevel", "use_regex": true})";
    check_ids(load(json.files()));
    json.merges = R"(["a b", ["a", "b", "x"]])";
    CHECK(refusal(json.files()) ==
          "m/tokenizer.json: model: merges: entry 1: a merge is two pieces, not 3");
    json.merges = "[]";
    CHECK(refusal(json.files()).starts_with("m/tokenizer.json: there are no merges"));
}

TEST_CASE("what makes other ids than GPT-2's tokenizer is refused by name") {
    const auto refused = [](std::string TokenizerJson::*part, const char* value) {
        TokenizerJson json;
        json.*part = value;
        const std::string message = refusal(json.files());
        REQUIRE(message.starts_with("m/tokenizer.json: "));
        return message.substr(18);
    };
    using J = TokenizerJson;
    CHECK(refused(&J::normalizer, R"({"type": "NFC"})") ==
          "normalizer is set, and is not supported");
    CHECK(refused(&J::pre_tokenizer, R"({"type": "Whitespace"})") ==
          "pre_tokenizer: type 'Whitespace' is not supported; GPT-2's is 'ByteLevel'");
    CHECK(refused(&J::pre_tokenizer, R"({"type": "ByteLevel", "add_prefix_space": true})") ==
          "pre_tokenizer: add_prefix_space is set, and is not supported");
    CHECK(refused(&J::pre_tokenizer, R"({"type": "ByteLevel", "use_regex": false})") ==
          "pre_tokenizer: use_regex is false, which is not supported");
    CHECK(refused(&J::pre_tokenizer, "null") == "pre_tokenizer: expected an object, found null");
    CHECK(refused(&J::merges, "null") == "model: merges: expected an array, found null");
    CHECK(refused(&J::post_processor, R"({"type": "TemplateProcessing"})") ==
          "post_processor: type 'TemplateProcessing' is not supported; GPT-2's is 'ByteLevel'");
    CHECK(refused(&J::post_processor, R"(null, "decoder": {"type": "WordPiece"})") ==
          "decoder: type 'WordPiece' is not supported; GPT-2's is 'ByteLevel'");
    CHECK(refused(&J::options, R"("type": "WordPiece")") ==
          "model: type 'WordPiece' is not supported; GPT-2's is 'BPE'");
    for (const std::string setting :
         {R"("dropout": 0.1)", R"("byte_fallback": true)", R"("ignore_merges": true)",
          R"("continuing_subword_prefix": "##")", R"("end_of_word_suffix": "</w>")"})
        CHECK(refused(&J::options, setting.c_str()) ==
              "model: " + setting.substr(1, setting.find(':') - 2) +
                  " is set, and is not supported");
    CHECK(refused(&J::added, R"([{"content": "<x>"}])") == "added_tokens: entry 0: no id");
    CHECK(refused(&J::added, R"([{"id": 15, "content": "<y>"}, {"id": -1, "content": "<x>"}])") ==
          "added_tokens: entry 1: id: expected a whole number from 0 to 2147483647, found -1");
    CHECK(refusal(with(kPlain, "added_tokens.json", R"({"<x>": -1})")) ==
          "m/added_tokens.json: '<x>': expected a whole number from 0 to 2147483647, found -1");
    CHECK(
        refusal(with(kPlain, "tokenizer_config.json", R"({"added_tokens_decoder": {"4": {}}})")) ==
        "m/tokenizer_config.json: added_tokens_decoder: '4': no content");
    CHECK(refusal(with(kPlain, "special_tokens_map.json", R"({"bos_token": {}})")) ==
          "m/special_tokens_map.json: bos_token: no content");
    CHECK(refusal(with(kPlain, "special_tokens_map.json",
                       R"({"additional_special_tokens": ["<x>", {}]})")) ==
          "m/special_tokens_map.json: additional_special_tokens: entry 1: no content");
    CHECK(refused(&J::added, R"([{"id": 3, "content": "<x>"}])") ==
          "id 3 is the added token '<x>' and the piece 'ab'");
    CHECK(refusal({{"tokenizer.json", R"({"pre_tokenizer": {"type": "ByteLevel"}})"}}) ==
          "m/tokenizer.json: no model");
    for (const std::string name : {"add_prefix_space", "add_bos_token"})
        CHECK(refusal(with(kPlain, "tokenizer_config.json", "{\"" + name + "\": true}")) ==
              "m/tokenizer_config.json: " + name + " is set, and is not supported");
}

TEST_CASE("vocab.json and merges.txt of another class of tokenizer are refused") {
    const auto of_class = [](const std::string& name) {
        return with(kPlain, "tokenizer_config.json", R"({"tokenizer_class": )" + name + "}");
    };
    for (const char* name : {"null", R"("GPT2Tokenizer")", R"("GPT2TokenizerFast")"})
        check_ids(load(of_class(name)));
    CHECK(refusal(of_class(R"("RobertaTokenizer")")) ==
          "m/tokenizer_config.json: tokenizer_class 'RobertaTokenizer' is not supported; GPT-2's "
          "is 'GPT2Tokenizer'");
    CHECK(refusal(of_class("1")) ==
          "m/tokenizer_config.json: tokenizer_class: expected a string, found a number");
}

TEST_CASE("whether a token is normalized is read, and else follows from whether it is special") {
    for (const auto& [more, ids] :
         std::initializer_list<std::pair<const char*, Ids>>{{R"("normalized": false)", {16}},
                                                            {R"("normalized": true)", {0, 15}},
                                                            {R"("special": true)", {16}},
                                                            {R"("special": false)", {0, 15}}}) {
        TokenizerJson json;
        json.added = cat(R"([{"id": 15, "content": "<x>", "normalized": false},
                             {"id": 16, "content": "a<x>", )",
                         more, "}]");
        CHECK(load(json.files())->encode("a<x>") == ids);
    }
}

TEST_CASE("added tokens are found first, the longest of them, from whichever file") {
    TokenizerJson json;
    json.added = R"([{"id": 15, "content": "<x>", "special": true},
                     {"id": 16, "content": "<xy>", "special": false}])";
    const Files plain =
        with(kPlain, "special_tokens_map.json", R"({"bos_token": {"content": "<x>"}})");
    const char* const decoder = R"({"add_bos_token": false, "added_tokens_decoder": {
        "15": {"content": "<x>", "special": true}, "16": {"content": "<xy>", "special": false}}})";
    for (const Files& files : {json.files(), with(plain, "tokenizer_config.json", decoder),
                               with(plain, "added_tokens.json", R"({"<x>": 15, "<xy>": 16})")}) {
        const auto tokenizer = load(files);
        CHECK(tokenizer->size() == 17);
        CHECK(tokenizer->encode("a<xy>b<x>") == Ids{0, 16, 1, 15});
        CHECK(tokenizer->encode("<xy><x>", Special::as_text) == Ids{16, 7, 9, 8});
        CHECK(tokenizer->encode("<|endoftext|>") == Ids{14});
    }
}

TEST_CASE("tokenizer.json gets the tokens that only added_tokens_decoder has") {
    const auto beside = [](const std::string& decoder) {
        return with(TokenizerJson().files(), "tokenizer_config.json",
                    R"({"added_tokens_decoder": )" + decoder + "}");
    };
    const auto tokenizer =
        load(beside(R"({"15": {"content": "<x>", "special": true}, "3": {"content": "ab"}})"));
    CHECK(tokenizer->size() == 16);
    CHECK(tokenizer->encode("a<x> ab") == Ids{0, 15, 2, 3});
    CHECK(tokenizer->encode("<x>", Special::as_text) == Ids{7, 9, 8});
    CHECK(refusal(beside(R"({"15": {"content": "<x>", "lstrip": true}})")) ==
          "m/tokenizer_config.json: added_tokens_decoder: '15': '<x>': lstrip is set, and is not "
          "supported");
    CHECK(refusal(beside(R"({"3": {"content": "<x>"}})")) ==
          "m/tokenizer.json: id 3 is the added token '<x>' and the piece 'ab'");
}

TEST_CASE("of a token that added_tokens_decoder has too, what tokenizer.json says counts") {
    TokenizerJson json;
    json.added = R"([{"id": 15, "content": "<x>", "normalized": false},
                     {"id": 16, "content": "a<x>", "normalized": false}])";
    const auto beside = [&](const std::string& token) {
        return with(json.files(), "tokenizer_config.json",
                    R"({"added_tokens_decoder": {)" + token + "}}");
    };
    const auto tokenizer = load(beside(R"("16": {"content": "a<x>", "normalized": true})"));
    CHECK(tokenizer->encode("a<x>") == Ids{16});
    CHECK(refusal(beside(R"("17": {"content": "a<x>"})")) ==
          "m/tokenizer.json: added_tokens: entry 1: 'a<x>' has two ids, 17 and 16");
}

TEST_CASE("special tokens that vocab.json holds are known by the names other files give them") {
    const Files files = {{"vocab.json", R"({"a": 0, "<s>": 1, "</s>": 2, "<pad>": 3})"}};
    CHECK(refusal(files).find("the piece '<s>'") != std::string::npos);
    for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
        const auto tokenizer =
            load(with(files, name,
                      R"({"bos_token": "<s>", "pad_token": {"content": "<pad>"}, "unk_token": null,
                      "mask_token": "<none>", "additional_special_tokens": ["</s>"]})"));
        CHECK(tokenizer->encode("<s>a</s><pad>") == Ids{1, 0, 2, 3});
        CHECK_THROWS_AS(tokenizer->encode("<s>", Special::as_text), Error);
        CHECK(!tokenizer->find("<none>"));
    }
}

TEST_CASE("vocab.json that is broken is refused by name") {
    for (const auto& [vocab, message] :
         {std::pair(R"({"a": 0, "b c": 1})", "'b c': ' ' stands for no byte in GPT-2's alphabet"),
          {R"({"a": 0, "b": 0})", "'b': id 0 is both 'a' and 'b'"},
          {R"({"a": "0"})", "'a': 'a' is not a token id"},
          {R"([])", "expected an object, found an array"}})
        CHECK(refusal({{"vocab.json", vocab}}) == cat("m/vocab.json: ", message));
    CHECK(refusal({{"vocab.json", "{\"a\": 0"}}).starts_with("m/vocab.json"));
}
