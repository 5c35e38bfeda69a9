// The machine's vectors, and the few operations on them that the kernels need. The only file with
// intrinsics and #if: the kernels above it are the same text for AVX-512, AVX2, SSE and NEON.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#if defined(__x86_64__)
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // raised falsely inside GCC 12's header
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// Floats in a vector. -DGPT_LANES=16 builds the layouts of AVX-512 on any machine, for tests.
#if !defined(GPT_LANES)
#if defined(__AVX512F__)
#define GPT_LANES 16
#elif defined(__AVX2__)
#define GPT_LANES 8
#else
#define GPT_LANES 4
#endif
#endif
inline constexpr int kLanes = GPT_LANES;

using Vec = float __attribute__((vector_size(kLanes * 4)));
using IntVec = std::int32_t __attribute__((vector_size(kLanes * 4)));
using UintVec = std::uint32_t __attribute__((vector_size(kLanes * 4)));
using HalfVec = std::uint16_t __attribute__((vector_size(kLanes * 2)));

// 16-bit floats, told apart by type.
struct F16 {
    std::uint16_t bits;
};
struct Bf16 {
    std::uint16_t bits;
};

template <typename V>
inline V load_as(const void* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
inline void store(float* p, Vec v) { std::memcpy(p, &v, sizeof v); }

inline Vec broadcast(float v) { return v - Vec{}; }  // minus zero keeps the sign of v = -0
inline IntVec broadcast_int(std::int32_t v) { return v - IntVec{}; }

// Runs f on each part of a vector that is wider than the machine's own.
template <typename Part, typename V, typename F, typename... More>
inline V by_parts(F f, V a, More... more) {
    using Parts = std::array<Part, sizeof(V) / sizeof(Part)>;
    Parts result = std::bit_cast<Parts>(a);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = f(result[i], std::bit_cast<Parts>(more)[i]...);
    return std::bit_cast<V>(result);
}

// a b + c, rounded once where the machine can. Nothing else in the program fuses the two.
inline Vec fma(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__) && GPT_LANES == 16
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__) && GPT_LANES == 8
    return _mm256_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return by_parts<__m128>([](auto x, auto y, auto z) { return _mm_fmadd_ps(x, y, z); }, a, b, c);
#elif defined(__ARM_FEATURE_FMA)
    return by_parts<float32x4_t>([](auto x, auto y, auto z) { return vfmaq_f32(z, x, y); }, a, b,
                                 c);
#else
    return a * b + c;
#endif
}

inline Vec load(const float* p) { return load_as<Vec>(p); }
inline Vec load(const Bf16* p) {
    return std::bit_cast<Vec>(__builtin_convertvector(load_as<HalfVec>(p), UintVec) << 16);
}
inline Vec load(const F16* p) {
#if defined(__AVX512F__) && GPT_LANES == 16
    return _mm512_cvtph_ps(load_as<__m256i>(p));
#elif defined(__F16C__) && GPT_LANES == 8
    return _mm256_cvtph_ps(load_as<__m128i>(p));
#else
    const UintVec bits = __builtin_convertvector(load_as<HalfVec>(p), UintVec);
    const UintVec rest = bits & 0x7fff;
    // Below the exponent bias of 112 = 127 - 15 a product with 2^112 is exact.
    const Vec finite = std::bit_cast<Vec>(rest << 13) * 0x1p112f;
    const UintVec infinite = rest << 13 | 0x7f800000;
    const UintVec magnitude = rest < 0x7c00 ? std::bit_cast<UintVec>(finite) : infinite;
    return std::bit_cast<Vec>(magnitude | (bits & 0x8000) << 16);
#endif
}

inline Vec abs(Vec x) { return std::bit_cast<Vec>(std::bit_cast<IntVec>(x) & 0x7fffffff); }
inline Vec max(Vec a, Vec b) { return a > b ? a : b; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }
// The nearest whole number in [least, most], ties to even.
inline Vec nearest(Vec x, float least, float most) {
    const Vec kRound = broadcast(0x1.8p23f);  // what is added to it loses all below 1
    return max(min(x, broadcast(most)), broadcast(least)) + kRound - kRound;
}

inline Vec to_float(IntVec v) { return __builtin_convertvector(v, Vec); }
inline IntVec to_int(Vec v) { return __builtin_convertvector(v, IntVec); }  // towards zero

// The numbers, which fit, as bytes.
inline void store_bytes(std::int8_t* to, IntVec v) {
    using Bytes = std::int8_t __attribute__((vector_size(kLanes)));
    const Bytes bytes = __builtin_convertvector(v, Bytes);
    std::memcpy(to, &bytes, sizeof bytes);
}

// All lanes as one, halves with halves.
template <typename V, typename F>
inline auto reduce(V v, F f) {
    auto lanes = std::bit_cast<std::array<std::decay_t<decltype(v[0])>, kLanes>>(v);
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) lanes[i] = f(lanes[i], lanes[i + half]);
    return lanes[0];
}

// Sixteen lanes whatever the machine's width: where a row is reduced to one number, element j goes
// to lane j % 16, so that every machine adds in the same order.
using Sixteen = std::array<Vec, 16 / kLanes>;

// Calls f(part, v) for x[0 .. n - 1] in vectors, where v goes to lanes of Sixteen[part]; `pad`
// stands for the elements that the last sixteen lack.
template <typename F>
inline void for_sixteens(const float* x, int n, float pad, F f) {
    int j = 0;
    for (; j + 16 <= n; j += 16)
        for (int part = 0; part < 16 / kLanes; ++part) f(part, load(x + j + part * kLanes));
    if (j == n) return;
    float rest[16];
    std::fill(std::copy(x + j, x + n, rest), rest + 16, pad);
    for (int part = 0; part < 16 / kLanes; ++part) f(part, load(rest + part * kLanes));
}

// All sixteen lanes as one: lane i with i + 8, then i + 4, i + 2, i + 1.
template <typename F>
inline float fold(const Sixteen& lanes, F f) {
    auto v = std::bit_cast<std::array<float, 16>>(lanes);
    for (std::size_t half = 8; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) v[i] = f(v[i], v[i + half]);
    return v[0];
}

// y[i] = f(x[i]...) for i in 0 .. n - 1. The last few elements pass through padded copies.
template <typename F, typename... Inputs>
inline void map(float* y, int n, F f, const Inputs*... x) {
    int i = 0;
    for (; i + kLanes <= n; i += kLanes) store(y + i, f(load(x + i)...));
    if (i == n) return;
    const auto padded = [&](const float* from) {
        float rest[kLanes] = {};
        std::copy(from + i, from + n, rest);
        return load(rest);
    };
    float rest[kLanes];
    store(rest, f(padded(x)...));
    std::copy_n(rest, n - i, y + i);
}

// Sums of products of bytes: each 32-bit lane holds four weights (unsigned) that meet the same four
// values of x (signed). The sums are exact, so the several ways to make them agree.
#if (defined(__AVX512VNNI__) && (GPT_LANES == 16 || defined(__AVX512VL__))) || defined(__AVXVNNI__)
#define GPT_VNNI (GPT_LANES > 4)
#else
#define GPT_VNNI 0
#endif

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

#if GPT_VNNI
struct ByteDot {
    static constexpr int kWords = 1;  // 32-bit words that four values of x take
    using Weights = IntVec;

    static void store_x(void* words, const std::int8_t* x) { std::memcpy(words, x, 4); }
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
    static IntVec finish(IntVec sum) { return sum; }
};
#else
struct ByteDot {  // bytes 0 and 2 of a lane, then 1 and 3, as 16-bit halves
    static constexpr int kWords = 2;
    struct Weights {
        IntVec even, odd;
    };

    static void store_x(void* words, const std::int8_t* x) {
        const std::int16_t halves[] = {x[0], x[2], x[1], x[3]};
        std::memcpy(words, halves, 8);
    }
    static Weights split(IntVec w) {
        return {w & 0x00ff00ff, IntVec(UintVec(w) >> 8) & 0x00ff00ff};
    }
    static IntVec add(IntVec sum, const Weights& w, const void* x) {
        const auto* halves = static_cast<const std::byte*>(x);
        return sum + multiply_halves(w.even, broadcast_int(load_as<std::int32_t>(halves))) +
               multiply_halves(w.odd, broadcast_int(load_as<std::int32_t>(halves + 4)));
    }
    static IntVec finish(IntVec sum) { return sum; }
};
#endif

#if defined(__AVX2__) && !GPT_VNNI && GPT_LANES >= 8
struct NibbleDot {  // weights below 16: the sums of a group of 32 fit 16 bits, two to a lane
    static constexpr int kWords = 1;
    using Weights = IntVec;

    static void store_x(void* words, const std::int8_t* x) { std::memcpy(words, x, 4); }
    static Weights split(IntVec w) { return w; }
    static IntVec add(IntVec sum, Weights w, const void* x) {
        return by_parts<__m256i>(
            [](auto s, auto a, auto b) { return _mm256_add_epi16(s, _mm256_maddubs_epi16(a, b)); },
            sum, w, broadcast_int(load_as<std::int32_t>(x)));
    }
    static IntVec finish(IntVec sum) { return multiply_halves(sum, broadcast_int(0x00010001)); }
};
#else
using NibbleDot = ByteDot;
#endif

// What the vectors are made of, for people.
inline constexpr const char* kSimd =
#if defined(__AVX512F__) && GPT_LANES == 16
    GPT_VNNI ? "AVX-512 with VNNI" : "AVX-512";
#elif defined(__AVX2__)
    GPT_VNNI ? "AVX2 with VNNI" : "AVX2";
#elif defined(__x86_64__)
    "SSE";
#elif defined(__ARM_NEON)
    "NEON";
#else
    "plain";
#endif

// Brings the cache line at p near, without waiting for it.
inline void prefetch(const void* p) { __builtin_prefetch(p, 0, 2); }

// On a lambda that must never become a call, as what it works on lies in registers.
#define IN_PLACE __attribute__((always_inline))

// f(0), f(1) .. f(n - 1) with constants, so that arrays of vectors stay in registers.
template <int n, typename F>
[[gnu::always_inline]] inline void unroll(F&& f) {
    [&]<int... i>(std::integer_sequence<int, i...>) IN_PLACE {
        (f(std::integral_constant<int, i>{}), ...);
    }
    (std::make_integer_sequence<int, n>{});
}
