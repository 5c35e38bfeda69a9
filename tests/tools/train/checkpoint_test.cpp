#include "tools/train/checkpoint.h"
#include <doctest/doctest.h>
#include "base/error.h"
#include "base/file.h"
#include "tests/support.h"

namespace {

Checkpoint some_checkpoint() {
    Checkpoint c{"--lr 1",
                 0x123456789abcdef0,
                 17,
                 2.5,
                 {{10, 3, 4, 5}, {20, 1, 2, 3}},
                 OptimiserState({1, 2, 3})};
    c.state.mean = {4, 5, 6};
    c.state.square = {7, 8, 9};
    c.state.average = {10, 11, 12};
    return c;
}

}  // namespace

TEST_CASE("a checkpoint comes back whole") {
    const ScratchFolder folder;
    const Checkpoint c = some_checkpoint();
    write_checkpoint(folder.path("c"), c);
    const Checkpoint read = read_checkpoint(folder.path("c"), 3);
    CHECK(read.settings == c.settings);
    CHECK(read.text_hash == c.text_hash);
    CHECK(read.steps_done == 17);
    CHECK(read.running_loss == 2.5);
    REQUIRE(read.curve.size() == 2);
    CHECK(read.curve[1].step == 20);
    CHECK(read.curve[1].bits_per_byte == 3);
    CHECK(read.state.parameters == c.state.parameters);
    CHECK(read.state.mean == c.state.mean);
    CHECK(read.state.square == c.state.square);
    CHECK(read.state.average == c.state.average);
}

TEST_CASE("a checkpoint cut or changed anywhere, too long or of another model is refused") {
    const ScratchFolder folder;
    write_checkpoint(folder.path("c"), some_checkpoint());
    const std::string whole(File::open(folder.path("c")).text());
    const auto rewrite = [&](const std::string& bytes) {
        write_file(folder.path("c"),
                   [&](const Append& append) { append(std::as_bytes(std::span(bytes))); });
    };
    for (std::size_t size = 0; size < whole.size(); ++size) {
        rewrite(whole.substr(0, size));
        CHECK_THROWS_AS(read_checkpoint(folder.path("c"), 3), Error);
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = char(damaged[at] ^ 1);
        rewrite(damaged);
        CHECK_THROWS_AS(read_checkpoint(folder.path("c"), 3), Error);
    }
    rewrite(whole + "x");
    CHECK_THROWS_AS(read_checkpoint(folder.path("c"), 3), Error);
    rewrite(whole);
    CHECK_NOTHROW(read_checkpoint(folder.path("c"), 3));
    CHECK_THROWS_AS(read_checkpoint(folder.path("c"), 4), Error);
    CHECK_THROWS_AS(read_checkpoint(folder.path("none"), 3), Error);
}

TEST_CASE("the hash of a text is FNV-1a") {
    CHECK(hash("") == 0xcbf29ce484222325);
    CHECK(hash("a") == 0xaf63dc4c8601ec8c);
    CHECK(hash("b", hash("a")) == hash("ab"));
}
