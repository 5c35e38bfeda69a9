#include "kernels/attention.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include "base/threads.h"
#include "kernels/functions.h"
#include "kernels/tile.h"

namespace {

// Numbers of keys and values. With fewer of them for each thread, every thread has an even share of
// the heads; with more, heads are taken one by one.
constexpr int kWorthTaking = 1 << 15;

// One head's work on a few neighbouring queries.
struct Task {
    const Attending& sequence;
    int h, first;  // head; first query of the tile
    float scale;
    float* scores;
    std::ptrdiff_t stride;  // of scores, per query

    int position(int r) const { return sequence.start + first + r; }
    const float* q() const { return sequence.qkv.row(first) + h * sequence.cache.D; }
};

// From one query's scores to the next: room for whole blocks of keys.
int score_stride(int S) { return odd_lines((S + kBlock - 1) / kBlock * kBlock); }

// scores[r][j] = q[r] k[j], for whole panels of keys: a score beyond a query's own position is
// whatever the cache holds there, and is overwritten by exponentiate or never read.
template <int R>
void score(const Task& task) {
    const KeyValues& cache = task.sequence.cache;
    const std::ptrdiff_t panel_step = std::ptrdiff_t(cache.D) * kPanel;
    const int n = task.position(R - 1) + 1;
    for (int j = 0; j < n; j += kBlock) {
        const float* keys = cache.keys(j / kBlock, task.h);
        const int panels = (std::min(kBlock, n - j) + kPanel - 1) / kPanel;
        for_panels<panels_for(R)>(0, panels, [&](int panel, int apart, auto P) {
            TileSums<R, P> sum{};
            multiply_tile<R, P>(
                sum, {task.q(), task.sequence.qkv.stride, 1},
                TilePanels<float>{keys + panel * panel_step, apart * panel_step, kPanel}, cache.D);
            unroll<P>([&](auto p) {
                store_rows<R>(task.scores + j + (panel + p * apart) * kPanel, task.stride, kPanel,
                              sum[p]);
            });
        });
    }
}

// Turns the first n scores into e^(scale (score - largest)) and returns their sum. What follows
// them up to a multiple of sixteen becomes 0.
float exponentiate(float* scores, int n, float scale) {
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    const int end = (n + 15) / 16 * 16;
    std::fill(scores + n, scores + end, kNone);
    const float highest = largest(scores, end);
    Sixteen total{};
    for (int j = 0; j < end; j += 16)
        for (int part = 0; part < 16 / kLanes; ++part) {
            float* s = scores + j + part * kLanes;
            const Vec e = exp((load(s) - highest) * scale);
            store(s, e);
            total[part] = total[part] + e;
        }
    return fold(total, [](Vec a, Vec b) { return a + b; });
}

// sum[p][r] += scores[r][j] v[j] for all keys that every query of the tile sees, then for each
// query's own few, in sequence.
template <int R, int P>
[[gnu::always_inline]] inline void mix(TileSums<R, P>& sum, const Task& task, int panel,
                                       int apart) {
    const KeyValues& cache = task.sequence.cache;
    const int shared = task.position(0) + 1;  // keys
    const auto value = [&](int j) {
        return cache.values(j / kBlock, task.h) + (panel * kBlock + j % kBlock) * kPanel;
    };
    for (int j = 0; j < shared; j += kBlock)
        multiply_tile<R, P>(sum, {task.scores + j, task.stride, 1},
                            TilePanels<float>{value(j), apart * kBlock * kPanel, kPanel},
                            std::min(kBlock, shared - j));
    unroll<R - 1>([&](auto i) IN_PLACE {  // the key at the position of query i + 1
        const float* const v = value(shared + i);
        unroll<P>([&](auto p) IN_PLACE {
            const Pair vj = load_pair(v + p * apart * kBlock * kPanel);
            unroll<R - 1 - i>([&](auto later) IN_PLACE {
                constexpr int r = i + 1 + later;
                const Vec weight = broadcast(task.scores[r * task.stride + shared + i]);
                sum[p][r][0] = fma(weight, vj.first, sum[p][r][0]);
                sum[p][r][1] = fma(weight, vj.second, sum[p][r][1]);
            });
        });
    });
}

template <int R>
void mix_values(const Task& task, const float (&total)[R]) {
    const int D = task.sequence.cache.D;
    const Matrix& y = task.sequence.y;
    for_panels<panels_for(R)>(0, KeyValues::padded(D) / kPanel, [&](int panel, int apart, auto P) {
        TileSums<R, P> sum{};
        mix<R, P>(sum, task, panel, apart);
        unroll<P>([&](auto p) IN_PLACE {
            const int c = (panel + p * apart) * kPanel;
            unroll<R>([&](auto r) IN_PLACE {
                unroll<2>([&](auto v) IN_PLACE { sum[p][r][v] = sum[p][r][v] / total[r]; });
            });
            store_rows<R>(y.row(task.first) + task.h * D + c, y.stride, std::min(kPanel, D - c),
                          sum[p]);
        });
    });
}

template <int R>
void attend(const Task& task) {
    score<R>(task);
    float total[R];
    for (int r = 0; r < R; ++r)
        total[r] = exponentiate(task.scores + r * task.stride, task.position(r) + 1, task.scale);
    mix_values<R>(task, total);
}

// Puts one head's new keys and values into the cache.
void append(const Attending& s, int h) {
    const int H = s.cache.H, D = s.cache.D;
    for (int t = 0; t < s.qkv.rows; ++t) {
        const int block = (s.start + t) / kBlock, j = (s.start + t) % kBlock;
        const float* k = s.qkv.row(t) + (H + h) * D;
        float* key = s.cache.keys(block, h) + j / kPanel * D * kPanel + j % kPanel;
        for (int d = 0; d < D; ++d) key[d * kPanel] = k[d];
        const float* v = k + H * D;
        float* value = s.cache.values(block, h) + j * kPanel;
        for (int d = 0; d < D; d += kPanel, value += kBlock * kPanel)
            std::fill(std::copy_n(v + d, std::min(kPanel, D - d), value), value + kPanel, 0.0f);
    }
}

int tiles_of(const Attending& s) { return s.cache.H * Tiling(s.y.rows).tiles; }

// Tile i of queries, counted over the heads of all sequences. With and_append, for which every head
// must be a single tile, so that no other task reads it, its new keys and values go in first.
void attend(std::span<const Attending> sequences, int i, bool and_append, float scale,
            float* scores, std::ptrdiff_t stride) {
    const Attending* s = sequences.data();
    for (; i >= tiles_of(*s); ++s) i -= tiles_of(*s);
    const Tiling tiling(s->y.rows);
    const int h = i / tiling.tiles, tile = i % tiling.tiles;
    if (and_append) append(*s, h);
    with_constant<kTileRows>(tiling.height(tile), [&](auto R) {
        attend<R>({*s, h, tiling.first(tile), scale, scores, stride});
    });
}

}  // namespace

void attention(std::span<const Attending> sequences, float scale, Workspace& workspace) {
    int tiles = 0, S = 0;
    std::int64_t numbers = 0;  // keys and values
    bool tile_each = true;     // every head of every sequence is a single one
    for (const Attending& s : sequences) {
        expect("attention, y", {s.y.rows, s.y.cols}, {s.qkv.rows, s.cache.H * s.cache.D});
        expect("attention, qkv", {s.qkv.cols}, {3 * s.y.cols});
        tiles += tiles_of(s);
        tile_each = tile_each && tiles_of(s) == s.cache.H;
        S = std::max(S, s.start + s.y.rows);
        numbers += std::int64_t(s.start + s.y.rows) * 2 * s.y.cols;
    }
    const std::ptrdiff_t stride = score_stride(S);
    float* scores =
        workspace.data(team_size() * kTileRows, int(stride)) + team_member() * kTileRows * stride;
    if (tile_each) {
        const int team = team_size(), tasks = numbers / team < kWorthTaking ? team : tiles;
        workspace.share_out(tasks, [&](int task) {
            const Range part = share(tiles, task, tasks);
            for (int i = part.first; i < part.last; ++i)
                attend(sequences, i, true, scale, scores, stride);
        });
    } else {
        for (const Attending& s : sequences) {
            const Range share = my_share(s.cache.H);
            for (int h = share.first; h < share.last; ++h) append(s, h);
        }
        workspace.wait();
        workspace.share_out(tiles,
                            [&](int i) { attend(sequences, i, false, scale, scores, stride); });
    }
}

void reserve_for_attention(Workspace& workspace, int S, int threads) {
    workspace.reserve(threads * kTileRows, score_stride(S));
}
