// A vector for large arrays of plain numbers: on cache lines, in large pages where the system has
// them, and without the zeroes, so that memory is real only where it was written.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

inline constexpr std::size_t kLargePage = std::size_t(2) << 20;

// Asks for large pages behind these bytes.
void advise_large_pages(void* first, std::size_t bytes);

template <typename T>
struct BufferAllocator {
    using value_type = T;
    BufferAllocator() = default;
    template <typename U>
    BufferAllocator(const BufferAllocator<U>&) {}

    T* allocate(std::size_t n) {
        if (n > std::size_t(-1) / sizeof(T)) throw std::bad_array_new_length();
        void* memory = ::operator new(n * sizeof(T), alignment(n));
        if (n * sizeof(T) >= kLargePage) advise_large_pages(memory, n * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }
    static std::align_val_t alignment(std::size_t n) {
        return std::align_val_t(n * sizeof(T) >= kLargePage ? kLargePage : 64);
    }

    template <typename U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;  // leaves numbers as they are
    }

    bool operator==(const BufferAllocator&) const { return true; }
};

template <typename T>
using Buffer = std::vector<T, BufferAllocator<T>>;
