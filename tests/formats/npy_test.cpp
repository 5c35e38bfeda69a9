#include "formats/npy.h"
#include <doctest/doctest.h>
#include "base/file.h"
#include "base/number.h"
#include "tests/support.h"

TEST_CASE("an array file has NumPy's header, and its numbers at a multiple of 64 bytes") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("x.npy");
    const std::vector<float> values = {1, -2, 0.5, 3, 4, 5};
    write_npy(path, {2, 3}, values);
    const File file = File::open(path);
    const std::string text(file.text());
    REQUIRE(text.size() == 128 + 4 * values.size());
    CHECK(text.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
    const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    CHECK(text.substr(10, 118) == dict + std::string(117 - dict.size(), ' ') + "\n");
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(widen(NumberType::f32, &text[128 + 4 * i]) == values[i]);
}

TEST_CASE("arrays of one to four dimensions are written, empty ones too") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("x.npy");
    const std::vector<float> values(24, 1.0f);
    for (const auto& [shape, text] : std::initializer_list<std::pair<Shape, const char*>>{
             {{24}, "'shape': (24,), }"},
             {{2, 3, 4}, "'shape': (2, 3, 4), }"},
             {{1, 2, 3, 4}, "'shape': (1, 2, 3, 4), }"},
             {{0, 5}, "'shape': (0, 5), }"}}) {
        const std::size_t n = shape.elements();
        write_npy(path, shape, std::span(values).first(n));
        const File file = File::open(path);
        CHECK(file.text().find(text) != std::string_view::npos);
        CHECK(file.bytes().size() == 128 + 4 * n);
    }
}

TEST_CASE("an array that cannot be written is an error that names the file") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("no/x.npy");
    CHECK_THROWS_WITH_AS(write_npy(path, {1}, std::vector<float>(1)),
                         (path + ": cannot be written: No such file or directory").c_str(), Error);
}
