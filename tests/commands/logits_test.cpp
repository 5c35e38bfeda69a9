#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include "formats/json.h"
#include "tests/checkpoints.h"
#include "tests/commands/program.h"
#include "tests/commands/table_model.h"

namespace {

std::string bytes_of_file(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

std::string listed(std::span<const int> ids) {
    std::string text;
    for (const int id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

// The .npy file that gpt logits writes.
std::string npy(std::vector<std::string> words) {
    const ScratchFolder folder;
    words.insert(words.begin(), {"logits", "--npy", folder.path("x.npy")});
    const Outcome outcome = gpt(words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    CHECK(outcome.out == "");
    return bytes_of_file(folder.path("x.npy"));
}

// The numbers behind an .npy file's header.
std::vector<float> values_of(const std::string& npy) {
    std::vector<float> values;
    const auto header = std::size_t(load_little_endian<std::uint16_t>(&npy[8]));
    for (std::size_t at = 10 + header; at < npy.size(); at += 4)
        values.push_back(widen(NumberType::f32, &npy[at]));
    return values;
}

}  // namespace

TEST_CASE("--npy holds the logits of every sequence, as the float64 reference has them") {
    for (const std::string& folder : checkpoint_folders()) {
        const Expected expected = read_expected(folder);
        CAPTURE(folder);
        std::vector<std::string> words = {"-m", folder};
        for (int b = 0; b < expected.B; ++b) {
            words.push_back("--ids");
            words.push_back(
                listed(std::span(expected.ids)
                           .subspan(std::size_t(b * expected.T), std::size_t(expected.T))));
        }
        const std::string file = npy(words);
        const std::size_t V = expected.logits.size() / expected.ids.size();
        const std::string shape =
            cat(expected.B > 1 ? cat(expected.B, ", ") : "", expected.T, ", ", V);
        CHECK(file.find("'descr': '<f4'") != std::string::npos);
        CHECK_MESSAGE(file.find("'shape': (" + shape + ")") != std::string::npos,
                      file.substr(0, 128));
        CHECK(relative_error(values_of(file), expected.logits) <= kErrorBound);
    }
}

TEST_CASE("the same bytes for any number of threads, token by token, and in a batch") {
    const std::string text =  // so long that threads are started before its end
        "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n\n"
        "First Citizen:\nYou are all resolved rather to die than to famish?";
    for (const char* dtype : {"auto", "f32", "bf16", "q8", "q4"}) {
        CAPTURE(dtype);
        const std::string whole = npy({"--dtype", dtype, "-t", "1", text});
        for (const char* threads : {"2", "3", "7", "16"})
            CHECK(npy({"--dtype", dtype, "-t", threads, text}) == whole);
        CHECK(npy({"--dtype", dtype, "--step", text}) == whole);
        CHECK(npy({"--dtype", dtype, "--step", "-t", "3", text}) == whole);
        const auto alone = values_of(npy({"--dtype", dtype, "--ids", "4,5,6"}));
        const auto batch = values_of(
            npy({"--dtype", dtype, "--ids", "1,2,3", "--ids", "4,5,6", "--ids", "7,8,9"}));
        CHECK(std::equal(alone.begin(), alone.end(), batch.begin() + std::ptrdiff_t(alone.size())));
    }
}

TEST_CASE("sequences of unequal length fit no single tensor, but a table") {
    const ScratchFolder folder;
    const std::string file = folder.path("x");
    for (const char* option : {"--npy", "--dump"})
        CHECK(failed_with(gpt({"logits", option, file, "--ids", "1,2,3", "--ids", "1,2"}), 2,
                          "one tensor needs sequences of one length, found 3 and 2 tokens"));
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(lines_of(gpt({"logits", "--json", "--ids", "1,2,3", "--ids", "1,2"}).out).size() == 2);
}

TEST_CASE("--dump holds every step of the page under its name") {
    const std::string model = "tests/fixtures/odd-sizes";
    const ScratchFolder folder;
    const Expected expected = read_expected(model);
    std::vector<std::string> words = {"logits", "-m", model, "--dump",
                                      folder.path("x.safetensors")};
    for (int b = 0; b < expected.B; ++b) {
        words.push_back("--ids");
        words.push_back(listed(
            std::span(expected.ids).subspan(std::size_t(b * expected.T), std::size_t(expected.T))));
    }
    REQUIRE(gpt(words).status == 0);
    const SafeTensors found = open_tensors(folder.path(), "x.safetensors");
    const SafeTensors wanted = open_tensors(model, "activations.safetensors");
    for (const SafeTensors::Entry& entry : wanted.entries()) {
        CAPTURE(entry.name);
        REQUIRE(found.find(entry.name));
        CHECK(found.find(entry.name)->shape == entry.shape);
        CHECK(relative_error(numbers(found, entry.name), numbers(wanted, entry.name)) <=
              kErrorBound);
    }
}

TEST_CASE("predictions come likeliest first, with what they stand for") {
    const Outcome outcome = gpt_of_characters({"logits", "--json", "--top", "3", "To"});
    const Json json = parse_json(outcome.out, "gpt logits");
    CHECK(json.find("ids")->array().size() == 2);
    const auto& top = json.find("top")->array();
    REQUIRE(top.size() == 2);
    for (const Json& position : top) {
        const auto& tokens = position.array();
        REQUIRE(tokens.size() == 3);
        CHECK(tokens[0].find("logit")->number() >= tokens[1].find("logit")->number());
        CHECK(tokens[1].find("logprob")->number() >= tokens[2].find("logprob")->number());
        CHECK(tokens[0].find("piece")->string().size() == 1);
    }
    const auto lines = lines_of(gpt_of_characters({"logits", "To be"}).out);
    REQUIRE(lines.size() == 6);
    CHECK(lines[0] == "position  token     next");
    CHECK(lines[3].starts_with("       2  ·      "));
}

TEST_CASE(
    "a sequence beyond the context is refused with both numbers, an empty one starts somewhere") {
    const std::string text(65, 'a');
    CHECK(failed_with(gpt_of_characters({"logits", text}), 1,
                      "a sequence of 65 tokens does not fit the context of 64"));
    CHECK(gpt_of_characters({"logits", text.substr(1)}).status == 0);
    CHECK(gpt_of_characters({"logits", "--json", ""}).out.starts_with("{\"ids\":[0],"));
}

TEST_CASE("files that cannot be written fail by name and leave nothing behind") {
    for (const char* option : {"--npy", "--dump"}) {
        CHECK(failed_with(gpt({"logits", option, "/no/such/folder/x", "a"}), 1,
                          "/no/such/folder/x: cannot be written"));
    }
}

TEST_CASE("logits that are not finite are refused in a table, and shown in a file") {
    const ScratchFolder folder;
    TableModel model = TableModel::of_letters(3);
    model.strength = INFINITY;
    model.write(folder);
    CHECK(failed_with(gpt({"logits", "-m", folder.path(), "ab"}), 1,
                      "the logits at position 0 are not finite"));
    CHECK(values_of(npy({"-m", folder.path(), "ab"})).size() == 6);
}

TEST_CASE("files that cannot both be written, or are none, are refused") {
    const ScratchFolder folder;
    const std::string file = folder.path("x");
    CHECK(failed_with(gpt({"logits", "--npy", file, "--dump", file, "a"}), 2,
                      "--npy and --dump would both write " + file));
    CHECK(failed_with(gpt({"logits", "--npy", file, "--dump", folder.path("./x"), "a"}), 2,
                      "--npy and --dump would both write " + file));
    CHECK(failed_with(gpt({"logits", "--npy", "-", "a"}), 2, "--npy writes a file"));
    CHECK(failed_with(gpt({"attend", "--npy", "-", "a"}), 2, "--npy writes a file"));
    CHECK(failed_with(gpt({"explain", "--json", "-o", file, "a"}), 2, "excludes -o"));
    CHECK(std::filesystem::is_empty(folder.path()));
}
