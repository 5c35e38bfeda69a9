#include "kernels/packed_matrix.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include "tests/support.h"

namespace {

constexpr int kIn = 70, kOut = 37;

std::vector<float> unpacked(const PackedMatrix& packed) {
    std::vector<float> w(std::size_t(kIn * kOut)), column(kIn);
    for (int c = 0; c < kOut; ++c) {
        packed.column(c, column.data());
        for (int k = 0; k < kIn; ++k) w[std::size_t(k * kOut + c)] = column[std::size_t(k)];
    }
    return w;
}

PackedMatrix pack_floats(std::vector<float>& w, PackedType type) {
    PackedMatrix packed(kIn, kOut, type);
    pack(packed, Matrix{w.data(), kIn, kOut, kOut}, false);
    return packed;
}

}  // namespace

TEST_CASE("f32 weights come back as they were, packed straight or from their transpose") {
    auto w = random_floats(std::size_t(kIn * kOut), 1);
    std::vector<float> turned(w.size());
    for (int k = 0; k < kIn; ++k)
        for (int c = 0; c < kOut; ++c)
            turned[std::size_t(c * kIn + k)] = w[std::size_t(k * kOut + c)];
    PackedMatrix transposed(kIn, kOut, PackedType::f32);
    pack(transposed, Matrix{turned.data(), kOut, kIn, kIn}, true);
    CHECK(unpacked(pack_floats(w, PackedType::f32)) == w);
    CHECK(unpacked(transposed) == w);
}

TEST_CASE("a file's strips are done with one after another, whichever way the matrix lies") {
    constexpr int kRows = 600, kCols = 300;
    const auto numbers = random_floats(std::size_t(kRows * kCols), 5);
    std::vector<std::byte> bytes(4 * numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        narrow(NumberType::f32, numbers[i], &bytes[4 * i]);
    for (const bool transposed : {false, true}) {
        CAPTURE(transposed);
        const auto in = transposed ? kCols : kRows, out = transposed ? kRows : kCols;
        PackedMatrix packed(in, out, PackedType::f32);
        std::vector<std::pair<std::size_t, std::size_t>> strips;
        const auto done = [&](const std::byte* first, std::size_t count) {
#pragma omp critical
            strips.push_back({first - bytes.data(), count});
        };
#pragma omp parallel num_threads(3)
        pack(packed, StoredMatrix{NumberType::f32, bytes.data(), kRows, kCols}, transposed, done);
        std::sort(strips.begin(), strips.end());
        CHECK(strips.size() > 1);
        std::size_t end = 0;
        for (const auto& [first, count] : strips) {
            CHECK(first == end);
            end = first + count;
        }
        CHECK(end == bytes.size());
        std::vector<float> column(static_cast<std::size_t>(in));
        for (int c = 0; c < out; ++c) {
            packed.column(c, column.data());
            for (int k = 0; k < in; ++k)
                REQUIRE(column[std::size_t(k)] ==
                        numbers[std::size_t(transposed ? c * kCols + k : k * kCols + c)]);
        }
    }
}

TEST_CASE("weights of 16 bits are packed as a file holds them, one matrix after another") {
    const auto numbers = random_floats(std::size_t(kIn * kOut), 6);
    for (const auto& [stored, type] :
         {std::pair(NumberType::f16, PackedType::f16), {NumberType::bf16, PackedType::bf16}}) {
        std::vector<std::byte> bytes(2 * numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) narrow(stored, numbers[i], &bytes[2 * i]);
        PackedMatrix straight(kIn, kOut, type), turned(kOut, kIn, type);
        const StoredMatrix w{stored, bytes.data(), kIn, kOut};
#pragma omp parallel num_threads(3)
        {
            pack(straight, w, false);
            pack(turned, w, true);
        }
        std::vector<float> column(kIn), row(kOut);
        for (int c = 0; c < kOut; ++c) {
            straight.column(c, column.data());
            for (int k = 0; k < kIn; ++k) {
                turned.column(k, row.data());
                REQUIRE(column[std::size_t(k)] == w.at(k, c));
                REQUIRE(row[std::size_t(c)] == w.at(k, c));
            }
        }
    }
}

TEST_CASE("16-bit weights are the nearest of their type") {
    auto w = random_floats(std::size_t(kIn * kOut), 2);
    const auto half = unpacked(pack_floats(w, PackedType::f16));
    const auto brain = unpacked(pack_floats(w, PackedType::bf16));
    for (std::size_t i = 0; i < w.size(); ++i) {
        CHECK(half[i] == f16_to_float(float_to_f16(w[i])));
        CHECK(brain[i] == bf16_to_float(float_to_bf16(w[i])));
    }
}

TEST_CASE("8-bit and 4-bit weights are off by about half a step of their group") {
    auto w = random_floats(std::size_t(kIn * kOut), 3);
    const auto eight = unpacked(pack_floats(w, PackedType::q8));
    const auto four = unpacked(pack_floats(w, PackedType::q4));
    for (int c = 0; c < kOut; ++c)
        for (int first = 0; first < kIn; first += kGroup) {
            float least = 0, most = 0;
            const int last = std::min(first + kGroup, kIn);
            for (int k = first; k < last; ++k) {
                least = std::min(least, w[std::size_t(k * kOut + c)]);
                most = std::max(most, w[std::size_t(k * kOut + c)]);
            }
            const double eight_step = std::max(most, -least) / 127, four_step = (most - least) / 15;
            for (int k = first; k < last; ++k) {
                const auto i = std::size_t(k * kOut + c);
                CHECK(std::fabs(eight[i] - w[i]) <= 1.1 * eight_step);
                CHECK(std::fabs(four[i] - w[i]) <= 1.6 * four_step);
            }
        }
}

TEST_CASE("a matrix of another shape is refused") {
    std::vector<float> w(12);
    PackedMatrix packed(3, 4, PackedType::f32);
    CHECK_THROWS_AS(pack(packed, Matrix{w.data(), 4, 3, 3}, false), std::logic_error);
}
