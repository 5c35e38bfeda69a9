#include "base/buffer.h"
#include <doctest/doctest.h>
#include <cstdint>

TEST_CASE("a buffer begins on a cache line, small or large, and keeps what is written") {
    for (const std::size_t size : {std::size_t(1), std::size_t(1000), std::size_t(1) << 22}) {
        Buffer<float> buffer(size);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
        buffer.front() = 1;
        buffer.back() = 2;
        buffer.resize(size + 1);
        CHECK(buffer[size - 1] == 2);
    }
}

TEST_CASE("from half a large page on a buffer begins on one") {
    CHECK(reinterpret_cast<std::uintptr_t>(Buffer<char>(kLargePage / 2).data()) % kLargePage == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(Buffer<char>(kLargePage + 1).data()) % kLargePage == 0);
}

TEST_CASE("a size that no memory can have is refused") {
    Buffer<float> buffer;
    CHECK_THROWS(buffer.resize(std::size_t(-1) / 2));
}
