// One target under clang's libFuzzer. Compiled with TARGET as its name. `--seeds FOLDER` writes
// what to start from, and ends.
#include <cstdint>
#include <cstdlib>
#include <string>
#include "base/error.h"
#include "base/file.h"
#include "tests/fuzz/targets.h"

namespace {

const fuzz::Target& target() {
    for (const fuzz::Target& target : fuzz::targets())
        if (target.name == TARGET) return target;
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    if (*argc != 3 || std::string((*argv)[1]) != "--seeds") return 0;
    int number = 0;
    for (const std::string& seed : target().seeds())
        write_file(cat((*argv)[2], "/seed-", number++),
                   [&](const Append& append) { append(std::as_bytes(std::span(seed))); });
    std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        target().run({reinterpret_cast<const char*>(data), size});
    } catch (const Error&) {}
    return 0;
}
