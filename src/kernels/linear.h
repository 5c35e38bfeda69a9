// y = x w + b over packed weights. Every element of y is b first and then one multiply-add per k in
// sequence, fused where the machine can, whatever the rows beside it: reference::linear to
// rounding. With weights of 8 and 4 bits, each group of 32 numbers of a row of x is first rounded
// to 8 bits with a scale of its own, and the sequence is one of groups (integer_tile.h).
#pragma once
#include <optional>
#include "base/tensor.h"
#include "kernels/packed_matrix.h"
#include "kernels/reference.h"
#include "kernels/workspace.h"

// What becomes of a product y [N,out], as soon as its numbers are there.
struct Then {
    std::optional<Activation> activation = {};  // first, in place
    std::optional<Matrix> residual = {};        // [N,out], to which y is added
};

// [N,in] x [in,out] + [out] -> [N,out]; without bias where b is null. x, y and the residual must
// not overlap. Weights of 8 and 4 bits take up to [N,in] of the workspace.
void linear(Matrix y, ConstMatrix x, const PackedMatrix& w, const float* b, Workspace& workspace,
            const Then& then = {});
