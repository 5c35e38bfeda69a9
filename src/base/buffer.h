// A vector for large arrays of plain numbers: on cache lines, in whole large pages where the system
// has them, and without the zeroes, so that memory is real only where it was written.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

inline constexpr std::size_t kLargePage = std::size_t(2) << 20;

// Asks for large pages behind these bytes.
void advise_large_pages(void* first, std::size_t bytes);

// Has the heap keep what is freed in pieces smaller than a large page, and gets at once what a
// small model takes. As it comes, glibc gives many pieces back, only to get them anew, and every
// page by a fault of its own, which would be a quarter of the time to a first token.
void begin_heap();

template <typename T>
struct BufferAllocator {
    using value_type = T;
    BufferAllocator() = default;
    template <typename U>
    BufferAllocator(const BufferAllocator<U>&) {}

    T* allocate(std::size_t n) {
        if (n > (std::size_t(-1) - kLargePage) / sizeof(T)) throw std::bad_array_new_length();
        const std::size_t room = room_for(n);
        void* memory = ::operator new(room, alignment(room));
        if (room >= kLargePage) advise_large_pages(memory, room);
        return static_cast<T*>(memory);
    }
    void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(room_for(n))); }

    template <typename U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;  // leaves numbers as they are
    }

    bool operator==(const BufferAllocator&) const { return true; }

private:
    // In bytes: whole large pages, where at least half of one is needed.
    static std::size_t room_for(std::size_t n) {
        const std::size_t bytes = n * sizeof(T);
        return bytes < kLargePage / 2 ? bytes : (bytes + kLargePage - 1) / kLargePage * kLargePage;
    }
    static std::align_val_t alignment(std::size_t room) {
        return std::align_val_t(room < kLargePage ? 64 : kLargePage);
    }
};

template <typename T>
using Buffer = std::vector<T, BufferAllocator<T>>;
