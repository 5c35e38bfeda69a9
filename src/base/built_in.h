// Files inside the program: the assembler places their bytes among the constants.
#pragma once
#include <cstddef>

#if defined(__APPLE__)
#define BUILT_IN_SECTION ".const_data"
#elif defined(_WIN32)
#define BUILT_IN_SECTION ".section .rdata,\"dr\""
#else
#define BUILT_IN_SECTION ".section .rodata"
#endif
#define BUILT_IN_TEXT(x) #x
#define BUILT_IN_PREFIXED(prefix, name) BUILT_IN_TEXT(prefix) name
#define BUILT_IN_SYMBOL(name) BUILT_IN_PREFIXED(__USER_LABEL_PREFIX__, name)

// At namespace scope: the bytes of the file `path`, as the compiler finds it from where it runs,
// are those from built_in_NAME up to built_in_NAME_end, and a zero follows.
#define BUILD_IN(name, path)                                         \
    asm(BUILT_IN_SECTION "\n.balign 64\n"                          \
        ".globl " BUILT_IN_SYMBOL("built_in_" #name) "\n"          \
        BUILT_IN_SYMBOL("built_in_" #name) ":\n"                   \
        ".incbin \"" path "\"\n"                                   \
        ".globl " BUILT_IN_SYMBOL("built_in_" #name "_end") "\n"   \
        BUILT_IN_SYMBOL("built_in_" #name "_end") ":\n"            \
        ".byte 0\n.text\n"); \
    extern "C" const std::byte built_in_##name[], built_in_##name##_end[]
