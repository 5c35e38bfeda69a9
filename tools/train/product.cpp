#include "tools/train/product.h"
#include <algorithm>

namespace {

// One panel of w, of which y may have only the first columns.
void multiply_panel(Matrix y, TileRows x, ConstMatrix w, Start start) {
    const Tiling tiling(y.rows);
    for (int tile = 0; tile < tiling.tiles; ++tile) {
        const int first = tiling.first(tile);
        with_constant<kTileRows>(tiling.height(tile), [&](auto R) {
            TileSums<R, 1> sum{};
            if (start == Start::from_sum) load_rows<R>(sum[0], y.row(first), y.stride, y.cols);
            multiply_tile<R, 1>(sum, {x.data + first * x.row, x.row, x.step},
                                TilePanels<float>{w.data, 0, w.stride}, w.rows);
            store_rows<R>(y.row(first), y.stride, y.cols, sum[0]);
        });
    }
}

// The columns at the right edge, fewer than a panel: some rows of w at a time, on a copy that is
// filled up with zeros.
void multiply_edge(Matrix y, TileRows x, ConstMatrix w, Start start) {
    constexpr int kRows = 64;
    float numbers[kRows * kPanel] = {};
    const Matrix copy{numbers, kRows, kPanel, kPanel};
    for (int k = 0; k < w.rows; k += kRows) {
        const ConstMatrix some = w.some_rows(k, std::min(kRows, w.rows - k));
        for (int r = 0; r < some.rows; ++r) std::copy_n(some.row(r), some.cols, copy.row(r));
        multiply_panel(y, {x.data + k * x.step, x.row, x.step}, copy.some_rows(0, some.rows),
                       k == 0 ? start : Start::from_sum);
    }
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
