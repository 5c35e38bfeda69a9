// Shapes, owning tensors, and the views that kernels take: matrices of floats, and matrices as a
// file stores them.
#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#include "base/error.h"
#include "base/number.h"

// Up to four dimensions, outermost first: Shape{B, H, T, D}.
struct Shape {
    std::array<int, 4> dim{};
    int rank = 0;

    constexpr Shape() = default;
    constexpr Shape(std::initializer_list<int> dims) {
        for (const int d : dims) dim[std::size_t(rank++)] = d;
    }
    constexpr bool operator==(const Shape&) const = default;
    constexpr int operator[](int axis) const { return dim[std::size_t(axis)]; }
    constexpr std::size_t elements() const {
        std::size_t n = 1;
        for (int i = 0; i < rank; ++i) n *= std::size_t((*this)[i]);
        return n;
    }
    std::string text() const {
        std::string s;
        for (int i = 0; i < rank; ++i) s.append(i ? "," : "[").append(std::to_string((*this)[i]));
        return s.append(rank ? "]" : "[]");
    }
};

// A shape comment that cannot go stale.
inline void expect(std::string_view what, const Shape& actual, const Shape& wanted) {
    if (actual != wanted)
        throw std::logic_error(cat(what, ": expected ", wanted.text(), ", found ", actual.text()));
}

struct Tensor {
    Shape shape;
    std::vector<float> data;

    Tensor() = default;
    explicit Tensor(Shape s) : shape(s), data(s.elements()) {}

    // Element [.., i, j, k] counted from the last axis: at(j) of a row, at(t, c) of a matrix, at(b,
    // t, c), at(b, h, t, d).
    template <typename... Index>
    float& at(Index... index) {
        return data[offset(index...)];
    }
    template <typename... Index>
    const float& at(Index... index) const {
        return data[offset(index...)];
    }

private:
    template <typename... Index>
    std::size_t offset(Index... index) const {
        std::size_t flat = 0;
        int axis = shape.rank - int(sizeof...(index));
        ((flat = flat * std::size_t(shape[axis++]) + std::size_t(index)), ...);
        return flat;
    }
};

// Rows of numbers, `stride` apart: a [B*T,C] activation, or some columns of one.
template <typename Number>
struct MatrixView {
    Number* data = nullptr;
    int rows = 0, cols = 0;
    std::ptrdiff_t stride = 0;

    Number* row(int r) const { return data + r * stride; }
    MatrixView columns(int first, int count) const { return {data + first, rows, count, stride}; }
    MatrixView some_rows(int first, int count) const { return {row(first), count, cols, stride}; }
    operator MatrixView<const Number>() const { return {data, rows, cols, stride}; }
};
using Matrix = MatrixView<float>;
using ConstMatrix = MatrixView<const float>;

// A stride for rows of so many floats that begin on cache lines: an odd number of lines, or rows
// of GPT-2's widths, often multiples of 4 KiB, would all meet in the same sets of a cache.
constexpr int odd_lines(int cols) { return ((cols + 15) / 16 | 1) * 16; }

// A matrix as a weight file stores it: row after row, little-endian, not necessarily aligned.
struct StoredMatrix {
    NumberType type = NumberType::f32;
    const std::byte* data = nullptr;
    int rows = 0, cols = 0;
    int stride = cols;  // numbers from one row to the next

    const std::byte* address(int r, int c) const {
        return data + (std::size_t(r) * std::size_t(stride) + std::size_t(c)) *
                          std::size_t(bytes_of(type));
    }
    float at(int r, int c) const { return widen(type, address(r, c)); }
};
