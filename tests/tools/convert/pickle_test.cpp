#include "tools/convert/pickle.h"
#include <doctest/doctest.h>
#include "tests/tools/convert/foreign.h"

using namespace foreign::pickle;
using convert::ByteReader;
using convert::Pickle;
using convert::PickleValue;
using Kind = PickleValue::Kind;

namespace {

constexpr std::string_view kKnown[] = {"collections.OrderedDict", "torch._utils._rebuild"};

// A pickle together with its bytes.
struct Read {
    std::string bytes;
    Pickle pickle;

    explicit Read(std::string text) : bytes(std::move(text)), pickle(read(bytes)) {}
    const PickleValue* operator->() const { return &pickle.root(); }
    static Pickle read(const std::string& bytes) {
        ByteReader reader(std::as_bytes(std::span(bytes)));
        return Pickle(reader, kKnown);
    }
};

std::string error_of(const std::string& value) {
    try {
        Read::read(whole_pickle(value));
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

// The bytes, zeros included.
template <std::size_t n>
std::string raw(const char (&bytes)[n]) {
    return std::string(bytes, n - 1);
}

}  // namespace

TEST_CASE("each way to write a whole number is read") {
    const std::pair<std::string, std::int64_t> kNumbers[] = {
        {"K\xff", 255},
        {"M\x34\x12", 0x1234},
        {raw("J\xff\xff\xff\xff"), -1},
        {"\x8a\x01\xff", -1},
        {raw("\x8a\x00"), 0},
        {raw("\x8a\x02\xff\x00"), 255},
        {raw("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"), INT64_MIN},
        {"\x88", 1},
        {"\x89", 0}};
    for (const auto& [bytes, number] : kNumbers)
        CHECK(Read(whole_pickle(bytes))->integer() == number);
    CHECK(error_of("\x8a\x09" + std::string(9, '\1')) == "a whole number of 9 bytes");
}

TEST_CASE("texts and bytes of every length code are read") {
    for (const std::string& head :
         {raw("\x8c\2"), raw("C\2"), raw("U\2"), raw("X\2\0\0\0"), raw("B\2\0\0\0"),
          raw("T\2\0\0\0"), raw("\x8d\2\0\0\0\0\0\0\0"), raw("\x8e\2\0\0\0\0\0\0\0")})
        CHECK(Read(whole_pickle(head + "hi"))->text() == "hi");
}

TEST_CASE("dicts, lists and tuples nest, and a key is found by its text") {
    const Read read(whole_pickle(
        dict({{text("a"), "](" + whole(1) + whole(2) + "e"}, {whole(3), tuple({"N", "\x88"})}}) +
        text("b") + whole(7) + "s"));
    CHECK(read->find("a")->items().size() == 2);
    CHECK(read->find("a")->items()[1]->integer() == 2);
    CHECK(read->find("b")->integer() == 7);
    CHECK(read->find("c") == nullptr);
    CHECK(read->items()[3]->is(Kind::tuple));
    CHECK_THROWS_WITH_AS(read->integer(), "expected a whole number, found a dict", Error);
    CHECK_THROWS_AS(read->find("a")->find("b"), Error);
}

TEST_CASE("what is remembered is the value itself, by number or in order") {
    CHECK(Read(whole_pickle("]q" + raw("\0") + whole(5) + "a0h" + raw("\0")))->items().size() == 1);
    CHECK(Read("\x80\x04\x95" + std::string(8, '\0') + "\x8c\1x\x94" + "0h" + raw("\0."))->text() ==
          "x");
    CHECK(error_of(raw("h\3")) == "the pickle remembers no value 3");
    CHECK(error_of("N" + raw("r\xff\xff\xff\xff")) == "the pickle remembers a value as 4294967295");
}

TEST_CASE("a known call stays a value that names it, and an ordered dict is a dict") {
    const Read call(whole_pickle(global("torch._utils", "_rebuild") + tuple({whole(4)}) + "R"));
    CHECK(call->callee().text() == "torch._utils._rebuild");
    CHECK(call->argument(0).integer() == 4);
    CHECK_THROWS_WITH_AS(call->argument(1), "torch._utils._rebuild has 1 arguments", Error);
    const std::string ordered =
        global("collections", "OrderedDict") + ")R" + text("k") + whole(1) + "s";
    CHECK(Read(whole_pickle(ordered + "}b"))->find("k")->integer() == 1);
    CHECK(Read(whole_pickle(text("torch._utils") + text("_rebuild") + "\x93"))->is(Kind::global));
}

TEST_CASE("every other global is refused by name") {
    CHECK(error_of(global("os", "system") + tuple({text("true")}) + "R") ==
          "the pickle asks for os.system, which no checkpoint needs; nothing of it was run");
    CHECK(error_of(text("builtins") + text("eval") + "\x93").find("builtins.eval") !=
          std::string::npos);
}

TEST_CASE("codes that no checkpoint has are refused, with where they stand") {
    for (const char code : {'i', 'o', 'P', 'I', 'S', '\x81', '\x82', '\x8f', '\x92', '\x97', '\0'})
        CHECK(error_of(std::string(1, code)).find(" at byte 2 has no place") != std::string::npos);
    CHECK_THROWS_WITH_AS(Read::read("\x80\x06N."), "pickle protocol 6, known are up to 5", Error);
}

TEST_CASE("values that are not there cannot be taken, nor those below a mark") {
    for (const std::string& value :
         {raw("0"), raw("a"), raw("Na"), raw("u"), raw("t"), raw("N(0"), raw("NN(\x86"), raw("N(R"),
          raw("Q"), raw("]Ns"), raw("}(Nu"), raw("NNb0b"), raw("N)R"), raw("(")})
        CHECK(error_of(value) != "none");
}

TEST_CASE("a pickle cut anywhere is refused") {
    const std::string ordered = global("collections", "OrderedDict") + ")R";
    const std::string file = whole_pickle(dict({{text("a"), tuple({whole(1), ordered})}}));
    for (std::size_t size = 0; size < file.size(); ++size)
        CHECK_THROWS_AS(Read::read(file.substr(0, size)), Error);
}

TEST_CASE("a million levels of nesting need no stack, and a cycle no end") {
    const std::size_t n = 1000000;
    CHECK(Read(whole_pickle(std::string(n, '(') + std::string(n, 't')))->is(Kind::tuple));
    const Read self(whole_pickle("]q" + raw("\0") + "h" + raw("\0") + "a"));
    CHECK(self->items()[0] == &self.pickle.root());
}
