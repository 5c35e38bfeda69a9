// Weights w [in,out] in the order in which the kernels read them: panels of kPanel columns, each
// [in][kPanel], zeroes beyond the last column. Quantised panels are cut along `in` into groups.
#pragma once
#include <functional>
#include "base/buffer.h"
#include "base/tensor.h"
#include "kernels/groups.h"

enum class PackedType { f32, f16, bf16, q8, q4 };
const char* name_of(PackedType type);

class PackedMatrix {
public:
    PackedMatrix() = default;
    PackedMatrix(PackedMatrix&&) = default;
    PackedMatrix& operator=(PackedMatrix&&) = default;
    // Room for w [in,out], to be filled by pack: its own, or bytes() at `room` that outlive it.
    PackedMatrix(int in, int out, PackedType type);
    PackedMatrix(int in, int out, PackedType type, std::byte* room);

    int in() const { return in_; }
    int out() const { return out_; }
    PackedType type() const { return type_; }
    int panels() const { return (out_ + kPanel - 1) / kPanel; }
    std::size_t bytes() const { return std::size_t(panels()) * panel_bytes_; }
    std::size_t panel_bytes() const { return panel_bytes_; }

    template <typename Number = std::byte>
    const Number* panel(int p) const {
        return reinterpret_cast<const Number*>(data_ + std::size_t(p) * panel_bytes_);
    }
    std::byte* panel(int p) { return data_ + std::size_t(p) * panel_bytes_; }

    // w[:,c] as floats: what an embedding reads from the head's weights.
    void column(int c, float* w) const;

private:
    int in_ = 0, out_ = 0;
    PackedType type_ = PackedType::f32;
    std::size_t panel_bytes_ = 0;
    Buffer<std::byte> own_;
    std::byte* data_ = nullptr;
};

// Called, from any thread of the team, when these bytes of the source will not be read again.
using Done = std::function<void(const std::byte* first, std::size_t count)>;

// Fills the packed matrix from w [in,out], or from its transpose [out,in]. The team shares
// strips of the source's rows. Of a file's, no thread waits for another: the packed matrix is whole
// when all have returned. Otherwise all wait.
void pack(PackedMatrix& packed, const StoredMatrix& w, bool transposed, const Done& done = {});
void pack(PackedMatrix& packed, ConstMatrix w, bool transposed);
