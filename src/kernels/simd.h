// The machine's vectors, and the few operations on them that the kernels need. Of all kernels only
// this file and byte_dot.h have intrinsics and ask for the machine: the others are the same text
// for AVX-512, AVX2, SSE and NEON.
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
#if !defined(__clang__)  // raised falsely inside GCC 12's header
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
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
// Columns of a panel, which weights, keys and values are cut into: two vectors, so that one value
// of x feeds two multiply-adds.
inline constexpr int kPanel = 2 * kLanes;

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

inline Vec broadcast(float v) { return v - Vec{}; }  // v + 0 would make +0 of -0
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

// Whether the machine rounds a b + c once.
#if (defined(__AVX512F__) && GPT_LANES == 16) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool kFused = true;
#else
inline constexpr bool kFused = false;
#endif

// a b + c, rounded once where the machine can. Only this and fma_in_place fuse the two.
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

// Two vectors that a panel's row holds side by side.
struct Pair {
    Vec first, second;
};
template <typename Number>
inline Pair load_pair(const Number* p) {
    return {load(p), load(p + kLanes)};
}
// Packed bf16 shares lanes (store_bf16_row): the first vector has the low halves, the second the
// high ones.
template <>
inline Pair load_pair(const Bf16* p) {
    const auto lanes = load_as<UintVec>(p);
    return {std::bit_cast<Vec>(lanes << 16), std::bit_cast<Vec>(lanes & 0xffff0000)};
}

// Whether a Vec is one register, and the compiler can be told to keep it there.
#if defined(__AVX512F__) || (defined(__AVX__) && GPT_LANES <= 8) || \
    (defined(__x86_64__) && GPT_LANES == 4)
#define GPT_ONE_REGISTER 1
#else
#define GPT_ONE_REGISTER 0
#endif

// v, kept in a register: GCC would rather read it again from memory at each use. (Here and below
// asm takes copies: an element of an array that it wrote would stay in memory.)
template <typename V>
inline V hold(V v) {
    static_assert(sizeof(V) == sizeof(Vec));
#if GPT_ONE_REGISTER
    asm("" : "+v"(v));
#endif
    return v;
}
// A pointer or stride, kept as it is: GCC would rather work out each address near it beforehand,
// and run out of registers.
template <typename T>
inline T* hold(T* p) {
    asm("" : "+r"(p));
    return p;
}
inline std::ptrdiff_t hold(std::ptrdiff_t stride) {
    asm("" : "+r"(stride));
    return stride;
}

// fma(a, b, sum) in the register of sum, where sums fill the registers: GCC would put some results
// into those of a or b, and copy them back.
inline Vec fma_in_place(Vec a, Vec b, Vec sum) {
#if GPT_ONE_REGISTER && defined(__FMA__)
    asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    return fma(a, b, sum);
#endif
}

inline Vec abs(Vec x) { return std::bit_cast<Vec>(std::bit_cast<IntVec>(x) & 0x7fffffff); }
// The larger and the smaller of each two; b where either is NaN. (As a ? b : c, GCC would make one
// with a constant out of a comparison and a choice.)
inline Vec max(Vec a, Vec b) {
#if defined(__AVX512F__) && GPT_LANES == 16
    return _mm512_max_ps(a, b);
#elif defined(__AVX__) && GPT_LANES >= 8
    return by_parts<__m256>([](auto x, auto y) { return _mm256_max_ps(x, y); }, a, b);
#elif defined(__x86_64__)
    return by_parts<__m128>([](auto x, auto y) { return _mm_max_ps(x, y); }, a, b);
#else
    return a > b ? a : b;
#endif
}
inline Vec min(Vec a, Vec b) {
#if defined(__AVX512F__) && GPT_LANES == 16
    return _mm512_min_ps(a, b);
#elif defined(__AVX__) && GPT_LANES >= 8
    return by_parts<__m256>([](auto x, auto y) { return _mm256_min_ps(x, y); }, a, b);
#elif defined(__x86_64__)
    return by_parts<__m128>([](auto x, auto y) { return _mm_min_ps(x, y); }, a, b);
#else
    return a < b ? a : b;
#endif
}
// The nearest whole number in [least, most], ties to even.
inline Vec nearest(Vec x, float least, float most) {
    const Vec kRound = broadcast(0x1.8p23f);  // what is added to it loses all below 1
    return max(min(x, broadcast(most)), broadcast(least)) + kRound - kRound;
}

inline Vec to_float(IntVec v) { return __builtin_convertvector(v, Vec); }
inline IntVec to_int(Vec v) { return __builtin_convertvector(v, IntVec); }  // towards zero

// The numbers, which fit, as bytes. (By way of 16 bits, as GCC would go straight one by one.)
inline void store_bytes(std::int8_t* to, IntVec v) {
    using Bytes = std::int8_t __attribute__((vector_size(kLanes)));
    const Bytes bytes = __builtin_convertvector(__builtin_convertvector(v, HalfVec), Bytes);
    std::memcpy(to, &bytes, sizeof bytes);
}

// v with its lanes turned by n.
template <int n, typename V>
inline V turned(V v) {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
        return __builtin_shufflevector(v, v, (i + n) % kLanes...);
    }
    (std::make_integer_sequence<int, kLanes>{});
}

// All lanes as one, halves with halves: f takes vectors and goes lane by lane.
template <typename V, typename F>
inline auto reduce(V v, F f) {
    if constexpr (kLanes == 16) v = f(v, turned<8>(v));
    if constexpr (kLanes >= 8) v = f(v, turned<4>(v));
    v = f(v, turned<2>(v));
    return f(v, turned<1>(v))[0];
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
    if constexpr (kLanes == 16) return reduce(lanes[0], f);
    if constexpr (kLanes == 8) return reduce(f(lanes[0], lanes[1]), f);
    if constexpr (kLanes == 4) return reduce(f(f(lanes[0], lanes[2]), f(lanes[1], lanes[3])), f);
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

// Whether there is one instruction for sums of products of bytes.
#if (defined(__AVX512VNNI__) && GPT_LANES == 16) || (defined(__AVXVNNI__) && GPT_LANES == 8) || \
    (defined(__AVX512VNNI__) && defined(__AVX512VL__) && GPT_LANES == 8)
#define GPT_VNNI 1
#else
#define GPT_VNNI 0
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
