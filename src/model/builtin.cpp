#include "model/builtin.h"
#include <cstddef>
#include <string>

// The Makefile says which folder: BUILTIN_MODEL is "weights/NAME", relative to where it runs.
#if defined(__APPLE__)
#define READ_ONLY ".const_data"
#elif defined(_WIN32)
#define READ_ONLY ".section .rdata,\"dr\""
#else
#define READ_ONLY ".section .rodata"
#endif
#define TEXT(x) #x
#define PREFIXED(prefix, name) TEXT(prefix) name
#define SYMBOL(name) PREFIXED(__USER_LABEL_PREFIX__, name)

// Places the bytes of a file between the symbols builtin_NAME and builtin_NAME_end.
#define BUILD_IN(name, file)                                                 \
    asm(READ_ONLY "\n.balign 64\n"                                         \
        ".globl " SYMBOL("builtin_" #name) "\n" SYMBOL("builtin_" #name) ":\n"   \
        ".incbin \"" BUILTIN_MODEL "/" file "\"\n"                         \
        ".globl " SYMBOL("builtin_" #name "_end") "\n" SYMBOL("builtin_" #name "_end") ":\n" \
        ".byte 0\n.text\n"); \
    extern "C" const std::byte builtin_##name[], builtin_##name##_end[]

BUILD_IN(config, "config.json");
BUILD_IN(weights, "model.safetensors");
BUILD_IN(vocab, "vocab.json");
BUILD_IN(merges, "merges.txt");

Folder builtin_model() {
    const std::string path = BUILTIN_MODEL;
    std::vector<File> files;
    files.push_back(File::view("config.json", {builtin_config, builtin_config_end}));
    files.push_back(File::view("model.safetensors", {builtin_weights, builtin_weights_end}));
    files.push_back(File::view("vocab.json", {builtin_vocab, builtin_vocab_end}));
    files.push_back(File::view("merges.txt", {builtin_merges, builtin_merges_end}));
    return Folder(path.substr(path.rfind('/') + 1), std::move(files));
}
