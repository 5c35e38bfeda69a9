// NumPy's array files.
#pragma once
#include <span>
#include <string>
#include "base/tensor.h"

// Writes the values, row after row, as a float32 array of that shape (.npy version 1.0): the whole
// file, or none.
void write_npy(const std::string& path, const Shape& shape, std::span<const float> values);
