#include "tools/train/model.h"
#include <algorithm>
#include <cmath>
#include "base/random.h"

namespace {

// Hands out the tensors one after the other: a list of what was taken, and views into `data`.
struct Taker {
    float* data;
    std::vector<Parameter> taken;

    float* take(const std::string& name, Shape shape) {
        const std::size_t offset = count(taken);
        taken.push_back({name, shape, offset});
        return data ? data + offset : nullptr;
    }
    Matrix matrix(const std::string& name, int rows, int cols) {
        return {take(name, {rows, cols}), rows, cols, cols};
    }
    NormView norm(const std::string& name, int C) {
        return {take(cat(name, ".weight"), {C}), take(cat(name, ".bias"), {C})};
    }
    LinearView linear(const std::string& name, int in, int out) {
        return {matrix(cat(name, ".weight"), in, out), take(cat(name, ".bias"), {out})};
    }
};

ModelView walk(const ModelShape& shape, Taker& all) {
    const int C = shape.C;
    ModelView model;
    model.wte = all.matrix("wte.weight", shape.V, C);
    model.wpe = all.matrix("wpe.weight", shape.T, C);
    for (int l = 0; l < shape.L; ++l) {
        const std::string h = cat("h.", l);
        model.h.push_back({.ln_1 = all.norm(cat(h, ".ln_1"), C),
                           .c_attn = all.linear(cat(h, ".attn.c_attn"), C, 3 * C),
                           .attn_c_proj = all.linear(cat(h, ".attn.c_proj"), C, C),
                           .ln_2 = all.norm(cat(h, ".ln_2"), C),
                           .c_fc = all.linear(cat(h, ".mlp.c_fc"), C, 4 * C),
                           .mlp_c_proj = all.linear(cat(h, ".mlp.c_proj"), 4 * C, C)});
    }
    model.ln_f = all.norm("ln_f", C);
    return model;
}

}  // namespace

std::size_t count(const std::vector<Parameter>& parameters) {
    return parameters.empty() ? 0 : parameters.back().offset + parameters.back().shape.elements();
}

std::vector<Parameter> parameters_of(const ModelShape& shape) {
    Taker all{nullptr, {}};
    walk(shape, all);
    return all.taken;
}

ModelView view(const ModelShape& shape, std::vector<float>& numbers) {
    Taker all{numbers.data(), {}};
    ModelView model = walk(shape, all);
    if (count(all.taken) != numbers.size())
        throw std::logic_error(
            cat("a model of ", count(all.taken), " parameters in ", numbers.size(), " numbers"));
    return model;
}

std::vector<float> initial_parameters(const ModelShape& shape, std::uint64_t seed) {
    const std::vector<Parameter> parameters = parameters_of(shape);
    std::vector<float> numbers(count(parameters));
    Random random(seed);
    for (const Parameter& p : parameters) {
        float* first = numbers.data() + p.offset;
        const bool residual = p.name.ends_with("c_proj.weight");
        const double deviation = residual ? 0.02 / std::sqrt(2.0 * shape.L) : 0.02;
        if (p.shape.rank == 2)
            std::generate_n(first, p.shape.elements(),
                            [&] { return float(deviation * random.normal()); });
        else if (p.name.ends_with(".weight"))
            std::fill_n(first, p.shape.elements(), 1.0f);
    }
    return numbers;
}
