// What the threads of a team share while kernels run: floats that one needs for as long as it runs,
// sized before the team starts so that nothing is allocated per token, and where they meet.
#pragma once
#include "base/buffer.h"
#include "base/tensor.h"
#include "base/threads.h"

class Workspace {
public:
    void reserve(int rows, int cols) {
        if (data_.size() < size(rows, cols)) data_.resize(size(rows, cols));
    }
    // Throws logic_error where there is not that much room.
    float* data(int rows, int cols) {
        if (data_.size() < size(rows, cols))
            throw std::logic_error(cat("workspace: no room for ", Shape{rows, cols}.text()));
        return data_.data();
    }

    // As the Meeting's.
    void wait() { meeting_.wait(); }
    template <typename F>
    void share_out(int tasks, F f) {
        meeting_.share_out(tasks, f);
    }

private:
    // Whole groups of 32, as x takes with quantised weights.
    static std::size_t size(int rows, int cols) {
        return (std::size_t(cols) + 31) / 32 * 32 * std::size_t(rows);
    }

    Buffer<float> data_;
    Meeting meeting_;
};
