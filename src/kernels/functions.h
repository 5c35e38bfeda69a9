// Exponentials and the activations on vectors, lane by lane: each lane's result depends on that
// lane alone. The polynomials are minimax fits of this project, coefficients rounded to float one
// by one, lowest order first.
#pragma once
#include <cstddef>
#include <limits>
#include "kernels/simd.h"

// c0 + c1 x + c2 x^2 + ..., by Horner's rule.
template <std::size_t n>
inline Vec polynomial(Vec x, const float (&c)[n]) {
    Vec sum = broadcast(c[n - 1]);
    for (std::size_t i = n - 1; i-- > 0;) sum = fma(sum, x, broadcast(c[i]));
    return sum;
}

// The largest of x[0 .. n - 1], n > 0, none of them NaN.
inline float largest(const float* x, int n) {
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    Sixteen most;
    most.fill(broadcast(kNone));
    for_sixteens(x, n, kNone, [&](auto part, Vec v) { most[part] = max(most[part], v); });
    return fold(most, [](Vec a, Vec b) { return max(a, b); });
}

// e^x within 2 units in the last place over all floats, subnormal results included; 0 and infinity
// beyond them, NaN for NaN.
inline Vec exp(Vec x) {
    // x = n ln 2 + r with |r| <= ln(2) / 2; past these bounds the result is 0 or infinite anyway.
    // (With x second, max and min pass NaN on.)
    x = min(broadcast(89.0f), max(broadcast(-104.0f), x));
    // Adding kRound leaves n + 254 in the low bits: the sum of two floats' exponents, each biased
    // by 127.
    const Vec kRound = broadcast(0x1.8p23f + 254);
    const Vec shifted = fma(x, broadcast(0x1.715476p0f), kRound);
    const Vec n = shifted - kRound;
    // ln 2 in two parts, the first so short that n times it is exact.
    Vec r = fma(n, broadcast(-0x1.62e4p-1f), x);
    r = fma(n, broadcast(-0x1.7f7d1cp-20f), r);
    // (e^r - 1 - r) / r^2 on [-0.3467, 0.3467], relative error of e^r 3.2e-9
    const Vec q = polynomial(
        r, {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558bp-5f, 0x1.12398ep-7f, 0x1.6a4d6p-10f});
    // times 2^n in two halves, as 2^n alone may be no float
    const UintVec exponents = std::bit_cast<UintVec>(shifted), half = exponents >> 1;
    const Vec power = std::bit_cast<Vec>(half << 23);
    return fma(fma(r * r, q, r), power, power) * std::bit_cast<Vec>((exponents - half) << 23);
}

// tanh x within 2 units in the last place over all floats.
inline Vec tanh(Vec x) {
    const Vec size = abs(x), square = x * x;
    // (tanh x - x) / x^3 in x^2 on [0, 0.625], relative error of tanh x 4.6e-9
    const Vec q = polynomial(square, {-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f,
                                      0x1.51f8cep-6f, -0x1.750ce4p-8f});
    const Vec near = fma(size * square, q, size);
    const Vec far = 1.0f - 2.0f / (exp(size + size) + 1.0f);
    const Vec result = size < 0.625f ? near : far;
    const IntVec sign = std::bit_cast<IntVec>(x) & INT32_MIN;  // that of zero too
    return std::bit_cast<Vec>(std::bit_cast<IntVec>(result) | sign);
}

// x / (1 + e^-x)
inline Vec silu(Vec x) { return x / (1.0f + exp(-x)); }

// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, with (1 + tanh u) / 2 = 1 / (1 + e^-2u), which
// keeps its digits where tanh u is near -1.
inline Vec gelu_tanh(Vec x) {
    constexpr double kLinear = -1.59576912160573071;  // -2 sqrt(2 / pi)
    const Vec factor = fma(x * x, broadcast(float(kLinear * 0.044715)), broadcast(float(kLinear)));
    return x / (1.0f + exp(x * factor));  // x factor = -2u
}

// x (1 + erf(x / sqrt 2)) / 2 = max(x, 0) - |x| t, where t = erfc(|x| / sqrt 2) / 2 is the tail
// e^(-x^2 / 2) q(|x|).
inline Vec gelu_erf(Vec x) {
    const Vec size = min(abs(x), broadcast(16.0f));  // where the tail has long been 0
    const Vec z = size * 0.3f, u = z / (1.0f + z);
    // q / (1 - u) in u on [0, 0.81], relative error 4.5e-9
    const Vec q = polynomial(u, {0x1p-1f, -0x1.a8dc8p-1f, 0x1.3c7dbcp-1f, -0x1.4be5d2p-4f,
                                 -0x1.1e2052p-3f, 0x1.7f319p-6f, 0x1.442d0ap-7f, 0x1.255c28p-4f,
                                 -0x1.2d5968p-4f, 0x1.54154cp-6f}) *
                  (1.0f - u);
    const Vec tail = exp(size * size * -0.5f) * q;
    return fma(-size, tail, x > 0.0f ? x : Vec{} * x);
}
