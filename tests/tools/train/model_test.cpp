#include "tools/train/model.h"
#include <doctest/doctest.h>
#include <cmath>

TEST_CASE("parameters lie side by side under GPT-2's names, and views point at them") {
    const ModelShape shape{.L = 2, .H = 2, .C = 6, .V = 11, .T = 5};
    const auto parameters = parameters_of(shape);
    CHECK(parameters.size() == 2 + 2 * 12 + 2);
    CHECK(count(parameters) == 6 * (11 + 5) + 2 * (12 * 36 + 13 * 6) + 12);
    std::size_t next = 0;
    for (const Parameter& p : parameters) {
        CHECK(p.offset == next);
        next += p.shape.elements();
    }
    std::vector<float> numbers(count(parameters));
    const ModelView model = view(shape, numbers);
    const auto at = [&](const std::string& name) -> float* {
        for (const Parameter& p : parameters)
            if (p.name == name) return numbers.data() + p.offset;
        return nullptr;
    };
    CHECK(model.wte.data == at("wte.weight"));
    CHECK(model.wpe.data == at("wpe.weight"));
    CHECK(model.h[1].ln_1.b == at("h.1.ln_1.bias"));
    CHECK(model.h[1].c_attn.w.data == at("h.1.attn.c_attn.weight"));
    CHECK(model.h[1].attn_c_proj.b == at("h.1.attn.c_proj.bias"));
    CHECK(model.h[0].ln_2.g == at("h.0.ln_2.weight"));
    CHECK(model.h[0].c_fc.w.data == at("h.0.mlp.c_fc.weight"));
    CHECK(model.h[1].mlp_c_proj.w.data == at("h.1.mlp.c_proj.weight"));
    CHECK(model.ln_f.b == at("ln_f.bias"));
    numbers.pop_back();
    CHECK_THROWS_AS(view(shape, numbers), std::logic_error);
}

TEST_CASE("a model starts as GPT-2 does, from its seed") {
    const ModelShape shape{.L = 2, .H = 2, .C = 64, .V = 100, .T = 5};
    const auto numbers = initial_parameters(shape, 1);
    CHECK(numbers == initial_parameters(shape, 1));
    CHECK(numbers != initial_parameters(shape, 2));
    for (const Parameter& p : parameters_of(shape)) {
        double squares = 0;
        for (std::size_t i = 0; i < p.shape.elements(); ++i)
            squares += std::pow(double(numbers[p.offset + i]), 2);
        const double deviation = std::sqrt(squares / double(p.shape.elements()));
        const bool gain = p.shape.rank == 1 && p.name.ends_with("weight");
        const double expected = gain                                ? 1
                                : p.shape.rank == 1                 ? 0
                                : p.name.ends_with("c_proj.weight") ? 0.01
                                                                    : 0.02;
        CAPTURE(p.name);
        CHECK(deviation == doctest::Approx(expected).epsilon(0.15));
    }
}
