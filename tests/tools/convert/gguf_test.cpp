#include "tools/convert/gguf.h"
#include <doctest/doctest.h>
#include "tests/tools/convert/foreign_formats.h"

using namespace foreign;
using convert::Gguf;
using convert::GgufValue;

namespace {

Gguf read(const std::string& bytes) { return Gguf::parse(std::as_bytes(std::span(bytes))); }

std::string error_of(const std::string& bytes) {
    try {
        read(bytes);
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

const std::vector<gguf::Block> kTensors = {
    {"one", {2, 3}, 0, number_bytes(NumberType::f32, {1, 2, 3, 4, 5, 6})},
    {"two", {32}, 2, std::string(18, '\0')}};

}  // namespace

TEST_CASE("values of every type are read") {
    const std::string bytes = gguf::file({{"u8", u32(0) + "\xff"},
                                          {"i8", u32(1) + "\xff"},
                                          {"u16", u32(2) + u16(0xfffe)},
                                          {"i16", u32(3) + u16(0xfffe)},
                                          {"i32", u32(5) + u32(0xfffffffd)},
                                          {"f32", gguf::float_value(0.5f)},
                                          {"bool", u32(7) + "\1"},
                                          {"text", gguf::text_value("hi")},
                                          {"texts", gguf::texts_value({"a", "", "bc"})},
                                          {"numbers", gguf::wholes_value({1, -1})},
                                          {"u64", u32(10) + u64(5)},
                                          {"huge", u32(10) + u64(SIZE_MAX)},
                                          {"i64", u32(11) + u64(std::size_t(-5))},
                                          {"f64", u32(12) + u64(0x3fe0000000000000)}},
                                         {});
    const Gguf file = read(bytes);
    CHECK(file.read("u8", &GgufValue::integer) == 255);
    CHECK(file.read("i8", &GgufValue::integer) == -1);
    CHECK(file.read("u16", &GgufValue::integer) == 65534);
    CHECK(file.read("i16", &GgufValue::integer) == -2);
    CHECK(file.read("i32", &GgufValue::integer) == -3);
    CHECK(file.read("f32", &GgufValue::real) == 0.5);
    CHECK(file.read("text", &GgufValue::text) == "hi");
    CHECK(file.read("texts", &GgufValue::texts) == std::vector<std::string_view>{"a", "", "bc"});
    CHECK(file.read("numbers", &GgufValue::integers) == std::vector<std::int64_t>{1, -1});
    CHECK(file.read("u64", &GgufValue::integer) == 5);
    CHECK(file.read("i64", &GgufValue::integer) == -5);
    CHECK(file.read("f64", &GgufValue::real) == 0.5);
    CHECK(file.read("u8", &GgufValue::real) == 255);
    CHECK(file.read_or("u8", &GgufValue::integer, 7) == 255);
    CHECK(file.read_or("none", &GgufValue::integer, 7) == 7);
    CHECK_THROWS_WITH_AS(file.read("huge", &GgufValue::integer),
                         "huge: expected at most 9223372036854775807, found 18446744073709551615",
                         Error);
    CHECK_THROWS_WITH_AS(file.read("bool", &GgufValue::integer),
                         "bool: expected a whole number, found boolean", Error);
    CHECK_THROWS_WITH_AS(file.read("bool", &GgufValue::real),
                         "bool: expected a number, found boolean", Error);
    CHECK_THROWS_WITH_AS(file.read("text", &GgufValue::integer),
                         "text: expected a whole number, found text", Error);
    CHECK_THROWS_WITH_AS(file.read("f32", &GgufValue::integer),
                         "f32: expected a whole number, found float", Error);
    CHECK_THROWS_WITH_AS(file.read("numbers", &GgufValue::real),
                         "numbers: expected a number, found an array of int32", Error);
    CHECK_THROWS_WITH_AS(file.read("texts", &GgufValue::text),
                         "texts: expected a text, found an array of text", Error);
    CHECK_THROWS_WITH_AS(file.read("numbers", &GgufValue::texts),
                         "numbers: expected texts, found an array of int32", Error);
    CHECK_THROWS_WITH_AS(file.read("none", &GgufValue::text), "none: is not there", Error);
}

TEST_CASE("tensors are found behind the header, aligned as it says") {
    for (const std::size_t version : {2, 3}) {
        const std::string bytes = gguf::file({}, kTensors, version);
        const Gguf file = read(bytes);
        CHECK(file.version == version);
        const auto& one = file.tensors.at("one");
        CHECK(one.shape == std::vector<std::int64_t>{2, 3});
        CHECK(convert::decode(*one.type, one.bytes) == std::vector<float>{1, 2, 3, 4, 5, 6});
        CHECK(file.tensors.at("two").bytes.size() == 18);
    }
    for (const std::size_t unit : {0, 4, 12, 2097152})
        CHECK(error_of(gguf::file({{"general.alignment", gguf::whole_value(unit)}}, kTensors)) ==
              cat("general.alignment is ", unit, ", expected a multiple of 8 from 8 to 1048576"));
}

TEST_CASE("a file cut anywhere is refused") {
    const std::string bytes = gguf::file({{"key", gguf::texts_value({"a"})}}, kTensors);
    for (std::size_t size = 4; size < bytes.size() - 14; ++size)  // the rest is padding
        CHECK(error_of(bytes.substr(0, size)) != "none");
}

TEST_CASE("other versions, byte orders, types and sizes are refused") {
    CHECK(error_of(gguf::file({}, {}, 1)) == "is of GGUF version 1; known are 2 and 3");
    CHECK(error_of(gguf::file({}, {}, 0x03000000)) == "is a big-endian GGUF file");
    CHECK(error_of(gguf::file({{"a", u32(13)}}, {})) == "a: has the unknown type 13");
    CHECK(error_of(gguf::file({{"a", u32(9) + u32(9) + u64(1)}}, {})) ==
          "a: is an array of arrays");
    CHECK(error_of(gguf::file({{"a", u32(9) + u32(12) + u64(std::size_t(1) << 61)}}, {})) !=
          "none");
    CHECK(error_of(gguf::file({{"a", u32(8) + u64(SIZE_MAX)}}, {})) != "none");
    CHECK(error_of(gguf::file({{"a", u32(7) + "\1"}, {"a", u32(7) + "\1"}}, {})) == "has a twice");
    const auto tensor = [](std::vector<std::int64_t> shape, std::uint32_t type) {
        return error_of(gguf::file({}, {{"t", std::move(shape), type, std::string(64, '\0')}}));
    };
    CHECK(tensor({3, 33}, 2) ==
          "t: has rows of 33, no multiple of the 32 numbers of a block of Q4_0");
    CHECK(tensor({0}, 0) == "t: has a dimension of 0, expected 1 to 2147483647");
    CHECK(tensor({-1}, 0) ==
          "t: has a dimension of 18446744073709551615, expected 1 to 2147483647");
    CHECK(tensor({17}, 0) == "t: goes beyond the file's end");
    CHECK(tensor({1 << 30, 1 << 30, 1 << 30, 1 << 30}, 0) == "t: goes beyond the file's end");
    CHECK(tensor({1, 1, 1, 1, 1}, 0) == "t: has 5 dimensions, at most 4 are known");
    CHECK(tensor({1}, 99).starts_with("t: type 99 is not read"));
    CHECK(error_of(gguf::file({}, {kTensors[0], kTensors[0]})) == "has one twice");
}
