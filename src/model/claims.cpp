#include "model/claims.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "model/causal_mix.h"
#include "model/reference.h"

namespace {

// The larger of the two, NaN where one is NaN.
double worse(double a, double b) { return !(b <= a) && !std::isnan(a) ? b : a; }

double largest(const Tensor& x) {
    double worst = 0;
    for (const float v : x.data) worst = worse(worst, std::fabs(double(v)));
    return worst;
}

// Which rows t of [1,T,C] differ in any bit.
std::vector<int> changed_positions(const Tensor& before, const Tensor& after) {
    const int T = before.shape[1], C = before.shape[2];
    std::vector<int> changed;
    for (int t = 0; t < T; ++t)
        if (std::memcmp(&before.at(t, 0), &after.at(t, 0), std::size_t(C) * sizeof(float)) != 0)
            changed.push_back(t);
    return changed;
}

// What one layer of the page sees and makes, collected while it runs.
struct LayerSteps {
    Tensor x, ln_1, q, k, v, weights, attn, residual_attn, ln_2, mlp, residual_mlp;
};

std::vector<LayerSteps> run_page(const Weights& weights, std::span<const int> ids) {
    std::vector<LayerSteps> layers(std::size_t(weights.config.n_layer));
    reference::forward(weights, ids, 1, [&](const std::string& name, const Tensor& value) {
        if (name == "embed") layers[0].x = value;
        if (!name.starts_with("h.")) return;
        const std::size_t dot = name.find('.', 2), layer = std::stoul(name.substr(2));
        const std::string step = name.substr(dot + 1);
        LayerSteps& l = layers[layer];
        const std::pair<const char*, Tensor*> places[] = {{"ln_1", &l.ln_1},
                                                          {"attn.q", &l.q},
                                                          {"attn.k", &l.k},
                                                          {"attn.v", &l.v},
                                                          {"attn.weights", &l.weights},
                                                          {"attn.c_proj", &l.attn},
                                                          {"residual_attn", &l.residual_attn},
                                                          {"ln_2", &l.ln_2},
                                                          {"mlp.c_proj", &l.mlp},
                                                          {"residual_mlp", &l.residual_mlp}};
        for (const auto& [wanted, place] : places)
            if (step == wanted) *place = value;
        if (step == "residual_mlp" && layer + 1 < layers.size()) layers[layer + 1].x = value;
    });
    return layers;
}

Claim means_agree(const LayerSteps& layer) {
    const int T = layer.q.shape[2];
    const HeadInput head{one_head(layer.q, 0, T), one_head(layer.k, 0, T), one_head(layer.v, 0, T)};
    const Tensor loop = loop_mean(head);
    const double worst = worse(largest_difference(loop, triangle_mean(head)),
                               largest_difference(loop, softmax_mean(head)));
    return {"one mix", "loop, triangle, and mask + softmax make the same mean of v",
            cat("largest difference ", worst), worst <= 1e-5 * std::max(1.0, largest(loop))};
}

Claim weights_are_causal(const std::vector<LayerSteps>& layers) {
    double worst_sum = 0, future = 0;
    for (const LayerSteps& layer : layers) {
        const auto& W = layer.weights;
        const int H = W.shape[1], T = W.shape[2];
        for (int h = 0; h < H; ++h)
            for (int t = 0; t < T; ++t) {
                double sum = 0;
                for (int j = 0; j < T; ++j) {
                    sum += W.at(0, h, t, j);
                    if (j > t) future += std::fabs(W.at(0, h, t, j));
                }
                worst_sum = worse(worst_sum, std::fabs(sum - 1));
            }
    }
    return {"legal", "in every head a row of weights sums to 1, and the future weighs exactly 0",
            cat("rows differ from 1 by up to ", worst_sum, ", the future weighs ", future),
            worst_sum < 1e-5 && future == 0};
}

// Position j of x with other numbers in place of its own.
Tensor disturbed(const Tensor& x, int j) {
    Tensor y = x;
    for (int c = 0; c < x.shape[2]; ++c) y.at(j, c) = -0.5f * x.at(j, c) + (c % 2 ? 1.0f : -1.0f);
    return y;
}

// How many positions f's output moved, over all layers, when position j of its input changed.
struct Moved {
    int before = 0, there = 0, after = 0;
};

template <typename F>
Moved count_moved(const Weights& weights, const std::vector<LayerSteps>& layers, int j,
                  Tensor LayerSteps::*input, Tensor LayerSteps::*output, const F& f) {
    Moved moved;
    for (int l = 0; l < weights.config.n_layer; ++l) {
        const LayerSteps& layer = layers[std::size_t(l)];
        const Tensor again = f(disturbed(layer.*input, j), reference::block_of(weights, l), l);
        for (const int t : changed_positions(layer.*output, again))
            ++(t < j ? moved.before : t == j ? moved.there : moved.after);
    }
    return moved;
}

const reference::Observer kNobody;

Claim attention_communicates(const Weights& weights, const std::vector<LayerSteps>& layers, int j) {
    const Config& config = weights.config;
    const auto attend = [&](const Tensor& x, const Block<Tensor>& block, int layer) {
        const float scale = config.attention_scale(layer);
        return reference::attention(x, block, config.n_head, scale, {kNobody, ""});
    };
    const Moved moved =
        count_moved(weights, layers, j, &LayerSteps::ln_1, &LayerSteps::attn, attend);
    const int T = layers[0].x.shape[1];
    return {"communication",
            cat("changing position ", j, " moves attention's output there and later, never before"),
            cat("moved ", moved.there, " of ", config.n_layer, " there, ", moved.after, " of ",
                (T - 1 - j) * config.n_layer, " later, ", moved.before, " before"),
            moved.before == 0};
}

Claim mlp_computes_alone(const Weights& weights, const std::vector<LayerSteps>& layers, int j) {
    const auto think = [&](const Tensor& x, const Block<Tensor>& block, int) {
        return reference::mlp(x, block, weights.config.activation, {kNobody, ""});
    };
    const Moved moved = count_moved(weights, layers, j, &LayerSteps::ln_2, &LayerSteps::mlp, think);
    return {"computation", cat("changing position ", j, " moves the MLP's output there alone"),
            cat("moved ", moved.there, " of ", weights.config.n_layer, " there, ",
                moved.before + moved.after, " elsewhere"),
            moved.before + moved.after == 0};
}

Claim residual_carries_on(const std::vector<LayerSteps>& layers) {
    double worst = 0;
    for (const LayerSteps& l : layers) {
        worst += largest_difference(reference::add(l.x, l.attn), l.residual_attn);
        worst += largest_difference(reference::add(l.residual_attn, l.mlp), l.residual_mlp);
    }
    return {"residual", "after each block the stream is what it was, plus attention, plus the MLP",
            cat("sum of largest differences ", worst), worst == 0};
}

// The logits of ids fed in pieces of `piece` tokens, [T,V].
Tensor run_fast(Transformer& model, std::span<const int> ids, std::size_t piece) {
    KvCache cache = model.new_cache(int(ids.size()));
    Tensor logits({int(ids.size()), model.config().vocab_size});
    auto out = logits.data.begin();
    for (std::size_t i = 0; i < ids.size(); i += piece) {
        const Chunk chunk{&cache, ids.subspan(i, std::min(piece, ids.size() - i))};
        const ConstMatrix rows = model.forward({&chunk, 1}, Positions::all);
        for (int r = 0; r < rows.rows; ++r) out = std::copy_n(rows.row(r), rows.cols, out);
    }
    return logits;
}

// The logits of ids as the second of two sequences that share every product.
Tensor run_in_company(Transformer& model, std::span<const int> ids) {
    const std::vector<int> other(ids.rbegin(), ids.rend() - std::ptrdiff_t(ids.size() / 2));
    KvCache caches[] = {model.new_cache(int(ids.size())), model.new_cache(int(ids.size()))};
    const Chunk chunks[] = {{&caches[0], other}, {&caches[1], ids}};
    const ConstMatrix rows = model.forward(chunks, Positions::all);
    Tensor logits({int(ids.size()), rows.cols});
    for (int t = 0; t < logits.shape[0]; ++t)
        std::copy_n(rows.row(int(other.size()) + t), rows.cols, &logits.at(t, 0));
    return logits;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
    return a.data.size() == b.data.size() &&
           std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(float)) == 0;
}

}  // namespace

double largest_difference(const Tensor& a, const Tensor& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        worst = worse(worst, std::fabs(double(a.data[i]) - double(b.data[i])));
    return worst;
}

std::vector<Claim> check_model(const Weights& weights, std::span<const int> ids) {
    const std::vector<LayerSteps> layers = run_page(weights, ids);
    const int middle = int(ids.size()) / 2;
    return {means_agree(layers[0]), weights_are_causal(layers),
            attention_communicates(weights, layers, middle),
            mlp_computes_alone(weights, layers, middle), residual_carries_on(layers)};
}

std::vector<Claim> check_numbers(const std::function<Transformer(int threads)>& make,
                                 const Weights& weights, std::span<const int> ids,
                                 double tolerance) {
    const Tensor page = reference::forward(weights, ids, 1);
    Transformer one = make(1);
    const Tensor whole = run_fast(one, ids, ids.size());

    const double difference = largest_difference(whole, page), size = std::max(1.0, largest(page));
    std::vector<Claim> claims{{"two readings", "the fast path agrees with the page in plain loops",
                               cat("largest difference ", difference, " of logits up to ", size),
                               difference <= tolerance * size}};
    const auto promise = [&](const std::string& name, const std::string& says, bool same) {
        claims.push_back({name, says, same ? "the same bytes" : "other bytes", same});
    };
    for (const int threads : {2, 3, 7}) {
        Transformer several = make(threads);
        several.share_all();
        promise("threads", cat(threads, " threads give the logits of one"),
                same_bytes(run_fast(several, ids, ids.size()), whole) &&
                    same_bytes(run_fast(several, ids, 3), whole));
    }
    promise("cache", "token by token through the KV cache gives the logits of one pass",
            same_bytes(run_fast(one, ids, 1), whole));
    promise("pieces", "the prompt cut into pieces of 3 gives the logits of one pass",
            same_bytes(run_fast(one, ids, 3), whole));
    promise("company", "a sequence in a batch gives the logits it gives alone",
            same_bytes(run_in_company(one, ids), whole));
    return claims;
}
