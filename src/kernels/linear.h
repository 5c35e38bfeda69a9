// y = x w + b over packed weights. Equals reference::linear to rounding; every element of y is
// b first and then one fused multiply-add per k in sequence (with 8 and 4 bits: per group of k),
// whatever the rows beside it.
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

// The same for x = xtT, read column by column: [in,N] x [in,out] + [out] -> [N,out]. Takes up to
// [N,in] of the workspace.
void linear_transposed(Matrix y, ConstMatrix xt, const PackedMatrix& w, const float* b,
                       Workspace& workspace);
