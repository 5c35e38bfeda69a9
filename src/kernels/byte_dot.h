// Sums of products of bytes. Each 32-bit lane holds four weights of one column, n + kOffset; all
// lanes are multiplied by the same four values of x, -127 to 127. The sums are exact, so the
// several ways to make them agree.
#pragma once
#include "kernels/simd.h"

// a b + c d for the two signed 16-bit halves a, c of x and b, d of y.
inline IntVec multiply_halves(IntVec x, IntVec y) {
#if defined(__AVX512BW__) && GPT_LANES == 16
    return IntVec(_mm512_madd_epi16(__m512i(x), __m512i(y)));
#elif defined(__AVX2__) && GPT_LANES >= 8
    return by_parts<__m256i>([](auto a, auto b) { return _mm256_madd_epi16(a, b); }, x, y);
#elif defined(__x86_64__)
    return by_parts<__m128i>([](auto a, auto b) { return _mm_madd_epi16(a, b); }, x, y);
#else
    return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif
}

// Whole numbers in 32-bit lanes. Where multiply-adds are fused, sums begin as the bits of kOrigin.
// Floats from 4 to 8 are kUnit apart, so that with n added, |n| < 2^22, they are the bits of
// kOrigin + kUnit n, a float already: one multiply-add takes kOrigin off and scales.
struct WholeSums {
    static constexpr float kOrigin = 6, kUnit = kFused ? 0x1p-21f : 1;
    static constexpr std::int32_t kStart = kFused ? std::bit_cast<std::int32_t>(kOrigin) : 0;

    static Vec base(Vec scale) { return scale * -kOrigin; }  // exact for a bf16, which has 8 bits
    // kUnit scale n, rounded once, where `sum` is kStart + n: fused, n needs no conversion.
    static Vec scaled(IntVec sum, Vec scale, Vec base) {
        if constexpr (kFused) return fma(std::bit_cast<Vec>(sum), scale, base);
        return to_float(sum) * scale;
    }
};

// Two 16-bit halves, the low one first.
inline std::uint32_t join(int low, int high) {
    return (std::uint32_t(low) & 0xffff) | std::uint32_t(high) << 16;
}

// The eight quads of x[0 .. 31], `step` words apart.
inline void copy_quads(float* words, std::ptrdiff_t step, const std::int8_t* x) {
    for (int q = 0; q < 8; ++q) std::memcpy(words + q * step, x + 4 * q, 4);
}

#if GPT_VNNI
struct ByteDot : WholeSums {
    static constexpr int kOffset = 128;  // weights are unsigned bytes
    static constexpr int kWords = 1;     // 32-bit words that four values of x take
    using Weights = IntVec;

    static void store_x(float* words, std::ptrdiff_t step, const std::int8_t* x) {
        copy_quads(words, step, x);
    }
    static Weights split(IntVec w) { return w; }
    static IntVec add(IntVec sum, Weights w, const void* x) {
#if GPT_LANES == 16
        return IntVec(_mm512_dpbusd_epi32(__m512i(sum), __m512i(w),
                                          _mm512_set1_epi32(load_as<std::int32_t>(x))));
#elif defined(__AVXVNNI__)
        return IntVec(_mm256_dpbusd_avx_epi32(__m256i(sum), __m256i(w),
                                              _mm256_set1_epi32(load_as<std::int32_t>(x))));
#else
        return IntVec(_mm256_dpbusd_epi32(__m256i(sum), __m256i(w),
                                          _mm256_set1_epi32(load_as<std::int32_t>(x))));
#endif
    }
};
using NibbleDot = ByteDot;
#elif defined(__AVX2__) && GPT_LANES >= 8
// The products of x's bytes, unsigned, and y's, signed: neighbours added, as 16-bit halves that
// they must fit.
inline IntVec multiply_bytes(IntVec x, IntVec y) {
#if defined(__AVX512BW__) && GPT_LANES == 16
    return IntVec(_mm512_maddubs_epi16(__m512i(x), __m512i(y)));
#else
    return by_parts<__m256i>([](auto a, auto b) { return _mm256_maddubs_epi16(a, b); }, x, y);
#endif
}

// The bytes of w, negated where those of x are below 0; anything where they are 0.
inline IntVec negate_bytes(IntVec w, IntVec x) {
#if defined(__AVX512BW__) && GPT_LANES == 16
    const auto bytes = __m512i(w);
    return IntVec(_mm512_mask_sub_epi8(bytes, _mm512_movepi8_mask(__m512i(x)), __m512i{}, bytes));
#else
    return by_parts<__m256i>([](auto a, auto b) { return _mm256_sign_epi8(a, b); }, w, x);
#endif
}

struct ByteDot : WholeSums {  // |x| (w sign x): two such products fit 16 bits
    static constexpr int kOffset = 0;
    static constexpr int kWords = 2;  // |x|, x
    using Weights = IntVec;

    static void store_x(float* words, std::ptrdiff_t step, const std::int8_t* x) {
        std::int8_t sizes[32];
        for (int i = 0; i < 32; ++i) sizes[i] = std::int8_t(x[i] < 0 ? -x[i] : x[i]);
        copy_quads(words, step, sizes);
        copy_quads(words + 1, step, x);
    }
    static Weights split(IntVec w) { return hold(w); }
    static IntVec add(IntVec sum, Weights w, const void* x) {
        const auto* words = static_cast<const std::byte*>(x);
        const IntVec size = broadcast_int(load_as<std::int32_t>(words));
        const IntVec sign = broadcast_int(load_as<std::int32_t>(words + 4));
        const IntVec products = multiply_bytes(size, negate_bytes(w, sign));
        return sum + multiply_halves(products, broadcast_int(0x00010001));
    }
};

struct NibbleDot {  // weights below 16: the sums of a group of 32 fit 16 bits, two to a lane
    static constexpr int kWords = 1;
    static constexpr float kUnit = 1;
    static constexpr std::int32_t kStart = 0;
    using Weights = IntVec;

    static void store_x(float* words, std::ptrdiff_t step, const std::int8_t* x) {
        copy_quads(words, step, x);
    }
    static Weights split(IntVec w) { return hold(w); }
    static IntVec add(IntVec sum, Weights w, const void* x) {
        using Shorts = std::uint16_t __attribute__((vector_size(sizeof(IntVec))));
        const IntVec products = multiply_bytes(w, broadcast_int(load_as<std::int32_t>(x)));
        return hold(IntVec(Shorts(sum) + Shorts(products)));  // or GCC adds two products first
    }
    static Vec base(Vec) { return Vec{}; }
    static Vec scaled(IntVec sum, Vec scale, Vec) {
        return to_float(multiply_halves(sum, broadcast_int(0x00010001))) * scale;
    }
};
#else
struct ByteDot : WholeSums {  // bytes 0 and 2 of a lane, then 1 and 3, as 16-bit halves
    static constexpr int kOffset = 128;
    static constexpr int kWords = 2;
    struct Weights {
        IntVec even, odd;
    };

    static void store_x(float* words, std::ptrdiff_t step, const std::int8_t* x) {
        for (int q = 0; q < 32; q += 4, words += step) {
            const std::uint32_t halves[] = {join(x[q], x[q + 2]), join(x[q + 1], x[q + 3])};
            std::memcpy(words, halves, 8);
        }
    }
    static Weights split(IntVec w) {
        return {w & 0x00ff00ff, IntVec(UintVec(w) >> 8) & 0x00ff00ff};
    }
    static IntVec add(IntVec sum, const Weights& w, const void* x) {
        const auto* halves = static_cast<const std::byte*>(x);
        return sum + multiply_halves(w.even, broadcast_int(load_as<std::int32_t>(halves))) +
               multiply_halves(w.odd, broadcast_int(load_as<std::int32_t>(halves + 4)));
    }
};
using NibbleDot = ByteDot;
#endif
