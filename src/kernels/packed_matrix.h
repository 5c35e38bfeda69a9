// Weights w [in,out] in the order in which the kernels read them: panels of kPanel columns, each
// [in][kPanel], zeroes beyond the last column. In a row of bf16, columns l and l + kLanes share a
// lane of 32 bits (load_pair). Panels of 8 and 4 bits are cut along `in` into groups (groups.h).
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

    const std::byte* panel(int p) const { return data_ + std::size_t(p) * panel_bytes_; }
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

// Fills `packed` from w [in,out], or from its transpose [out,in]; the team shares strips of the
// source's rows. From a file, no thread waits for another: `packed` is whole when every one has
// returned. The second returns to each when all are done.
void pack(PackedMatrix& packed, const StoredMatrix& w, bool transposed, const Done& done = {});
void pack(PackedMatrix& packed, ConstMatrix w, bool transposed);
