// A product of small matrices for attention: a head's queries, keys and weights fit the cache, so
// they are read where they lie, and a transposed matrix is one read column by column.
#pragma once
#include "base/tensor.h"
#include "kernels/tile.h"

inline TileRows rows_of(ConstMatrix m) { return {m.data, m.stride, 1}; }
inline TileRows columns_of(ConstMatrix m) { return {m.data, 1, m.stride}; }

enum class Start { from_zero, from_sum };  // y = or y +=

// y = x w, or y += x w: [M,K] x [K,N] -> [M,N], each element summed over k in sequence.
void multiply(Matrix y, TileRows x, ConstMatrix w, Start start = Start::from_zero);

// [R,C] -> [C,R], of any size
void transpose(Matrix y, ConstMatrix x);
