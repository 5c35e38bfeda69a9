#include "tools/train/product.h"
#include <doctest/doctest.h>
#include "tests/support.h"

namespace {

Tensor random_matrix(int rows, int cols, std::uint64_t seed) {
    Tensor t({rows, cols});
    t.data = random_floats(t.data.size(), seed);
    return t;
}
Matrix all(Tensor& t) { return {t.data.data(), t.shape[0], t.shape[1], t.shape[1]}; }

// Element by element, in the order that the product promises, fused where the machine can.
float element(const Tensor& x, const Tensor& w, int i, int j, float first) {
    Vec sum = broadcast(first);
    for (int k = 0; k < x.shape[1]; ++k)
        sum = fma(broadcast(x.at(i, k)), broadcast(w.at(k, j)), sum);
    return sum[0];
}

}  // namespace

TEST_CASE("a product of any size is each element's sum in sequence, from zero or added") {
    for (const int M : {1, 5, 6, 7, 13, 25})
        for (const int K : {1, 3, 24, 64, 65, 130})
            for (const int N : {1, 15, 16, 17, 32, 33, 48}) {
                Tensor x = random_matrix(M, K, 1), w = random_matrix(K, N, 2);
                Tensor xt({K, M}), y({M, N}), sum = random_matrix(M, N, 3);
                const Tensor before = sum;
                transpose(all(xt), all(x));
                multiply(all(y), rows_of(all(x)), all(w));
                multiply(all(sum), columns_of(all(xt)), all(w), Start::from_sum);
                bool equal = true;
                for (int i = 0; i < M; ++i)
                    for (int j = 0; j < N; ++j)
                        equal = equal && y.at(i, j) == element(x, w, i, j, 0) &&
                                sum.at(i, j) == element(x, w, i, j, before.at(i, j));
                CAPTURE(M);
                CAPTURE(K);
                CAPTURE(N);
                CHECK(equal);
            }
}

TEST_CASE("a transposed matrix has its rows as columns") {
    Tensor x = random_matrix(37, 5, 1), y({5, 37});
    transpose(all(y), all(x));
    for (int r = 0; r < 37; ++r)
        for (int c = 0; c < 5; ++c) CHECK(y.at(c, r) == x.at(r, c));
}
