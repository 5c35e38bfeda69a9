#include "commands/explain/recording.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include "base/in_file.h"
#include "model/reference.h"

namespace {

// The layer that a step such as h.3.attn.q is of; -1 for the others.
int layer_of(const std::string& name) {
    return name.starts_with("h.") ? std::stoi(name.substr(2)) : -1;
}

// Whether the step is the residual stream: the embedding, or what an add left.
bool is_stream(const std::string& name) {
    return name == "embed" || name.ends_with(".residual_attn") || name.ends_with(".residual_mlp");
}

// The first positions of [1,T,C].
Tensor start_of(const Tensor& x, int positions) {
    Tensor start({1, positions, x.shape[2]});
    std::copy_n(x.data.begin(), start.data.size(), start.data.begin());
    return start;
}

// Position t of [1,T,C].
std::span<const float> row_of(const Tensor& x, int t) {
    return {&x.at(t, 0), std::size_t(x.shape[2])};
}

// Steps by name, at one position.
using Rows = std::map<std::string, std::vector<float>>;

// The likeliest after the last position.
std::vector<Guess> guess_last(const Tensor& logits, int candidates) {
    const int t = logits.shape[1] - 1;
    const auto sayable = row_of(logits, t).first(std::size_t(candidates));
    return in_file(cat("logits: position ", t), [&] { return likeliest(sayable, kLensGuesses); });
}

}  // namespace

const Tensor& Trace::step(std::string_view name) const {
    for (const Step& s : steps)
        if (s.name == cat("h.", layer, ".", name)) return s.value;
    throw std::logic_error(cat("no step ", name, " in the trace"));
}

const Trace& Recording::trace_of(int layer) const {
    return traces[std::size_t(layer - traces.front().layer)];
}

Recording record(const Weights& weights, std::span<const int> ids, const Extent& extent,
                 const Lens& lens) {
    Recording r;
    for (int i = 0; i < extent.traced.count; ++i) r.traces.push_back({extent.traced.first + i, {}});
    const auto trace = [&](int layer, const std::string& name, const Tensor& value) {
        if (!extent.traced.contain(layer)) return;
        r.traces[std::size_t(layer - extent.traced.first)].steps.push_back({name, value});
    };
    const auto note = [&](const std::string& name, const Tensor& value) {
        const int layer = layer_of(name);
        if (layer >= 0) trace(layer, name, value);
        if (name == "embed" || name.ends_with(".residual_mlp")) {
            trace(layer + 1, name, value);
            r.lens.push_back(in_file(
                name, [&] { return lens.read(start_of(value, extent.positions), kLensGuesses); }));
        }
        if (is_stream(name)) r.stream.push_back(value);
        if (name.ends_with(".c_proj")) r.added.push_back(value);
        if (name.ends_with(".weights") && extent.attention.contain(layer))
            r.attention.push_back(legal(value, extent.positions));
        if (name == "logits") r.logits.assign(value.data.end() - value.shape[2], value.data.end());
    };
    reference::forward(weights, ids, 1, note);
    return r;
}

// How far a traced layer's attention and MLP move when their inputs are the trace's but at the
// replaced position, where they are those of the pass with the other token.
static void change_alone(Substitution& s, const Weights& weights, const Trace& trace,
                         const Rows& changed) {
    const auto input = [&](const char* name) {
        Tensor x = trace.step(name);
        const auto& row = changed.at(cat("h.", trace.layer, ".", name));
        std::copy(row.begin(), row.end(), &x.at(s.position, 0));
        return x;
    };
    const Config& config = weights.config;
    const Block<Tensor> block = reference::block_of(weights, trace.layer);
    const reference::Observer nobody;
    const Tensor told = reference::attention(input("ln_1"), block, config.n_head,
                                             config.attention_scale(trace.layer), {nobody, ""});
    const Tensor thought = reference::mlp(input("ln_2"), block, config.activation, {nobody, ""});
    s.attention.push_back(distances(told, trace.step("attn.c_proj")));
    s.mlp.push_back(distances(thought, trace.step("mlp.c_proj")));
}

Substitution substitute(const Weights& weights, std::span<const int> ids, const Recording& original,
                        int position, int to, int candidates) {
    std::vector<int> changed(ids.begin(), ids.end());
    Substitution s{position, changed[std::size_t(position)], to, {}, {}, {}, {}};
    changed[std::size_t(position)] = to;

    Rows normed;
    const auto note = [&](const std::string& name, const Tensor& value) {
        if (is_stream(name)) s.stream.push_back(distances(value, original.stream[s.stream.size()]));
        if (name.ends_with(".ln_1") || name.ends_with(".ln_2")) {
            const auto row = row_of(value, position);
            normed[name].assign(row.begin(), row.end());
        }
        if (name == "logits") s.next = guess_last(value, candidates);
    };
    in_file(cat("with token ", to, " at position ", position),
            [&] { reference::forward(weights, changed, 1, note); });
    for (const Trace& trace : original.traces) change_alone(s, weights, trace, normed);
    return s;
}

int sharpest_head(const Tensor& W) {
    const int H = W.shape[1], T = W.shape[2];
    int sharpest = 0;
    double most = -1;
    for (int h = 0; h < H; ++h) {
        double above = 0;
        for (int t = 1; t < T; ++t)
            for (int j = 1; j <= t; ++j) above += std::max(0.0, W.at(0, h, t, j) - 1.0 / (t + 1));
        if (above > most) {
            most = above;
            sharpest = h;
        }
    }
    return sharpest;
}

std::vector<float> legal(const Tensor& W, int positions) {
    const auto T = std::size_t(W.shape[W.shape.rank - 1]);
    std::vector<float> rows;
    for (auto sheet = W.data.begin(); sheet != W.data.end(); sheet += std::ptrdiff_t(T * T))
        for (std::ptrdiff_t t = 0; t < positions; ++t) {
            const auto row = sheet + t * std::ptrdiff_t(T);
            rows.insert(rows.end(), row, row + t + 1);
        }
    return rows;
}

std::vector<float> distances(const Tensor& x, const Tensor& y) {
    expect("distances: y", y.shape, x.shape);
    std::vector<float> sizes;
    for (int t = 0; t < x.shape[1]; ++t) {
        double squares = 0;
        for (int c = 0; c < x.shape[2]; ++c) {
            const double d = double(x.at(t, c)) - double(y.at(t, c));
            squares += d * d;
        }
        sizes.push_back(float(std::sqrt(squares)));
    }
    return sizes;
}

std::vector<float> norms(const Tensor& x) { return distances(x, Tensor(x.shape)); }
