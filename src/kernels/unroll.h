// Loops over constants, and loops that stay loops: what keeps arrays of vectors in registers.
#pragma once
#include <utility>

// On a lambda that must never become a call, as what it works on lies in registers.
#define IN_PLACE __attribute__((always_inline))

// f(0), f(1) .. f(n - 1) in a loop that stays one: unrolled, its sums would be added in an order
// that needs more registers than there are.
template <typename F>
[[gnu::always_inline]] inline void repeat(int n, F&& f) {
#if defined(__clang__)
#pragma clang loop unroll(disable)
#else
#pragma GCC unroll 1
#endif
    for (int i = 0; i < n; ++i) f(i);
}

// f(0), f(1) .. f(n - 1) with constants, so that arrays of vectors stay in registers.
template <int n, typename F>
[[gnu::always_inline]] inline void unroll(F&& f) {
    [&]<int... i>(std::integer_sequence<int, i...>) IN_PLACE {
        (f(std::integral_constant<int, i>{}), ...);
    }
    (std::make_integer_sequence<int, n>{});
}
