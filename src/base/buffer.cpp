#include "base/buffer.h"
#include <cstdint>
#include <cstdlib>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace {

// Tells the system about the pages that these bytes lie in.
[[maybe_unused]] void advise(void* first, std::size_t bytes, int advice) {
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(first) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(first) + bytes + page - 1) / page * page;
    ::madvise(reinterpret_cast<void*>(start), end - start, advice);
}

}  // namespace

void advise_large_pages([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    advise(first, bytes, MADV_HUGEPAGE);
#endif
}

void begin_heap() {
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD)
    ::mallopt(M_MMAP_THRESHOLD, int(kLargePage));
    ::mallopt(M_TRIM_THRESHOLD, int(2 * kLargePage));
#if defined(MADV_POPULATE_WRITE)
    constexpr std::size_t kFirst = 1 << 20;  // bytes: what loading a small model takes
    void* first = std::malloc(kFirst);
    if (first) advise(first, kFirst, MADV_POPULATE_WRITE);
    std::free(first);
#endif
#endif
}
