#include "base/tensor.h"
#include <doctest/doctest.h>

TEST_CASE("a tensor is indexed from its last axis, outermost first") {
    Tensor x({2, 3, 4});
    x.at(1, 2, 3) = 5;
    CHECK(x.data[23] == 5);
    CHECK(x.at(5, 3) == 5);
    CHECK(x.at(23) == 5);
    CHECK(x.shape.text() == "[2,3,4]");
    CHECK(Shape{}.text() == "[]");
    CHECK(Shape{}.elements() == 1);
}

TEST_CASE("a wrong shape is named in the error") {
    CHECK_THROWS_WITH_AS(expect("scores", {1, 12, 8, 9}, {1, 12, 8, 8}),
                         "scores: expected [1,12,8,8], found [1,12,8,9]", std::logic_error);
    CHECK_NOTHROW(expect("scores", {2, 3}, {2, 3}));
}

TEST_CASE("a view of some columns keeps the rows of its matrix") {
    std::vector<float> data{0, 1, 2, 3, 4, 5};
    const Matrix all{data.data(), 2, 3, 3};
    const Matrix last = all.columns(2, 1);
    CHECK(last.row(1)[0] == 5);
    CHECK(all.some_rows(1, 1).row(0)[0] == 3);
}

TEST_CASE("a stored matrix reads unaligned numbers of every type") {
    std::byte bytes[9] = {};
    store_little_endian<std::uint16_t>(bytes + 1, 0x3c00);
    store_little_endian<std::uint16_t>(bytes + 3, 0x4000);
    const StoredMatrix half{NumberType::f16, bytes + 1, 1, 2};
    CHECK(half.at(0, 0) == 1);
    CHECK(half.at(0, 1) == 2);
    store_little_endian<std::uint32_t>(bytes + 1, 0x40400000);
    CHECK(StoredMatrix{NumberType::f32, bytes + 1, 1, 1}.at(0, 0) == 3);
    CHECK(StoredMatrix{NumberType::bf16, bytes + 3, 1, 1}.at(0, 0) == 3);
}
