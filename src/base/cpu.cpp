#include "base/cpu.h"
#if defined(__x86_64__)
#include <cpuid.h>
#include <unistd.h>
#include <cstring>

// Compiled for any x86-64, as it runs where the rest of the program could not.
#define ANYWHERE __attribute__((target("arch=x86-64")))

ANYWHERE const char* missing_instructions() {
    __builtin_cpu_init();
#define NEED(name) \
    if (!__builtin_cpu_supports(name)) return name
#if defined(__SSE4_2__)
    NEED("sse4.2");
    NEED("popcnt");
#endif
#if defined(__AVX__)
    NEED("avx");
#endif
#if defined(__AVX2__)
    NEED("avx2");
#endif
#if defined(__FMA__)
    NEED("fma");
#endif
#if defined(__BMI2__)
    NEED("bmi");
    NEED("bmi2");
#endif
#if defined(__AVX512F__)
    NEED("avx512f");
#endif
#if defined(__AVX512VL__)
    NEED("avx512vl");
    NEED("avx512bw");
    NEED("avx512dq");
    NEED("avx512cd");
#endif
#if defined(__AVX512VNNI__)
    NEED("avx512vnni");
#endif
#if defined(__AVX512VBMI__)
    NEED("avx512vbmi");
#endif
#if defined(__AVX512VBMI2__)
    NEED("avx512vbmi2");
#endif
#if defined(__AVX512IFMA__)
    NEED("avx512ifma");
#endif
#if defined(__AVX512VPOPCNTDQ__)
    NEED("avx512vpopcntdq");
#endif
#if defined(__AVXVNNI__)  // by its bit: clang 14 has no name for it
    unsigned a, b, c, d;
    __cpuid_count(7, 1, a, b, c, d);
    if (!(a & 1u << 4)) return "avxvnni";
#endif
#undef NEED
    return nullptr;
}

namespace {

// Priority 101, the first that programs may use: before every static initialiser.
__attribute__((constructor(101))) ANYWHERE void refuse_to_run() {
    const char* const missing = missing_instructions();
    if (!missing) return;
    const char* const line[] = {"gpt: built for a processor with ", missing,
                                ", which this one lacks: build it here, or with ARCH=x86-64\n"};
    for (const char* part : line)
        if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    ::_exit(1);
}

}  // namespace

std::string cpu_name() {
    constexpr unsigned kFirst = 0x80000002, kLast = 0x80000004;  // 16 characters each
    unsigned words[12] = {}, *word = words;
    for (unsigned leaf = kFirst; leaf <= kLast; ++leaf, word += 4)
        if (!__get_cpuid(leaf, &word[0], &word[1], &word[2], &word[3])) return "unknown";
    char text[sizeof words + 1] = {};
    std::memcpy(text, words, sizeof words);
    std::string name = text;
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    return name.empty() ? "unknown" : name;
}

#else
const char* missing_instructions() { return nullptr; }
std::string cpu_name() { return "unknown"; }
#endif
