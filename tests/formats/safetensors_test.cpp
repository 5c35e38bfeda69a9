#include "formats/safetensors.h"
#include <doctest/doctest.h>
#include <filesystem>
#include "base/error.h"
#include "tests/model_folder.h"

namespace {

std::string error_of(std::string_view bytes) {
    try {
        SafeTensors::open(file_of("f", bytes));
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

// The error of a file with such a header and `data_bytes` of data.
std::string error_of(std::string_view header, std::size_t data_bytes) {
    return error_of(raw_safetensors(header, std::string(data_bytes, '\0')));
}

std::string with_length(std::uint64_t length, std::size_t more_bytes) {
    std::string bytes(8 + more_bytes, ' ');
    store_little_endian(bytes.data(), length);
    return bytes;
}

}  // namespace

TEST_CASE("what is written is read back, in every number type") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("x.safetensors");
    const std::vector<float> some = {1, -2, 0.5, 0.25, 4, -0.0f};
    const TensorSource tensors[] = {
        {"b \"quoted\" é", NumberType::f32, {2, 3}, [&] { return some; }},
        {"a", NumberType::f16, {6}, [&] { return some; }},
        {"scalar", NumberType::bf16, {}, [] { return std::vector<float>{3}; }},
        {"empty", NumberType::f32, {0, 7}, [] { return std::vector<float>{}; }}};
    write_safetensors(path, tensors);
    const SafeTensors read = SafeTensors::open(File::open(path));
    REQUIRE(read.entries().size() == 4);
    CHECK(read.entries()[0].name == "a");  // by name, whatever the order in the file
    for (const TensorSource& tensor : tensors) {
        CAPTURE(tensor.name);
        const auto* const entry = read.find(tensor.name);
        REQUIRE(entry);
        CHECK(entry->shape == tensor.shape);
        CHECK(number_type(entry->dtype) == tensor.type);
        const auto values = tensor.values();
        const auto size = std::size_t(bytes_of(tensor.type));
        REQUIRE(entry->bytes.size() == values.size() * size);
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(widen(tensor.type, &entry->bytes[i * size]) == values[i]);
    }
    CHECK(read.find("c") == nullptr);
    const auto start = load_little_endian<std::uint64_t>(read.file().text().data());
    CHECK(start % 8 == 0);
}

TEST_CASE("values that do not fill their shape are never written") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("x.safetensors");
    const TensorSource wrong[] = {
        {"a", NumberType::f32, {2}, [] { return std::vector<float>(3); }}};
    CHECK_THROWS(write_safetensors(path, wrong));
    CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("metadata, unknown members and padding with spaces are read") {
    CHECK(error_of("{}", 0) == "none");
    CHECK(error_of(R"({"__metadata__":{"format":"pt"}}   )", 0) == "none");
    CHECK(error_of(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"more":1}})", 4) ==
          "none");
}

TEST_CASE("a file cut anywhere is refused, naming it and what is missing") {
    const std::string whole =
        raw_safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
    const std::string_view view = whole;
    REQUIRE(error_of(view) == "none");
    CHECK(error_of(view.substr(0, 0)) ==
          "f: cut off: 0 bytes, and a safetensors file starts with the 8 bytes of its header's "
          "length");
    CHECK(error_of(view.substr(0, 7)).starts_with("f: cut off: 7 bytes, "));
    CHECK(error_of(view.substr(0, 8)) ==
          "f: cut off, or not a safetensors file: a header of 54 bytes in a file of 8: 54 bytes "
          "are missing");
    CHECK(error_of(view.substr(0, view.size() - 1)) ==
          "f: cut off: 1 of 8 bytes of tensors are missing");
    for (std::size_t bytes = 0; bytes < view.size(); ++bytes)
        CHECK(error_of(view.substr(0, bytes)).starts_with("f: cut off"));
}

TEST_CASE("a header that is longer than the file or the format allows is refused") {
    CHECK(error_of(with_length(std::uint64_t(1) << 63, 100)) ==
          "f: not a safetensors file: a header of 9223372036854775808 bytes, and the format allows "
          "100000000");
    CHECK(error_of(with_length(std::uint64_t(1) << 32, 100))
              .starts_with("f: not a safetensors file: a header of 4294967296 bytes"));
    CHECK(error_of(with_length(UINT64_MAX, 100)).starts_with("f: not a safetensors file"));
    CHECK(error_of(with_length(109, 100)) ==
          "f: cut off, or not a safetensors file: a header of 109 bytes in a file of 108: 9 bytes "
          "are missing");
}

TEST_CASE("a header that is not the JSON the format demands is refused") {
    for (const auto& [header, message] : std::initializer_list<std::pair<const char*, const char*>>{
             {"", "f: header:1:1: expected a value, found the end of the text"},
             {"[]", "f: expected an object, found an array"},
             {"{\"a\":{}", "f: header:1:8: expected ',' or '}', found the end of the text"},
             {R"({"a":1})", "f: tensor \"a\": expected an object, found a number"},
             {R"({"a":{}})", "f: tensor \"a\": no dtype"},
             {R"({"a":{"dtype":"F32"}})", "f: tensor \"a\": no shape"},
             {R"({"a":{"dtype":"F32","shape":[]}})", "f: tensor \"a\": no data_offsets"},
             {R"({"a":{"dtype":3,"shape":[],"data_offsets":[0,4]}})",
              "f: tensor \"a\": dtype: expected a string, found a number"},
             {R"({"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}})",
              "f: tensor \"a\": shape: expected an array, found null"},
             {R"({"a":{"dtype":"F32","shape":[],"data_offsets":4}})",
              "f: tensor \"a\": data_offsets: expected an array, found a number"},
             {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})",
              "f: tensor \"a\": shape: expected a whole number from 0 to 9007199254740991, found "
              "1.5"},
             {R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4,8]}})",
              "f: tensor \"a\": data_offsets: expected 2 numbers, found 3"},
             {R"({"__metadata__":{"n":1}})",
              "f: __metadata__: \"n\": expected a string, found a number"},
             {R"({"__metadata__":[]})", "f: __metadata__: expected an object, found an array"},
             {R"({"a":1,"a":2})",
              "f: header:1:13: key \"a\" is given twice in the object that ends here"}}) {
        CHECK(error_of(header, 4) == message);
    }
}

TEST_CASE("a shape and a type that do not fill the tensor's bytes are refused") {
    for (const auto& [tensor, message] : std::initializer_list<std::pair<const char*, const char*>>{
             {R"("dtype":"F32","shape":[1000,1000],"data_offsets":[0,4])",
              "data_offsets [0,4] are not the size of [1000,1000] of \"F32\""},
             {R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])",
              "data_offsets [0,0] are not the size of [4294967296,4294967296] of \"F32\""},
             {R"("dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0])",
              "shape: expected a whole number from 0 to 9007199254740991, found "
              "4611686018427387904"},
             {R"("dtype":"F32","shape":[1],"data_offsets":[-4,4])",
              "data_offsets: expected a whole number from 0 to 9007199254740991, found -4"},
             {R"("dtype":"F32","shape":[1],"data_offsets":[4,0])",
              "data_offsets: [4,0] end before they begin"},
             {R"("dtype":"BF16","shape":[1],"data_offsets":[0,4])",
              "data_offsets [0,4] are not the size of [1] of \"BF16\""},
             {R"("dtype":"I64","shape":[],"data_offsets":[0,4])",
              "data_offsets [0,4] are not the size of [] of \"I64\""}}) {
        CHECK(error_of(cat("{\"a\":{", tensor, "}}"), 4) == cat("f: tensor \"a\": ", message));
    }
}

TEST_CASE("tensors that overlap, leave a gap or do not end with the file are refused") {
    const auto two = [](const char* a, const char* b) {
        return cat(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)", a,
                   R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)", b, "}}");
    };
    CHECK(error_of(two("[0,4]", "[4,8]"), 8) == "none");
    CHECK(error_of(two("[4,8]", "[0,4]"), 8) == "none");
    CHECK(error_of(two("[0,4]", "[0,4]"), 4) ==
          "f: tensor \"b\" starts at byte 0 of the data, and what is before it ends at 4");
    CHECK(error_of(two("[0,4]", "[3,7]"), 7) ==
          "f: tensor \"b\" starts at byte 3 of the data, and what is before it ends at 4");
    CHECK(error_of(two("[5,9]", "[0,4]"), 9) ==
          "f: tensor \"a\" starts at byte 5 of the data, and what is before it ends at 4");
    CHECK(error_of(two("[1,5]", "[5,9]"), 9) ==
          "f: tensor \"a\" starts at byte 1 of the data, and what is before it ends at 0");
    CHECK(error_of(two("[0,4]", "[4,8]"), 9) == "f: bytes after the last tensor: 1");
    CHECK(error_of(two("[0,4]", "[4,8]"), 5) == "f: cut off: 3 of 8 bytes of tensors are missing");
}

TEST_CASE("a tensor of an unknown type is listed, whatever its size") {
    const std::string bytes =
        raw_safetensors(R"({"a":{"dtype":"F8_X","shape":[3,5],"data_offsets":[0,4]}})", "1234");
    const SafeTensors read = SafeTensors::open(file_of("f", bytes));
    REQUIRE(read.find("a"));
    CHECK(read.find("a")->dtype == "F8_X");
    CHECK(read.find("a")->bytes.size() == 4);
    CHECK_FALSE(number_type("F8_X"));
}

TEST_CASE("tensors beyond 4 GiB are found where they are") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("x.safetensors");
    constexpr std::uint64_t kBig = 5'000'000'000;
    const std::string start = raw_safetensors(
        cat(R"({"a":{"dtype":"U8","shape":[50000,100000],"data_offsets":[0,)", kBig,
            R"(]},"b":{"dtype":"U8","shape":[3],"data_offsets":[)", kBig, ",", kBig + 3, "]}}"));
    write_text(path, start);
    std::error_code refused;  // the file is sparse, but not every file system has those
    std::filesystem::resize_file(path, start.size() + kBig, refused);
    if (refused) return skip("safetensors beyond 4 GiB");
    std::ofstream(path, std::ios::binary | std::ios::app) << "end";
    const SafeTensors read = SafeTensors::open(File::open(path));
    CHECK(read.find("a")->bytes.size() == kBig);
    const auto b = read.find("b")->bytes;
    CHECK(std::string(reinterpret_cast<const char*>(b.data()), b.size()) == "end");
}

TEST_CASE("mutated safetensors files are read or refused, and never anything else") {
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
        R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]}})";
    const std::string whole = raw_safetensors(header, std::string(12, '\1'));
    constexpr std::string_view kBytes = "0123456789-.e{}[]\",: FB\xff";
    Random random(1);
    int opened = 0;
    for (int round = 0; round < 6000; ++round) {
        std::string bytes = whole;
        for (auto changes = 1 + random.next() % 3; changes > 0; --changes) {
            const std::size_t at = random.next() % (8 + header.size());
            bytes[at] = at < 8 ? char(random.next()) : kBytes[random.next() % kBytes.size()];
        }
        if (round % 4 == 0) bytes.resize(random.next() % bytes.size());
        opened += error_of(bytes) == "none";
    }
    CHECK(opened > 20);
    CHECK(opened < 3000);
}
