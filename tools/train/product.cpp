#include "tools/train/product.h"
#include <algorithm>
#include "base/buffer.h"

namespace {

// One panel wide.
void multiply_panel(Matrix y, TileRows x, ConstMatrix w, Start start) {
    const Tiling tiling(y.rows);
    for (int tile = 0; tile < tiling.tiles; ++tile) {
        const int first = tiling.first(tile);
        with_constant<kTileRows>(tiling.height(tile), [&](auto R) {
            TileSums<R, 1> sum{};
            if (start == Start::from_sum)
                for (int r = 0; r < R; ++r)
                    for (int v = 0; v < 2; ++v) sum[0][r][v] = load(y.row(first + r) + v * kLanes);
            multiply_tile<R, 1>(sum, {x.data + first * x.row, x.row, x.step},
                                TilePanels<float>{w.data, 0, w.stride}, w.rows);
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < 2; ++v) store(y.row(first + r) + v * kLanes, sum[0][r][v]);
        });
    }
}

void copy(Matrix to, ConstMatrix from) {
    for (int r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.cols, to.row(r));
}

// The columns at the right edge, fewer than a panel: on copies that are filled up with zeros.
void multiply_edge(Matrix y, TileRows x, ConstMatrix w, Start start) {
    Buffer<float> numbers(std::size_t(y.rows + w.rows) * kPanel);
    std::fill(numbers.begin(), numbers.end(), 0.0f);
    const Matrix padded_y{numbers.data(), y.rows, kPanel, kPanel};
    const Matrix padded_w{padded_y.row(y.rows), w.rows, kPanel, kPanel};
    copy(padded_y, y);
    copy(padded_w, w);
    multiply_panel(padded_y, x, padded_w, start);
    copy(y, padded_y.columns(0, y.cols));
}

}  // namespace

void multiply(Matrix y, TileRows x, ConstMatrix w, Start start) {
    expect("multiply", {y.cols}, {w.cols});
    int c = 0;
    for (; c + kPanel <= y.cols; c += kPanel)
        multiply_panel(y.columns(c, kPanel), x, w.columns(c, kPanel), start);
    if (const int rest = y.cols - c; rest > 0)
        multiply_edge(y.columns(c, rest), x, w.columns(c, rest), start);
}

void transpose(Matrix y, ConstMatrix x) {
    expect("transpose", {y.rows, y.cols}, {x.cols, x.rows});
    constexpr int kBlock = 16;  // rows of x whose lines stay in cache while their columns are read
    for (int first = 0; first < x.rows; first += kBlock)
        for (int c = 0; c < x.cols; ++c)
            for (int r = first; r < std::min(first + kBlock, x.rows); ++r)
                y.row(c)[r] = x.row(r)[c];
}
