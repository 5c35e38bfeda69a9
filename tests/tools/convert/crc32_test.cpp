#include "tools/convert/crc32.h"
#include <doctest/doctest.h>
#include <string>

namespace {

std::uint32_t checksum(const std::string& text) {
    return convert::crc32(std::as_bytes(std::span(text)));
}

}  // namespace

TEST_CASE("the checksum is the one that zip archives have, whatever the length") {
    CHECK(checksum("") == 0);
    CHECK(checksum("a") == 0xe8b7be43);
    CHECK(checksum("12345678") == 0x9ae0daaf);
    CHECK(checksum("123456789") == 0xcbf43926);
    CHECK(checksum(std::string(32, '\0')) == 0x190a55ad);
    CHECK(checksum(std::string(32, '\xff')) == 0xff6cab0b);
}
