// Sums over a row of numbers, a vector at a time, whatever its length.
#pragma once
#include <cmath>
#include <cstring>
#include "kernels/functions.h"

// The first n of a vector, zeros behind them.
inline Vec load_some(const float* p, int n) {
    Vec v{};
    std::memcpy(&v, p, std::size_t(n) * sizeof(float));
    return v;
}

// The sum of f(x[i]...) for i < n: each lane in sequence, then the lanes.
template <typename F, typename... X>
float sum(int n, F f, const X*... x) {
    Vec total{};
    int i = 0;
    for (; i + kLanes <= n; i += kLanes) total += f(load(x + i)...);
    if (i < n) {
        const Vec last = f(load_some(x + i, n - i)...);
        total += load_some(reinterpret_cast<const float*>(&last), n - i);
    }
    float result = 0;
    for (int l = 0; l < kLanes; ++l) result += total[l];
    return result;
}

// What layer normalisation adds to a variance.
inline constexpr float kEpsilon = 1e-5f;

// What layer normalisation takes from a row: its mean, and one over its deviation.
struct Moments {
    float mean = 0, inverse_deviation = 0;

    Moments() = default;
    Moments(const float* x, int n) {
        const float m = mean = sum(
                                   n, [](Vec v) { return v; }, x) /
                               float(n);
        const float variance = sum(
                                   n, [m](Vec v) { return (v - m) * (v - m); }, x) /
                               float(n);
        inverse_deviation = 1 / std::sqrt(variance + kEpsilon);
    }
    Vec standardise(Vec x) const { return (x - mean) * inverse_deviation; }
};
