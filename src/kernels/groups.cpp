#include "kernels/groups.h"
#include <limits>
#include "base/number.h"

namespace {

// What share of the weights' range each start of a search covers.
constexpr float kShrinks[] = {1.0f, 0.94f, 0.88f};
constexpr int kVecs = kPanel / kLanes;

Vec column_vec(const float* w, int k, int v) { return load(w + k * kPanel + v * kLanes); }

std::byte* lane(std::byte* lanes, int row, int v) {
    return lanes + (row * kPanel + v * kLanes) * 4;
}

std::uint32_t load_lane(const std::byte* lanes, int row, int c) {
    return load_as<std::uint32_t>(lanes + (row * kPanel + c) * 4);
}

// To nearest even. NaN may become anything.
Vec round_to_bf16(Vec x) {
    const UintVec bits = std::bit_cast<UintVec>(x);
    return std::bit_cast<Vec>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

// 0 where every weight of the column is a number; otherwise NaN, so that a scale can pass it on.
Vec nan_unless_finite(const float* w, int v) {
    Vec sum{};
    for (int k = 0; k < kGroup; ++k) sum = sum + column_vec(w, k, v) * 0.0f;
    return sum;
}

}  // namespace

void store_bf16_row(std::byte* to, const float* row) {
    std::uint32_t lanes[kLanes];
    for (int l = 0; l < kLanes; ++l)
        lanes[l] = float_to_bf16(row[l]) | std::uint32_t(float_to_bf16(row[kLanes + l])) << 16;
    std::memcpy(to, lanes, sizeof lanes);
}

float bf16_of_row(const std::byte* row, int c) {
    const auto lane = load_as<std::uint32_t>(row + c % kLanes * 4);
    return std::bit_cast<float>(c < kLanes ? lane << 16 : lane & 0xffff0000);
}

void Q8::pack(std::byte* group, const float* w) {
    float scales[kPanel];
    for (int v = 0; v < kVecs; ++v) {
        Vec largest{};
        for (int k = 0; k < kGroup; ++k) largest = max(largest, abs(column_vec(w, k, v)));
        const Vec scale = round_to_bf16(largest / 127.0f) + nan_unless_finite(w, v);
        store(scales + v * kLanes, scale);
        const Vec divisor = scale > 0.0f ? scale : broadcast(1);
        for (int q = 0; q < kQuads; ++q) {
            UintVec bytes{};
            for (int i = 0; i < 4; ++i) {
                const Vec n = nearest(column_vec(w, 4 * q + i, v) / divisor, -127, 127);
                bytes |= std::bit_cast<UintVec>((to_int(n) + ByteDot::kOffset) & 0xff) << (8 * i);
            }
            std::memcpy(lane(group + 2 * kPanel, q, v), &bytes, sizeof bytes);
        }
    }
    store_bf16_row(group, scales);
}

float Q8::at(const std::byte* group, int k, int c) {
    const auto byte = std::uint8_t(load_lane(group + 2 * kPanel, k / 4, c) >> (8 * (k % 4)));
    const int n = ByteDot::kOffset > 0 ? byte - ByteDot::kOffset : std::int8_t(byte);
    return bf16_of_row(group, c) * float(n);
}

namespace {

// One group of some columns.
using Group = Vec[kGroup];

// A line minimum + scale n through a group's weights.
struct Line {
    Vec scale{}, minimum{}, inverse{};  // inverse of the scale, 0 where that is 0

    Line() = default;
    Line(Vec s, Vec m) : scale(s), minimum(m), inverse(s > 0.0f ? 1.0f / s : Vec{}) {}
    Vec n(Vec w) const { return nearest((w - minimum) * inverse, 0, 15); }
    Vec error(const Group& w) const {
        Vec sum{};
        for (const Vec x : w) {
            const Vec d = x - minimum - scale * n(x);
            sum = sum + d * d;
        }
        return sum;
    }
};

// The line that least squares draw through the weights where `start` puts them.
Line refit(const Line& start, const Group& w) {
    Vec sum_n{}, sum_nn{}, sum_w{}, sum_wn{};
    for (const Vec x : w) {
        const Vec n = start.n(x);
        sum_n = sum_n + n;
        sum_nn = sum_nn + n * n;
        sum_w = sum_w + x;
        sum_wn = sum_wn + x * n;
    }
    constexpr float kCount = kGroup;
    const Vec spread = kCount * sum_nn - sum_n * sum_n;
    const Vec scale = (kCount * sum_wn - sum_w * sum_n) / (spread > 0.0f ? spread : broadcast(1));
    const Vec rounded = round_to_bf16(scale > 0.0f ? scale : Vec{});
    return Line(rounded, round_to_bf16((sum_w - rounded * sum_n) / kCount));
}

// Of a few starts, some of which cut off the extremes, the line with the least squared error.
Line best_line(const Group& w) {
    Vec least = w[0], most = w[0];
    for (const Vec x : w) {
        least = min(least, x);
        most = max(most, x);
    }
    Line best;
    Vec best_error = broadcast(std::numeric_limits<float>::infinity());
    for (const float shrink : kShrinks) {
        const Vec scale = (most - least) * (shrink / 15), middle = (most + least) * 0.5f;
        const Line line = refit(Line(scale, middle - scale * 7.5f), w);
        const Vec error = line.error(w);
        best.scale = error < best_error ? line.scale : best.scale;
        best.minimum = error < best_error ? line.minimum : best.minimum;
        best.inverse = error < best_error ? line.inverse : best.inverse;
        best_error = min(error, best_error);
    }
    return best;
}

// Powers of two that bring each column's largest weight near 1, where squares neither overflow nor
// vanish: by how much to multiply, and what takes it back.
struct Unit {
    Vec to, from;

    Unit(const float* w, int v) {
        constexpr int kInfinite = 0x7f800000, kMost = 0x7e000000;  // 2^125
        Vec largest{};
        for (int k = 0; k < kGroup; ++k) largest = max(largest, abs(column_vec(w, k, v)));
        IntVec power = std::bit_cast<IntVec>(largest) & kInfinite;
        power = power > kMost ? broadcast_int(kMost) : power;
        power = power == 0 ? broadcast_int(0x00800000) : power;
        from = std::bit_cast<Vec>(power);
        to = 1.0f / from;
    }
};

}  // namespace

void Q4::pack(std::byte* group, const float* w) {
    float scales[kPanel], minima[kPanel];
    for (int v = 0; v < kVecs; ++v) {
        const Unit unit(w, v);
        Group scaled;
        for (int k = 0; k < kGroup; ++k) scaled[k] = column_vec(w, k, v) * unit.to;
        const Line line = best_line(scaled);
        store(scales + v * kLanes, line.scale * unit.from + nan_unless_finite(w, v));
        store(minima + v * kLanes, line.minimum * unit.from);
        for (int pair = 0; pair < kQuads / 2; ++pair) {
            UintVec bytes{};
            for (int i = 0; i < 8; ++i) {  // four of a quad, then four of the next
                const IntVec n = to_int(line.n(scaled[8 * pair + i]));
                bytes |= std::bit_cast<UintVec>(n) << (8 * (i % 4) + i / 4 * 4);
            }
            std::memcpy(lane(group + 4 * kPanel, pair, v), &bytes, sizeof bytes);
        }
    }
    store_bf16_row(group, scales);
    store_bf16_row(group + 2 * kPanel, minima);
}

float Q4::at(const std::byte* group, int k, int c) {
    const int shift = 8 * (k % 4) + k / 4 % 2 * 4;
    const auto n = load_lane(group + 4 * kPanel, k / 8, c) >> shift & 0xf;
    return bf16_of_row(group + 2 * kPanel, c) + bf16_of_row(group, c) * float(n);
}
