#include "tools/train/adamw.h"
#include <algorithm>
#include <cmath>
#include <cstdint>

double norm(std::span<const float> gradient, std::span<double> room) {
#pragma omp for
    for (std::size_t block = 0; block < room.size(); ++block) {
        const std::size_t first = block * kNormBlock;
        double sum = 0;
        for (const float g : gradient.subspan(first, std::min(kNormBlock, gradient.size() - first)))
            sum += double(g) * double(g);
        room[block] = sum;
    }
    double total = 0;
    for (const double sum : room) total += sum;
    return std::sqrt(total);
}

void update(OptimiserState& state, std::span<const float> gradient, double length,
            std::span<const Parameter> parameters, const AdamW& how, int step) {
    const float shorter = float(length > how.clip ? how.clip / length : 1);
    const float beta1 = float(how.beta1), beta2 = float(how.beta2);
    const float mean_scale = float(1 / (1 - std::pow(how.beta1, step)));
    const float square_scale = float(1 / (1 - std::pow(how.beta2, step)));
    const float rate = float(how.learning_rate), epsilon = float(how.epsilon);
    const float follow = float(1 - std::min(how.averaging, (1.0 + step) / (10.0 + step)));
    for (const Parameter& p : parameters) {
        const float decay = p.shape.rank == 2 ? float(how.weight_decay) : 0.0f;
        float* w = state.parameters.data() + p.offset;
        float* m = state.mean.data() + p.offset;
        float* v = state.square.data() + p.offset;
        float* average = state.average.data() + p.offset;
        const float* gradients = gradient.data() + p.offset;
#pragma omp for nowait
        for (std::size_t i = 0; i < p.shape.elements(); ++i) {
            const float g = gradients[i] * shorter;
            m[i] = beta1 * m[i] + (1 - beta1) * g;
            v[i] = beta2 * v[i] + (1 - beta2) * g * g;
            const float stride = m[i] * mean_scale / (std::sqrt(v[i] * square_scale) + epsilon);
            w[i] -= rate * (stride + decay * w[i]);
            average[i] += follow * (w[i] - average[i]);
        }
    }
#pragma omp barrier
}
