#include "kernels/linear.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include "kernels/pointwise.h"
#include "tests/support.h"

namespace {

constexpr int kDeep = 803;              // more than a slice of a panel, and no multiple of a turn
constexpr int kManyRows = 95;           // two blocks; one keeps slices of 16 and 4 bits
constexpr int kWide = 24 * kPanel + 5;  // several panels in a task

constexpr PackedType kTypes[] = {PackedType::f32, PackedType::f16, PackedType::bf16, PackedType::q8,
                                 PackedType::q4};

Matrix view(std::vector<float>& data, int rows, int cols) {
    return {data.data(), rows, cols, cols};
}

PackedMatrix packed(std::vector<float>& w, int in, int out, PackedType type) {
    PackedMatrix result(in, out, type);
    pack(result, view(w, in, out), false);
    return result;
}

// y = x w + b by the kernel, on a team of that many threads. The rows of both are further apart
// than they are wide; nothing may be read or written between them.
std::vector<float> product(const std::vector<float>& x, int rows, const PackedMatrix& w,
                           const float* b, int threads = 1, const Then& then = {}) {
    constexpr int kApart = 3;
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    const int in = w.in(), out = w.out();
    std::vector<float> from(std::size_t(rows * (in + kApart)), kNaN);
    std::vector<float> to(std::size_t(rows * (out + kApart)), kNaN);
    for (int r = 0; r < rows; ++r)
        std::copy_n(x.begin() + r * in, in, from.begin() + r * (in + kApart));
    Workspace workspace;
    workspace.reserve(rows, in);
#pragma omp parallel num_threads(threads)
    linear({to.data(), rows, out, out + kApart}, {from.data(), rows, in, in + kApart}, w, b,
           workspace, then);
    std::vector<float> y;
    for (int r = 0; r < rows; ++r) {
        const auto row = to.begin() + r * (out + kApart);
        y.insert(y.end(), row, row + out);
        REQUIRE(std::all_of(row + out, row + out + kApart, [](float v) { return std::isnan(v); }));
    }
    return y;
}

}  // namespace

TEST_CASE("linear agrees with a double-precision loop at every size that breaks tiles") {
    for (const int rows : {0, 1, 2, 3, 5, 6, 11, 12, 13, 25, kManyRows})
        for (const int in : {1, 3, 64, 100, kDeep})
            for (const int out : {1, 15, 16, 31, 32, 33, 96, 97, kWide}) {
                auto x = random_floats(std::size_t(rows * in), 1);
                auto w = random_floats(std::size_t(in * out), 2);
                const auto b = random_floats(std::size_t(out), 3);
                const auto y = product(x, rows, packed(w, in, out, PackedType::f32), b.data());
                for (int r = 0; r < rows; ++r)
                    for (int c = 0; c < out; ++c) {
                        double sum = b[std::size_t(c)], norm = std::fabs(sum);
                        for (int k = 0; k < in; ++k) {
                            const double term = double(x[std::size_t(r * in + k)]) *
                                                double(w[std::size_t(k * out + c)]);
                            sum += term;
                            norm += std::fabs(term);
                        }
                        CAPTURE(rows);
                        CAPTURE(in);
                        CAPTURE(out);
                        REQUIRE(std::fabs(y[std::size_t(r * out + c)] - sum) <= 8 * 0x1p-24 * norm);
                    }
            }
}

TEST_CASE(
    "weights of 8 and 4 bits meet x of any size, in steps of a 127th of its group's largest") {
    const int in = 100, out = 33;
    const float infinite = std::numeric_limits<float>::infinity();
    auto w = random_floats(std::size_t(in * out), 1);
    for (const PackedType type : {PackedType::q8, PackedType::q4}) {
        const PackedMatrix weights = packed(w, in, out, type);
        std::vector<float> column(in);
        for (const double size : {0.0, 1e-42, 1e-37, 1e-35, 1e-20, 1.0, 1e20, 3e33}) {
            CAPTURE(size);
            const auto x = random_floats(std::size_t(in), 2, size);
            const auto y = product(x, 1, weights, nullptr);
            for (int c = 0; c < out; ++c) {
                double sum = 0, most = 0;  // most that y may be off
                weights.column(c, column.data());
                for (int k = 0; k < in; ++k) {
                    const int first = k / 32 * 32, last = std::min(first + 32, in);
                    double largest = 0x1p-119;  // below which numbers count as ever less
                    for (int i = first; i < last; ++i)
                        largest = std::max(largest, std::fabs(double(x[std::size_t(i)])));
                    const double wk = column[std::size_t(k)];
                    sum += x[std::size_t(k)] * wk;
                    most += std::fabs(wk) * largest * (0.5 / 127 + 1e-6);
                }
                REQUIRE(std::fabs(y[std::size_t(c)] - sum) <= most);
            }
        }
        auto x = random_floats(std::size_t(3 * in), 3);
        const auto y = product(x, 3, weights, nullptr);
        for (const float odd : {infinite, -infinite, infinite - infinite}) {
            x[std::size_t(in + 70)] = odd;
            const auto found = product(x, 3, weights, nullptr);
            for (int i = 0; i < 3 * out; ++i)
                if (i / out == 1)
                    REQUIRE(std::isnan(found[std::size_t(i)]));
                else
                    REQUIRE(found[std::size_t(i)] == y[std::size_t(i)]);
        }
    }
}

TEST_CASE("a row's product is the same bytes alone, among others, and on any number of threads") {
    const int rows = kManyRows, in = kDeep, out = kWide;
    auto x = random_floats(std::size_t(rows * in), 4);
    auto w = random_floats(std::size_t(in * out), 5);
    const auto b = random_floats(std::size_t(out), 6);
    for (const PackedType type : kTypes) {
        const PackedMatrix weights = packed(w, in, out, type);
        const auto expected = product(x, rows, weights, b.data());
        for (const int threads : {1, 2, 3, 7}) {
            CHECK(product(x, rows, weights, b.data(), threads) == expected);
            for (const int count : {1, 2, 3, 7, 13, 49})  // slices are kept, at 49, and not
                for (int first = 0; first + count <= rows; first += count) {
                    std::vector<float> some(x.begin() + first * in,
                                            x.begin() + (first + count) * in);
                    const auto y = product(some, count, weights, b.data(), threads);
                    REQUIRE(std::equal(y.begin(), y.end(), expected.begin() + first * out));
                }
        }
    }
}

TEST_CASE("several tiles that each thread lays out for itself give the bytes of their rows alone") {
    const int rows = 25, out = 97, in = 40;  // few enough words of 8 and 4 bits, and of x itself
    auto x = random_floats(std::size_t(rows * in), 12);
    auto w = random_floats(std::size_t(in * out), 13);
    for (const PackedType type : kTypes) {
        const PackedMatrix weights = packed(w, in, out, type);
        std::vector<float> alone;
        for (int r = 0; r < rows; ++r) {
            const std::vector<float> row(x.begin() + r * in, x.begin() + (r + 1) * in);
            const auto y = product(row, 1, weights, nullptr);
            alone.insert(alone.end(), y.begin(), y.end());
        }
        for (const int threads : {1, 2, 3})
            CHECK(product(x, rows, weights, nullptr, threads) == alone);
    }
}

TEST_CASE("a product of fewer panels than threads is whole") {
    auto x = random_floats(std::size_t(kDeep), 7);
    auto w = random_floats(std::size_t(kDeep * 33), 8);
    for (const PackedType type : kTypes) {
        const PackedMatrix weights = packed(w, kDeep, 33, type);
        CHECK(product(x, 1, weights, nullptr, 7) == product(x, 1, weights, nullptr));
    }
}

TEST_CASE("weights that are taken in many tasks, as they come, give the same bytes") {
    const int in = kDeep, out = 4100;
    auto w = random_floats(std::size_t(in) * out, 13);
    auto x = random_floats(std::size_t(kManyRows * in), 14);
    for (const PackedType type : kTypes) {
        const PackedMatrix weights = packed(w, in, out, type);
        REQUIRE(weights.bytes() >= 2u << 20);
        const auto expected = product(x, kManyRows, weights, nullptr);
        for (const int rows : {1, 2})
            for (const int threads : {1, 2}) {
                const auto y = product(x, rows, weights, nullptr, threads);
                CHECK(std::equal(y.begin(), y.end(), expected.begin()));
            }
    }
}

TEST_CASE("an activation, and a stream to add to, follow linear as if called afterwards") {
    const int in = kDeep;
    for (const int out : {1, 33, kWide}) {
        auto w = random_floats(std::size_t(in * out), 9, 0.1);
        const auto b = random_floats(std::size_t(out), 10);
        for (const PackedType type : kTypes)
            for (const int rows : {1, 2, 3, 5, 25, kManyRows}) {
                auto x = random_floats(std::size_t(rows * in), 11);
                const PackedMatrix weights = packed(w, in, out, type);
                const auto before = random_floats(std::size_t(rows * out), 12);
                for (const auto activation :
                     {std::optional<Activation>(), std::optional(Activation::gelu_new)}) {
                    auto expected = product(x, rows, weights, b.data());
                    if (activation) activate(view(expected, rows, out), *activation);
                    auto sum = before;
                    add(view(sum, rows, out), view(expected, rows, out));
                    for (const int threads : {1, 2, 7}) {
                        auto stream = before;
                        CHECK(product(x, rows, weights, b.data(), threads,
                                      {activation, view(stream, rows, out)}) == expected);
                        CHECK(stream == sum);
                        CHECK(product(x, rows, weights, b.data(), threads, {activation}) ==
                              expected);
                    }
                }
            }
    }
}
