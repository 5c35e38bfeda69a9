// What happens beside the products: normalisation, the activation, the residual add, by the calling
// thread alone unless it says otherwise. Each equals its namesake in reference::, to rounding.
#pragma once
#include "base/tensor.h"
#include "kernels/reference.h"
#include "kernels/workspace.h"

// Zero mean and unit variance over C, then times g [C], plus b [C]: [N,C] -> [N,C]
void layer_norm(Matrix y, ConstMatrix x, const float* g, const float* b, float epsilon);

// The same by the whole team, which shares the rows and meets.
void layer_norm(Matrix y, ConstMatrix x, const float* g, const float* b, float epsilon,
                Workspace& workspace);

// The activation at every element, in place: [N,C]
void activate(Matrix x, Activation activation);

// x + y, into x: [N,C] + [N,C] -> [N,C]
void add(Matrix x, ConstMatrix y);
