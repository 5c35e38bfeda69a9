#include "tools/train/attention.h"
#include <algorithm>
#include <cmath>
#include <utility>
#include "base/threads.h"
#include "tools/train/product.h"
#include "tools/train/rows.h"

namespace {

// Queries that go together: they see the keys up to the last of them, so that what is computed
// for the future and thrown away stays small.
constexpr int kBlock = 24;

// Columns are computed a panel at a time, those of the future among them.
int whole_panels(int n) { return (n + kPanel - 1) / kPanel * kPanel; }

// A thread's part of a workspace, as matrices one after the other.
class Scratch {
public:
    Scratch(Workspace& workspace, int T, int D)
        : next_(workspace.data(team_size(), size(T, D)) +
                std::size_t(team_member()) * std::size_t(size(T, D))) {}

    // The transposed keys or values, and two blocks of weights.
    static int size(int T, int D) { return (D + 2 * kBlock) * whole_panels(T); }

    Matrix matrix(int rows, int cols) {
        return {std::exchange(next_, next_ + std::size_t(rows) * std::size_t(cols)), rows, cols,
                cols};
    }

private:
    float* next_;
};

// One head of one sequence, its q, k and v (or their gradients) cut out of [B*T,3C]: [T,D] each,
// no memory moves.
template <typename Number>
struct Head {
    MatrixView<Number> q, k, v;

    Head(MatrixView<Number> qkv, int b, int h, int T, int D) {
        const int C = qkv.cols / 3;
        const MatrixView<Number> rows = qkv.some_rows(b * T, T);
        q = rows.columns(h * D, D);
        k = rows.columns(C + h * D, D);
        v = rows.columns(2 * C + h * D, D);
    }
};

void fill(Matrix y, float value) {
    for (int r = 0; r < y.rows; ++r) std::fill_n(y.row(r), y.cols, value);
}

// The first `seen` scores of a row become weights that are positive and sum to 1; the rest of the
// row, up to `width`, becomes 0.
void softmax(float* row, int seen, int width, float scale) {
    std::fill(row + seen, row + width, -INFINITY);
    Vec top = load(row);
    for (int j = kLanes; j < width; j += kLanes) {
        const Vec v = load(row + j);
        top = v > top ? v : top;
    }
    float largest = top[0];
    for (int l = 1; l < kLanes; ++l) largest = std::max(largest, top[l]);
    map(
        row, width, [=](Vec v) { return exp((v - largest) * scale); }, row);
    std::fill(row + seen, row + width, 0.0f);
    const float share = 1 / sum(
                                width, [](Vec v) { return v; }, row);
    for (int j = 0; j < width; ++j) row[j] *= share;
}

// y = x times the mask, for `rows` rows of the weights [B,H,T,T] or of their gradients; the first
// row is number `first` of B H T. Returns x itself where nothing is dropped.
ConstMatrix drop_block(Matrix y, ConstMatrix x, const Mask& mask, int first, int T) {
    if (mask.all()) return x;
    for (int i = 0; i < x.rows; ++i) {
        const std::uint32_t index = std::uint32_t(first + i) * std::uint32_t(T);
        drop(y.row(i), x.row(i), x.cols, index, mask);
    }
    return {y.data, x.rows, x.cols, y.stride};
}

// dp -> ds, in place, times the scale of s.
void softmax_backward(Matrix d, ConstMatrix p, float scale) {
    for (int i = 0; i < d.rows; ++i) {
        float* row = d.row(i);
        const float* weight = p.row(i);
        const float mean = sum(
            d.cols, [](Vec a, Vec b) { return a * b; }, weight, row);
        for (int j = 0; j < d.cols; ++j) row[j] = weight[j] * (row[j] - mean) * scale;
    }
}

}  // namespace

Tensor attention_weights(int B, int H, int T) { return Tensor({B, H, T, whole_panels(T)}); }

void reserve_for_attention(Workspace& workspace, int T, int D, int threads) {
    workspace.reserve(threads, Scratch::size(T, D));
}

void attention(Matrix mixed, Tensor& weights, ConstMatrix qkv, const Mask& mask,
               Workspace& workspace) {
    const int B = weights.shape[0], H = weights.shape[1], T = weights.shape[2], D = mixed.cols / H;
    expect("attention", {qkv.rows, qkv.cols}, {B * T, 3 * H * D});
    const float scale = 1 / std::sqrt(float(D));
#pragma omp for schedule(dynamic, 1)
    for (int n = 0; n < B * H; ++n) {
        const int b = n / H, h = n % H;
        const Head head(qkv, b, h, T, D);
        Scratch scratch(workspace, T, D);
        const Matrix kt = scratch.matrix(D, weights.shape[3]), dropped = scratch.matrix(kBlock, T);
        transpose(kt.columns(0, T), head.k);
        for (int t = 0; t < T; t += kBlock) {
            const int rows = std::min(kBlock, T - t), keys = t + rows, width = whole_panels(keys);
            const Matrix p{&weights.at(b, h, t, 0), rows, width, weights.shape[3]};
            multiply(p, rows_of(head.q.some_rows(t, rows)), kt.columns(0, width));
            for (int i = 0; i < rows; ++i) softmax(p.row(i), t + i + 1, width, scale);
            const ConstMatrix mp = drop_block(dropped, p.columns(0, keys), mask, n * T + t, T);
            multiply(mixed.some_rows(b * T + t, rows).columns(h * D, D), rows_of(mp),
                     head.v.some_rows(0, keys));
        }
    }
}

void attention_backward(Matrix d_qkv, ConstMatrix d_mixed, const Tensor& weights, ConstMatrix qkv,
                        const Mask& mask, Workspace& workspace) {
    const int B = weights.shape[0], H = weights.shape[1], T = weights.shape[2];
    const int D = d_mixed.cols / H;
    expect("attention_backward", {qkv.rows, qkv.cols}, {B * T, 3 * H * D});
    const float scale = 1 / std::sqrt(float(D));
#pragma omp for schedule(dynamic, 1)
    for (int n = 0; n < B * H; ++n) {
        const int b = n / H, h = n % H;
        const Head head(qkv, b, h, T, D);
        const Head d(d_qkv, b, h, T, D);
        Scratch scratch(workspace, T, D);
        const Matrix vt = scratch.matrix(D, weights.shape[3]), dropped = scratch.matrix(kBlock, T);
        const Matrix d_p = scratch.matrix(kBlock, weights.shape[3]);
        transpose(vt.columns(0, T), head.v);
        fill(d.k, 0), fill(d.v, 0);
        for (int t = 0; t < T; t += kBlock) {
            const int rows = std::min(kBlock, T - t), keys = t + rows;
            const ConstMatrix p{&weights.at(b, h, t, 0), rows, keys, weights.shape[3]};
            const ConstMatrix d_out = d_mixed.some_rows(b * T + t, rows).columns(h * D, D);
            const ConstMatrix mp = drop_block(dropped, p, mask, n * T + t, T);
            multiply(d.v.some_rows(0, keys), columns_of(mp), d_out, Start::from_sum);
            const int width = whole_panels(keys);
            multiply(d_p.some_rows(0, rows).columns(0, width), rows_of(d_out),
                     vt.columns(0, width));
            const Matrix ds = d_p.some_rows(0, rows).columns(0, keys);
            drop_block(ds, ds, mask, n * T + t, T);
            softmax_backward(ds, p, scale);
            multiply(d.q.some_rows(t, rows), rows_of(ds), head.k.some_rows(0, keys));
            multiply(d.k.some_rows(0, keys), columns_of(ds), head.q.some_rows(t, rows),
                     Start::from_sum);
        }
    }
}
