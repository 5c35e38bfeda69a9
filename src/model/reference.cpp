// GPT-2, line by line: README's "Attention, rebuilt instead of named" as code. B sequences, T
// positions, C channels, H heads of D = C / H channels, V tokens in the vocabulary. step(name,
// shape, value) checks the value's shape, shows the value to whoever observes, and returns it.
#include "model/reference.h"

namespace reference {

Tensor attention(const Tensor& x, const Block<Tensor>& block, int H, float scale,
                 const Steps& step) {
    const int B = x.shape[0], T = x.shape[1], C = x.shape[2], D = C / H;

    const Tensor qkv = step("c_attn", {B, T, 3 * C}, linear(x, block.c_attn.w, block.c_attn.b));
    const auto [queries, keys, values] = split_qkv(qkv);  // [B,T,3C] -> 3 x [B,T,C]
    const Tensor q = step("q", {B, H, T, D}, split_heads(queries, H));
    const Tensor k = step("k", {B, H, T, D}, split_heads(keys, H));
    const Tensor v = step("v", {B, H, T, D}, split_heads(values, H));

    const Tensor likes = step("scores", {B, H, T, T}, scores(q, k, scale));
    const Tensor legal = step("masked", {B, H, T, T}, add_mask(likes, causal_mask(T)));
    const Tensor W = step("weights", {B, H, T, T}, softmax(legal));

    const Tensor heads = step("heads", {B, H, T, D}, mix(W, v));
    const Tensor merged = step("merged", {B, T, C}, merge_heads(heads));
    return step("c_proj", {B, T, C}, linear(merged, block.attn_c_proj.w, block.attn_c_proj.b));
}

Tensor mlp(const Tensor& x, const Block<Tensor>& block, Activation activation, const Steps& step) {
    const int B = x.shape[0], T = x.shape[1], C = x.shape[2], inner = block.c_fc.w.shape[1];

    const Tensor wide = step("c_fc", {B, T, inner}, linear(x, block.c_fc.w, block.c_fc.b));
    const Tensor act = step("act", {B, T, inner}, activate(wide, activation));
    return step("c_proj", {B, T, C}, linear(act, block.mlp_c_proj.w, block.mlp_c_proj.b));
}

// wte[id] + wpe[t]: what the token is, and where it stands. ids [B,T] -> [B,T,C]
static Tensor embed(const Weights& weights, std::span<const int> ids, int B) {
    const int T = int(ids.size()) / B, C = weights.config.n_embd;
    Tensor x({B, T, C});
    for (int b = 0; b < B; ++b)
        for (int t = 0; t < T; ++t)
            for (int c = 0; c < C; ++c)
                x.at(b, t, c) =
                    weights.wte.at(ids[std::size_t(b * T + t)], c) + weights.wpe.at(t, c);
    return x;
}

static void check_input(const Config& config, std::span<const int> ids, int B) {
    const std::size_t T = B < 1 ? 0 : ids.size() / std::size_t(B);
    if (T * std::size_t(B) != ids.size() || T < 1 || T > std::size_t(config.n_positions))
        throw Error(cat("a forward pass takes 1 to ", config.n_positions, " positions, found ",
                        ids.size(), " tokens in ", B, " sequences"));
    config.check_ids(ids);
}

Tensor forward(const Weights& weights, std::span<const int> ids, int B, const Observer& observer) {
    const Config& config = weights.config;
    check_input(config, ids, B);
    const int T = int(ids.size()) / B, C = config.n_embd, H = config.n_head, V = config.vocab_size;
    const float epsilon = config.layer_norm_epsilon;
    const Steps step{observer, ""};

    Tensor x = step("embed", {B, T, C}, embed(weights, ids, B));  // the residual stream
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const Block<Tensor> block = block_of(weights, layer);
        const Steps here = step.within(cat("h.", layer));

        const Tensor ln_1 =
            here("ln_1", {B, T, C}, layer_norm(x, block.ln_1.g, block.ln_1.b, epsilon));
        const Tensor told =
            attention(ln_1, block, H, config.attention_scale(layer), here.within("attn"));
        x = here("residual_attn", {B, T, C}, add(x, told));

        const Tensor ln_2 =
            here("ln_2", {B, T, C}, layer_norm(x, block.ln_2.g, block.ln_2.b, epsilon));
        const Tensor thought = mlp(ln_2, block, config.activation, here.within("mlp"));
        x = here("residual_mlp", {B, T, C}, add(x, thought));
    }
    x = step("ln_f", {B, T, C}, layer_norm(x, weights.ln_f.g, weights.ln_f.b, epsilon));
    return step("logits", {B, T, V}, linear(x, transpose(widen(weights.lm_head)), Tensor({V})));
}

Tensor Steps::operator()(const std::string& name, const Shape& shape, Tensor value) const {
    expect(prefix + name, value.shape, shape);
    if (observer) observer(prefix + name, value);
    return value;
}

static Linear<Tensor> widen(const Linear<StoredMatrix>& stored) {
    return {::widen(stored.w), stored.b};
}

Block<Tensor> block_of(const Weights& weights, int layer) {
    const Block<StoredMatrix>& h = weights.h[std::size_t(layer)];
    return {h.ln_1, widen(h.c_attn), widen(h.attn_c_proj),
            h.ln_2, widen(h.c_fc),   widen(h.mlp_c_proj)};
}

}  // namespace reference
