#include "commands/summary.h"
#include <algorithm>
#include <cmath>
#include <span>

Summary summarise(const Tensor& x) {
    Summary s;
    const auto width = std::size_t(x.shape[x.shape.rank - 1]);
    const std::size_t rows = x.data.size() / width;
    for (std::size_t r = 0; r < rows; ++r) {
        double squares = 0;
        for (const float v : std::span(x.data).subspan(r * width, width)) {
            if (std::isinf(v)) continue;
            s.least = std::min(s.least, double(v));
            s.most = std::max(s.most, double(v));
            squares += double(v) * v;
        }
        s.norm += std::sqrt(squares) / double(rows);
    }
    return s;
}
