#include "tools/train/backward.h"
#include <doctest/doctest.h>
#include <algorithm>
#include "tests/support.h"
#include "tests/tools/train/double_model.h"

namespace {

// Weights far enough from zero that every step of the model bends.
std::vector<float> lively_parameters(const ModelShape& shape) {
    std::vector<float> numbers;
    for (const Parameter& p : parameters_of(shape)) {
        const bool gain = p.shape.rank == 1 && p.name.ends_with(".weight");
        const double sigma = p.shape.rank == 2 ? 1 / std::sqrt(double(p.shape[0])) : 0.3;
        for (const float v : random_floats(p.shape.elements(), numbers.size() + 1, sigma))
            numbers.push_back(v + float(gain));
    }
    return numbers;
}

std::vector<int> random_ids(int n, int V, std::uint64_t seed) {
    Random random(seed);
    std::vector<int> ids(static_cast<std::size_t>(n));
    for (int& id : ids) id = int(random.next() % std::uint64_t(V));
    return ids;
}

struct Case {
    ModelShape shape;
    int B;
    Dropout dropout;
    std::vector<float> numbers = lively_parameters(shape);
    Batch batch{random_ids(B * shape.T, shape.V, 1), random_ids(B* shape.T, shape.V, 2)};

    // The trainer's loss and gradient.
    std::pair<double, std::vector<float>> gradient() {
        std::vector<float> d_numbers(numbers.size(), NAN);
        const ModelView model = view(shape, numbers), d = view(shape, d_numbers);
        PackedModel packed(shape);
        Activations a(shape, B, 1);
        Gradients room(shape, B, 1);
        pack(packed, model);
        forward(a, model, packed, batch, dropout);
        backward(d, room, a, model, packed, batch, dropout);
        double loss = 0;
        for (const float l : a.losses.data) loss += double(l);
        return {loss / B / shape.T, d_numbers};
    }

    // The double-precision loss at numbers + step direction.
    double loss(const std::vector<double>& direction, double step) const {
        std::vector<double> moved(numbers.begin(), numbers.end());
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * direction[i];
        return DoubleModel(shape, dropout).loss(moved, batch.ids, batch.targets);
    }
    // Its slope along the direction, to about 1e-9.
    double slope(const std::vector<double>& direction) const {
        const double h = 1e-4;
        return (8 * (loss(direction, h) - loss(direction, -h)) -
                (loss(direction, 2 * h) - loss(direction, -2 * h))) /
               (12 * h);
    }
};

const Dropout kNone, kSome{.rate = 0.3, .seed = 5, .step = 7};

}  // namespace

TEST_CASE("every single gradient is the slope of the double-precision loss") {
    for (const Dropout& dropout : {kNone, kSome}) {
        Case model{{.L = 2, .H = 2, .C = 6, .V = 11, .T = 5}, 2, dropout};
        const auto [loss, gradient] = model.gradient();
        std::vector<double> direction(gradient.size());
        CHECK(loss == doctest::Approx(model.loss(direction, 0)).epsilon(1e-6));
        for (const Parameter& p : parameters_of(model.shape)) {
            const auto first = gradient.begin() + std::ptrdiff_t(p.offset);
            double largest = 0, error = 0;
            for (std::size_t i = 0; i < p.shape.elements(); ++i) {
                direction[p.offset + i] = 1;
                const double slope = model.slope(direction);
                direction[p.offset + i] = 0;
                largest = std::max(largest, std::abs(slope));
                error = std::max(error, std::abs(slope - double(first[std::ptrdiff_t(i)])));
            }
            CAPTURE(p.name);
            CHECK(largest > 1e-4);
            CHECK(error <= 3e-6 * largest + 1e-8);
        }
    }
}

TEST_CASE("gradients hold where vectors, tiles and blocks of queries end raggedly") {
    for (const ModelShape& shape : {ModelShape{.L = 1, .H = 3, .C = 39, .V = 37, .T = 53},
                                    ModelShape{.L = 2, .H = 1, .C = 33, .V = 16, .T = 25},
                                    ModelShape{.L = 1, .H = 4, .C = 64, .V = 65, .T = 48},
                                    ModelShape{.L = 1, .H = 1, .C = 1, .V = 2, .T = 1}}) {
        Case model{shape, 3, kSome};
        const auto [loss, gradient] = model.gradient();
        for (const Parameter& p : parameters_of(shape)) {
            std::vector<double> direction(gradient.size());
            double along = 0, norm = 0;
            const auto random = random_floats(p.shape.elements(), p.offset);
            for (std::size_t i = 0; i < random.size(); ++i) {
                direction[p.offset + i] = double(random[i]);
                along += double(random[i]) * double(gradient[p.offset + i]);
                norm += std::pow(double(gradient[p.offset + i]), 2);
            }
            CAPTURE(shape.C);
            CAPTURE(p.name);
            CHECK(std::abs(along - model.slope(direction)) <= 1e-5 * std::sqrt(norm) + 1e-7);
        }
    }
}
