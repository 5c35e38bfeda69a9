#include "base/buffer.h"
#include <cstdint>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#endif

void advise_large_pages([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(first) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(first) + bytes + page - 1) / page * page;
    ::madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
#endif
}
