// How a product is cut. w lies in panels of kPanel columns. Rows of x are cut into tiles: one tile
// by one panel is what the registers hold (tile.h, integer_tile.h).
//
// A few rows (stream): w is read from memory once. Each thread has a share of the panels, cut into
// pieces, and a tile takes several panels at a time.
//
// More (multiply_panels): a task is a block of some kRowBlock rows by up to kMostPanels panels. w
// is cut into slices, kDepth rows of a panel, and each is multiplied by every tile of the block
// while it is in cache. Between slices the sums wait in y.
//
// A Kind of weights says how x is laid out and which tile multiplies. The end of this file is the
// place to begin: linear(), then multiply().
#include "kernels/linear.h"
#include <algorithm>
#include <span>
#include <type_traits>
#include "base/threads.h"
#include "kernels/integer_tile.h"
#include "kernels/pointwise.h"
#include "kernels/tile.h"

namespace {

constexpr int kRowBlock = 72;    // rows of x, about, that share a slice of w
constexpr int kMostPanels = 8;   // neighbouring panels in one task
constexpr int kPart = 128;       // columns of x that one thread lays out at a time
constexpr int kRowsToKeep = 48;  // of x, from which it pays to keep a slice in a simpler form
constexpr int kOwn = 1024;       // words of x that a thread lays out faster than threads meet
// Where there is enough to share: so many tasks that nobody waits long, so few that each is far
// longer than taking it.
constexpr int kTasksPerThread = 6;              // of many rows
constexpr std::size_t kPieceBytes = 128 << 10;  // of w, of a few rows

struct Product {
    Matrix y;
    ConstMatrix x;
    const PackedMatrix& w;
    const float* b;
    Then then = {};

    int columns(int panel, int panels = 1) const {
        return std::min((panel + panels) * kPanel, w.out()) - panel * kPanel;
    }
    // What follows for complete rows of the panels first .. last - 1: for all together, so that an
    // activation's constants are loaded once for many numbers.
    void finish(int row, int rows, int first, int last) const {
        if (first >= last) return;
        const int c = first * kPanel, cols = columns(first, last - first);
        const Matrix part = y.some_rows(row, rows).columns(c, cols);
        if (then.activation) activate(part, *then.activation);
        if (then.residual) add(then.residual->some_rows(row, rows).columns(c, cols), part);
    }
};

// ---- What differs between the kinds of weights.
//
// kRows      rows of x in a tile
// kDepth     rows of w in a slice: so many that a block of x (216 KiB of floats), a slice and the
//            next one stay in a second-level cache of 512 KiB
// kStreamed  most rows of x that are multiplied as w comes from memory, in one tile
// panels     that it takes on at once, each a run of memory; Streamed asks for more of these
// kLaysOut   whether lay_out copies x, row_floats() a row, to where multiply reads it
// multiply   adds the product over rows k .. k + depth - 1 of w, which begin at `w`
// Kept       the kind that multiplies by what the first tile of a block made of a slice

template <typename Number>
struct FloatKind {
    static constexpr int kRows = kTileRows, kDepth = 768;
    static constexpr int kStreamed = kLanes == 16 ? kRows : kFewRows;
    static constexpr bool kLaysOut = false;
    using Kept = FloatKind<float>;
    template <int R>
    using Streamed = std::conditional_t<R <= kFewRows, NothingAhead, Following<8192>>;
    static constexpr int panels(int R) { return panels_for(R); }
    static constexpr std::size_t bytes(int depth) {
        return std::size_t(depth) * kPanel * sizeof(Number);
    }

    static int turns(int depth) { return ::turns(depth); }

    template <int R, int P, typename Next>
    static void multiply(TileSums<R, P>& sum, ConstMatrix x, int k, const std::byte* w,
                         std::size_t panel_bytes, int depth, Next next) {
        multiply_tile<R, P>(sum, {x.data + k, x.stride, 1}, packed_panels<Number>(w, panel_bytes),
                            depth, next);
    }
};

template <typename Tile>
struct IntegerKind {
    static constexpr int kRows = kLanes == 16 ? kRowsHeld : 4, kDepth = kLanes == 16 ? 1024 : 512;
    static constexpr int kStreamed = kLanes == 16 ? kTileRows : kRows;
    static constexpr bool kLaysOut = true;
    using Kept = IntegerKind<typename Tile::Kept>;
    template <int R>
    using Streamed = Following<kLanes == 16 ? 2048 : 1024>;
    static constexpr int panels(int R) {
        return kLanes == 16 ? std::min(panels_for(R), 2) : panels_for(R);
    }
    static constexpr std::size_t bytes(int depth) {
        return std::size_t(groups_of(depth)) * Tile::kBytes;
    }
    static std::ptrdiff_t row_floats(int in) {
        return std::ptrdiff_t(groups_of(in)) * QuantisedRows<Tile>::kRow;
    }

    static void lay_out(float* to, ConstMatrix all, Range rows, Range columns) {
        const ConstMatrix x = all.some_rows(rows.first, rows.last - rows.first)
                                  .columns(columns.first, columns.last - columns.first);
        for (int k = 0; k < x.cols; k += kGroup, to += x.rows * QuantisedRows<Tile>::kRow)
            for (int r = 0; r < x.rows; ++r)
                QuantisedRows<Tile>::store(to, r, x.rows, x.row(r) + k,
                                           std::min(kGroup, x.cols - k));
    }

    static int turns(int depth) { return groups_of(depth); }

    template <int R, int P, typename Next>
    static void multiply(TileSums<R, P>& sum, ConstMatrix x, int k, const std::byte* w,
                         std::size_t panel_bytes, int depth, Next next) {
        multiply_groups<Tile, R, P>(sum, x.data + k / kGroup * R * QuantisedRows<Tile>::kRow, w,
                                    panel_bytes, groups_of(depth), next);
    }
};

// Every row of a tile begins as the bias: zero without one.
template <int R>
[[gnu::always_inline]] inline void start_panel(Vec (&sum)[R][2], const Product& m, int panel) {
    Vec b[1][2] = {};
    if (m.b) load_rows<1>(b, m.b + panel * kPanel, 0, m.columns(panel));
    unroll<R>([&](auto r) IN_PLACE { unroll<2>([&](auto v) IN_PLACE { sum[r][v] = b[0][v]; }); });
}

// ---- A few rows: the weights come from memory once, straight into the registers.

// One of several pieces of some panels, as for_panels cuts them.
template <typename Kind, int R>
void stream(const Product& m, ConstMatrix x, Range panels, int piece, int pieces) {
    constexpr int kRuns = Kind::panels(R);
    const auto multiply = [&](int first, int apart, auto P) {
        TileSums<R, P> sum;
        unroll<P>([&](auto p) IN_PLACE { start_panel<R>(sum[p], m, first + p * apart); });
        Kind::template multiply<R, P>(sum, x, 0, m.w.panel(first),
                                      std::size_t(apart) * m.w.panel_bytes(), m.w.in(),
                                      typename Kind::template Streamed<R>{});
        unroll<P>([&](auto p) IN_PLACE {
            const int panel = first + p * apart;
            store_rows<R>(m.y.row(0) + panel * kPanel, m.y.stride, m.columns(panel), sum[p]);
        });
    };
    for_panels<kRuns>(panels.first, panels.last, multiply, piece, pieces);
    // What follows for the same panels, run after run; of a single piece for all at once.
    const int runs = pieces > 1 ? kRuns : 1, apart = (panels.last - panels.first) / runs;
    const auto [first, last] = share(apart, piece, pieces);
    for (int run = 0, at = panels.first; run < runs; ++run, at += apart)
        m.finish(0, R, at + first, at + last);
    if (piece + 1 == pieces) m.finish(0, R, panels.first + runs * apart, panels.last);
}

// ---- More: blocks of rows and slices of panels, so that both stay in cache.

// Rows k .. k + depth - 1 of one panel, which begin at w.
struct Slice {
    int panel, k, depth;
    const std::byte* w;
};

template <typename Kind, int R, typename Next>
void multiply_slice(const Product& m, ConstMatrix x, int row, const Slice& slice, Next next) {
    float* y = m.y.row(row) + slice.panel * kPanel;
    TileSums<R, 1> sum;
    if (slice.k == 0)
        start_panel<R>(sum[0], m, slice.panel);
    else
        load_rows<R>(sum[0], y, m.y.stride, m.columns(slice.panel));
    for (int r = R; r < 2 * R; ++r)  // lines of y, most likely the next tile's
        for (std::ptrdiff_t i = 0; i < kPanel; i += kLine / std::ptrdiff_t(sizeof *y))
            prefetch_into_l1(y, (r * m.y.stride + i) * std::ptrdiff_t(sizeof *y));
    Kind::template multiply<R, 1>(sum, x.some_rows(row, R), slice.k, slice.w, 0, slice.depth, next);
    store_rows<R>(y, m.y.stride, m.columns(slice.panel), sum[0]);
}

template <typename Kind, typename Next>
void multiply_tiles(const Product& m, ConstMatrix x, const Tiling& tiling, Range tiles,
                    const Slice& slice, Next next) {
    for (int tile = tiles.first; tile < tiles.last; ++tile, next.skip(Kind::turns(slice.depth))) {
        const int row = tiling.first(tile);
        with_constant<Kind::kRows>(
            tiling.height(tile), [&](auto R) { multiply_slice<Kind, R>(m, x, row, slice, next); });
    }
}

// Multiplies every tile of a block of rows by one slice, while the next one, if any, comes nearer.
template <typename Kind>
void multiply_block(const Product& m, ConstMatrix x, const Tiling& tiling, Range tiles, Slice slice,
                    std::span<const std::byte> next) {
    const int turns = Kind::turns(slice.depth);
    Ahead ahead(next.data(), std::ssize(next), std::ptrdiff_t(turns) * (tiles.last - tiles.first));
    using Kept = typename Kind::Kept;
    if constexpr (!std::is_same_v<Kind, Kept>) {
        if (tiling.first(tiles.last) - tiling.first(tiles.first) >= kRowsToKeep) {
            alignas(64) std::byte room[Kept::bytes(Kind::kDepth)];
            const Range first{tiles.first, tiles.first + 1}, others{first.last, tiles.last};
            multiply_tiles<Kind>(m, x, tiling, first, slice, Keeping{ahead, room});
            ahead.skip(turns);
            slice.w = room;
            return multiply_tiles<Kept>(m, x, tiling, others, slice, ahead);
        }
    }
    multiply_tiles<Kind>(m, x, tiling, tiles, slice, ahead);
}

// Multiplies some tiles by neighbouring panels, a slice of each at a time; then what follows.
template <typename Kind>
void multiply_panels(const Product& m, ConstMatrix x, const Tiling& tiling, Range tiles,
                     Range panels) {
    const int row = tiling.first(tiles.first), rows = tiling.first(tiles.last) - row;
    const auto slice_at = [&](int panel, int k) {
        return Slice{panel, k, std::min(Kind::kDepth, m.w.in() - k),
                     m.w.panel(panel) + Kind::bytes(k)};
    };
    for (int k = 0; k < m.w.in(); k += Kind::kDepth)
        for (int panel = panels.first; panel < panels.last; ++panel) {
            const Slice slice = slice_at(panel, k);
            const Slice next = panel + 1 < panels.last ? slice_at(panel + 1, k)
                                                       : slice_at(panels.first, k + slice.depth);
            multiply_block<Kind>(m, x, tiling, tiles, slice, {next.w, Kind::bytes(next.depth)});
        }
    m.finish(row, rows, panels.first, panels.last);
}

// x laid out for the tiles, so that each begins where its first row does: by the team together or,
// where that is little, by every thread for itself in its `own` room.
template <typename Kind>
ConstMatrix laid_out(const Product& m, const Tiling& tiling, float (&own)[kOwn],
                     Workspace& workspace) {
    const int N = m.y.rows, in = m.w.in(), parts = (in + kPart - 1) / kPart;
    const bool alone = N * Kind::row_floats(in) <= kOwn;
    const Matrix x{alone ? own : workspace.data(N, in), N, in, Kind::row_floats(in)};
    const Range share = alone ? Range{0, tiling.tiles * parts} : my_share(tiling.tiles * parts);
    for (int i = share.first; i < share.last; ++i) {
        const int tile = i / parts, k = i % parts * kPart;
        const Range rows{tiling.first(tile), tiling.first(tile + 1)};
        Kind::lay_out(x.row(rows.first) + tiling.height(tile) * Kind::row_floats(k), m.x, rows,
                      {k, std::min(k + kPart, in)});
    }
    if (!alone) workspace.wait();
    return x;
}

template <typename Kind>
void multiply(const Product& m, Workspace& workspace) {
    const bool few = m.y.rows <= Kind::kStreamed;
    const Tiling tiling(m.y.rows, few ? Kind::kStreamed : Kind::kRows);
    ConstMatrix x = m.x;
    alignas(64) float own[kOwn];
    if constexpr (Kind::kLaysOut) x = laid_out<Kind>(m, tiling, own, workspace);
    const int panels = m.w.panels(), team = team_size();
    if (few && m.y.rows > 0) {
        // Other threads may have just written x: all of its lines come at once.
        const auto row_bytes =
            (Kind::kLaysOut ? x.stride : x.cols) * std::ptrdiff_t(sizeof *x.data);
        for (int r = 0; x.data != own && r < x.rows; ++r)
            for (std::ptrdiff_t i = 0; i < row_bytes; i += kLine) prefetch_into_l1(x.row(r), i);
        // A share of the panels for each thread, in pieces where that is much.
        const int most = int(m.w.bytes() / (std::size_t(team) * kPieceBytes));
        const int pieces = std::clamp(most, 1, std::max(panels / (team * Kind::panels(1)), 1));
        workspace.share_out(team * pieces, [&](int task) {
            with_constant<Kind::kStreamed>(m.y.rows, [&](auto R) {
                stream<Kind, R>(m, x, share(panels, task / pieces, team), task % pieces, pieces);
            });
        });
        return;
    }
    const int blocks = (m.y.rows + kRowBlock - 1) / kRowBlock;
    const int width = std::clamp(panels * blocks / (kTasksPerThread * team), 1, kMostPanels);
    workspace.share_out((panels + width - 1) / width * blocks, [&](int task) {
        const int block = task % blocks, first = task / blocks * width;
        multiply_panels<Kind>(m, x, tiling, share(tiling.tiles, block, blocks),
                              {first, std::min(first + width, panels)});
    });
}

}  // namespace

void linear(Matrix y, ConstMatrix x, const PackedMatrix& w, const float* b, Workspace& workspace,
            const Then& then) {
    expect("linear, x", {x.rows, x.cols}, {y.rows, w.in()});
    expect("linear, y", {y.rows, y.cols}, {x.rows, w.out()});
    if (then.residual)
        expect("linear, residual", {then.residual->rows, then.residual->cols}, {y.rows, y.cols});
    const Product m{y, x, w, b, then};
    switch (w.type()) {
        case PackedType::f32: return multiply<FloatKind<float>>(m, workspace);
        case PackedType::f16: return multiply<FloatKind<F16>>(m, workspace);
        case PackedType::bf16: return multiply<FloatKind<Bf16>>(m, workspace);
        case PackedType::q8: return multiply<IntegerKind<Q8Tile>>(m, workspace);
        case PackedType::q4: return multiply<IntegerKind<Q4Tile>>(m, workspace);
    }
}
