// What is shown of a tensor in few numbers.
#pragma once
#include <limits>
#include "base/tensor.h"

// Infinite elements, which are masked scores, count in none of it.
struct Summary {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    double norm = 0;  // the mean length of its rows, vectors along the last axis
};

Summary summarise(const Tensor& x);
