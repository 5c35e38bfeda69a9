// The keys and values of one sequence's positions so far, for every layer and head. Memory is real
// only for positions that were used, in steps of kBlock.
#pragma once
#include <algorithm>
#include "base/buffer.h"
#include "kernels/attention.h"
#include "model/config.h"

class KvCache {
public:
    KvCache(const Config& config, int capacity);

    int size() const { return size_; }  // positions held
    int capacity() const { return capacity_; }
    void clear() { truncate(0); }
    void truncate(int positions) { size_ = std::min(size_, positions); }  // forgets what follows

    // Where layer l's keys and values lie, and will lie up to the capacity.
    KeyValues layer(int l);
    // Counts positions whose keys and values are there in every layer.
    void extend(int positions) { size_ += positions; }

private:
    int H_, D_, layers_, capacity_, size_ = 0;
    Buffer<float> data_;  // [blocks of positions][L][H] of keys and values
};
