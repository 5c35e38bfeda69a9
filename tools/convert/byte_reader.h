// Reads a binary format from front to back, and never past its end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include "base/error.h"
#include "base/in_file.h"
#include "base/number.h"

namespace convert {

class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes, std::uint64_t at = 0) : bytes_(bytes) {
        take(at);
    }

    std::size_t at() const { return at_; }
    std::size_t left() const { return bytes_.size() - at_; }

    std::span<const std::byte> take(std::uint64_t count) {
        if (count > left())
            throw Error(cat("ends where ", count, " bytes are needed at byte ", at_, ", and ",
                            left(), " are left"));
        at_ += std::size_t(count);
        return bytes_.subspan(at_ - std::size_t(count), std::size_t(count));
    }
    std::string_view text(std::uint64_t count) {
        const auto bytes = take(count);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    template <typename Unsigned>
    Unsigned number() {
        return load_little_endian<Unsigned>(take(sizeof(Unsigned)).data());
    }
    // A number that is a size here: positive, and an int even four times over.
    int size(std::string_view what) {
        constexpr std::uint32_t kMost = 0x7fffffff / 4;
        const auto value = number<std::uint32_t>();
        if (value < 1 || value > kMost)
            throw Error(cat(what, " is ", value, ", expected 1 to ", kMost));
        return int(value);
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

}  // namespace convert
