#include "kernels/packed_matrix.h"
#include <algorithm>
#include <type_traits>
#include "base/threads.h"

namespace {

// Neighbours that one thread packs together.
constexpr int kStripPanels = 8, kStripRows = 2 * kGroup;

// Any matrix of numbers: element k, c of w [in,out] lies at data + k * row_step + c * column_step.
struct Source {
    const std::byte* data;
    NumberType type;
    std::ptrdiff_t row_step, column_step;
    std::endian order;  // of a number's bytes

    const std::byte* at(int k, int c) const { return data + k * row_step + c * column_step; }
};

// At most kGroup rows of one panel, from row k and column c on.
struct Place {
    int k, c, rows, cols;
};

template <typename Number>
Number read(const Source& w, const std::byte* p) {
    using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint16_t>;
    if (w.order == std::endian::native) return load_as<Number>(p);
    return std::bit_cast<Number>(load_little_endian<Bits>(p));
}

// Copies the place to block [rows][kPanel].
template <typename Number>
void copy(Number* block, const Source& w, const Place& place) {
    constexpr std::ptrdiff_t kSize = sizeof(Number);
    if (w.column_step == kSize) {
        for (int k = 0; k < place.rows; ++k, block += kPanel) {
            const std::byte* row = w.at(place.k + k, place.c);
            if (w.order == std::endian::native && place.cols == kPanel)
                std::memcpy(block, row, kPanel * sizeof(Number));
            else
                for (int c = 0; c < place.cols; ++c) block[c] = read<Number>(w, row + c * kSize);
        }
    } else {
        for (int c = 0; c < place.cols; ++c) {
            const std::byte* column = w.at(place.k, place.c + c);
            for (int k = 0; k < place.rows; ++k)
                block[k * kPanel + c] = read<Number>(w, column + k * w.row_step);
        }
    }
}

template <typename Number>
void copy_widened(float* block, const Source& w, const Place& place) {
    Number narrow[kGroup * kPanel] = {};
    copy(narrow, w, place);
    for (int i = 0; i < kGroup * kPanel; i += kLanes) store(block + i, load(narrow + i));
}

void copy_floats(float* block, const Source& w, const Place& place) {
    switch (w.type) {
        case NumberType::f32: return copy(block, w, place);
        case NumberType::f16: return copy_widened<F16>(block, w, place);
        case NumberType::bf16: return copy_widened<Bf16>(block, w, place);
    }
}

// Fills one place of a panel, and with zeroes what lies beyond the last column.
void pack_place(std::byte* panel, PackedType type, const Source& w, const Place& place) {
    const std::size_t first = std::size_t(place.k) * kPanel;
    const std::size_t count = std::size_t(place.rows) * kPanel;
    if (type == PackedType::f16 && w.type == NumberType::f16) {  // spares the rounding
        F16* to = reinterpret_cast<F16*>(panel) + first;
        if (place.cols < kPanel) std::fill_n(to, count, F16{});
        return copy(to, w, place);
    }
    float block[kGroup * kPanel] = {};
    copy_floats(block, w, place);
    const std::size_t group = std::size_t(place.k / kGroup);
    switch (type) {
        case PackedType::f32:
            std::copy_n(block, count, reinterpret_cast<float*>(panel) + first);
            break;
        case PackedType::f16:
            std::transform(block, block + count, reinterpret_cast<std::uint16_t*>(panel) + first,
                           float_to_f16);
            break;
        case PackedType::bf16:
            for (std::size_t i = 0; i < count; i += kPanel)
                store_bf16_row(panel + (first + i) * 2, block + i);
            break;
        case PackedType::q8: Q8::pack(panel + group * Q8::kBytes, block); break;
        case PackedType::q4: Q4::pack(panel + group * Q4::kBytes, block); break;
    }
}

// Packs these rows of these panels, `side` panels at a time: about in the order in which w lies in
// memory.
void pack_places(PackedMatrix& packed, const Source& w, Range rows, Range panels, int side) {
    for (int first = panels.first; first < panels.last; first += side)
        for (int k = rows.first; k < rows.last; k += kGroup)
            for (int p = first; p < std::min(first + side, panels.last); ++p)
                pack_place(packed.panel(p), packed.type(), w,
                           {k, p * kPanel, std::min(kGroup, rows.last - k),
                            std::min(kPanel, packed.out() - p * kPanel)});
}

// The team shares strips of neighbouring rows of the file, each of which is done with at once: rows
// of w, or, where w is transposed, its columns. A thread returns when no strip is left to take.
void pack(PackedMatrix& packed, const Source& w, const Done& done) {
    const bool transposed = w.row_step < w.column_step;
    const int in = packed.in(), panels = packed.panels();
    const int size = transposed ? kStripPanels : kStripRows, all = transposed ? panels : in;
#pragma omp for schedule(dynamic) nowait
    for (int first = 0; first < all; first += size) {
        const Range strip{first, std::min(first + size, all)};
        const Range rows = transposed ? Range{0, in} : strip;
        const Range columns = transposed ? strip : Range{0, panels};
        pack_places(packed, w, rows, columns, transposed ? 1 : kStripPanels);
        const int end = std::min(columns.last * kPanel, packed.out());
        if (done)
            done(w.at(rows.first, columns.first * kPanel),
                 std::size_t(transposed ? (end - columns.first * kPanel) * w.column_step
                                        : (rows.last - rows.first) * w.row_step));
    }
}

std::size_t bytes_of_panel(int in, PackedType type) {
    const std::size_t rows = std::size_t(in), groups = std::size_t(groups_of(in));
    switch (type) {
        case PackedType::f32: return rows * kPanel * 4;
        case PackedType::f16:
        case PackedType::bf16: return rows * kPanel * 2;
        case PackedType::q8: return groups * Q8::kBytes;
        case PackedType::q4: return groups * Q4::kBytes;
    }
    throw std::logic_error("packed matrix: no such type");
}

}  // namespace

const char* name_of(PackedType type) {
    constexpr const char* kNames[] = {"f32", "f16", "bf16", "q8", "q4"};
    return kNames[int(type)];
}

PackedMatrix::PackedMatrix(int in, int out, PackedType type)
    : PackedMatrix(in, out, type, nullptr) {
    own_.resize(bytes());
    data_ = own_.data();
}

PackedMatrix::PackedMatrix(int in, int out, PackedType type, std::byte* room)
    : in_(in), out_(out), type_(type), panel_bytes_(bytes_of_panel(in, type)), data_(room) {}

void PackedMatrix::column(int c, float* w) const {
    const std::byte* const from = panel(c / kPanel);
    const int column = c % kPanel;
    const auto at = [&](int k, auto number) {
        const std::size_t place = std::size_t(k) * kPanel + std::size_t(column);
        std::memcpy(&number, from + place * sizeof number, sizeof number);
        return number;
    };
    const auto read_groups = [&](auto format) {
        using Format = decltype(format);
        for (int k = 0; k < in_; ++k)
            w[k] = Format::at(from + std::size_t(k / kGroup) * Format::kBytes, k % kGroup, column);
    };
    switch (type_) {
        case PackedType::f32:
            for (int k = 0; k < in_; ++k) w[k] = at(k, float());
            return;
        case PackedType::f16:
            for (int k = 0; k < in_; ++k) w[k] = f16_to_float(at(k, std::uint16_t()));
            return;
        case PackedType::bf16:
            for (int k = 0; k < in_; ++k) w[k] = bf16_of_row(from + k * kPanel * 2, column);
            return;
        case PackedType::q8: return read_groups(Q8{});
        case PackedType::q4: return read_groups(Q4{});
    }
}

void pack(PackedMatrix& packed, const StoredMatrix& w, bool transposed, const Done& done) {
    expect("pack", transposed ? Shape{w.cols, w.rows} : Shape{w.rows, w.cols},
           {packed.in(), packed.out()});
    const std::ptrdiff_t size = bytes_of(w.type), row = w.stride * size;
    pack(packed,
         transposed ? Source{w.data, w.type, size, row, std::endian::little}
                    : Source{w.data, w.type, row, size, std::endian::little},
         done);
}

void pack(PackedMatrix& packed, ConstMatrix w, bool transposed) {
    expect("pack", transposed ? Shape{w.cols, w.rows} : Shape{w.rows, w.cols},
           {packed.in(), packed.out()});
    const std::ptrdiff_t size = sizeof(float), row = w.stride * size;
    const auto* data = reinterpret_cast<const std::byte*>(w.data);
    pack(packed,
         transposed ? Source{data, NumberType::f32, size, row, std::endian::native}
                    : Source{data, NumberType::f32, row, size, std::endian::native},
         {});
#pragma omp barrier
}
