#include "model/transformer.h"
#include <algorithm>
#include <utility>
#include "base/threads.h"
#include "kernels/pointwise.h"

Transformer::Transformer(Weights weights, std::optional<PackedType> type, int threads)
    : config_(weights.config),
      threads_(threads),
      wpe_(widen(weights.wpe)),
      ln_f_(std::move(weights.ln_f)) {
    check_threads(threads);
    packed_ = pack_weights(std::move(weights), type, threads);
}

std::vector<const PackedMatrix*> Transformer::products() const {
    std::vector<const PackedMatrix*> all;
    const auto add = [&](const Linear<PackedMatrix>& linear) { all.push_back(&linear.w); };
    for (const Block<PackedMatrix>& h : packed_.h) for_each_linear(add, h);
    all.push_back(&head());
    return all;
}

ConstMatrix Transformer::forward(std::span<const Chunk> chunks, Positions positions) {
    for (const Chunk& chunk : chunks) check(chunk);
    make_room(chunks, positions);
    team_ = team_for(x_.rows);
#pragma omp parallel num_threads(team_)
    {
        embed(chunks);
        for (std::size_t l = 0; l < packed_.h.size(); ++l) {
            attend(int(l));
            compute(packed_.h[l]);
        }
        predict(chunks, positions);
    }
    for (const Chunk& chunk : chunks) chunk.cache->extend(int(chunk.ids.size()));
    return logits_;
}

// As many threads as gain more than they cost: each should have some 100 microseconds of its own.
// To start them takes some milliseconds, so that they wait until one has worked for as long.
int Transformer::team_for(int rows) {
    constexpr std::size_t kWorth = 1 << 20, kWorthStarting = 1 << 26;  // multiply-adds
    if (shares_all_) return threads_;
    const std::size_t work = packed_.elements * std::size_t(rows);
    if (alone_ < kWorthStarting) alone_ += work;
    if (alone_ < kWorthStarting) return 1;
    return int(std::clamp(work / kWorth, std::size_t(1), std::size_t(threads_)));
}

void Transformer::check(const Chunk& chunk) const {
    if (chunk.ids.empty()) throw std::logic_error("forward: a chunk without tokens");
    const std::size_t end = std::size_t(chunk.cache->size()) + chunk.ids.size();
    const int most = std::min(chunk.cache->capacity(), config_.n_positions);
    if (end > std::size_t(most))
        throw Error(cat("a sequence of ", end, " tokens is longer than the ", most,
                        " that there is room for"));
    config_.check_ids(chunk.ids);
}

void Transformer::make_room(std::span<const Chunk> chunks, Positions positions) {
    int N = 0, S = 0;
    for (const Chunk& chunk : chunks) {
        N += int(chunk.ids.size());
        S = std::max(S, chunk.cache->size() + int(chunk.ids.size()));
    }
    const int rows = positions == Positions::all ? N : int(chunks.size());
    const int C = config_.n_embd, V = config_.vocab_size;
    const std::pair<Matrix*, Shape> tensors[] = {
        {&x_, {N, C}},        {&normed_, {std::max(N, threads_), C}}, {&qkv_, {N, 3 * C}},
        {&mixed_, {N, C}},    {&inner_, {N, config_.n_inner}},        {&update_, {N, C}},
        {&logits_, {rows, V}}};
    std::size_t size = 0;
    for (const auto& [tensor, shape] : tensors)
        size += std::size_t(shape[0]) * std::size_t(odd_lines(shape[1]));
    if (memory_.size() < size) memory_.resize(size);
    float* data = memory_.data();
    for (const auto& [tensor, shape] : tensors) {
        *tensor = {data, shape[0], shape[1], odd_lines(shape[1])};
        data += shape[0] * tensor->stride;
    }
    attending_.clear();
    for (int l = 0; l < config_.n_layer; ++l)
        for (int row = 0; const Chunk& chunk : chunks) {
            const int T = int(chunk.ids.size());
            attending_.push_back({mixed_.some_rows(row, T), qkv_.some_rows(row, T),
                                  chunk.cache->layer(l), chunk.cache->size()});
            row += T;
        }
    workspace_.reserve(N, std::max(config_.n_inner, C));  // for 8 and 4 bits
    reserve_for_attention(workspace_, S, threads_);
}

// Each token's row of wte plus its position's row of wpe.
void Transformer::embed(std::span<const Chunk> chunks) {
    for (int row = 0; const Chunk& chunk : chunks) {
        const int T = int(chunk.ids.size()), start = chunk.cache->size();
        const Range share = my_share(T);
        for (int t = share.first; t < share.last; ++t) {
            float* x = x_.row(row + t);
            packed_.wte.column(chunk.ids[std::size_t(t)], x);
            const float* position = &wpe_.at(start + t, 0);
            for (int c = 0; c < config_.n_embd; ++c) x[c] += position[c];
        }
        row += T;
    }
    workspace_.wait();
}

// x + attention(layer_norm(x)): the positions exchange.
void Transformer::attend(int layer) {
    const Block<PackedMatrix>& h = packed_.h[std::size_t(layer)];
    const std::size_t chunks = attending_.size() / packed_.h.size();
    const auto sequences = std::span(attending_).subspan(std::size_t(layer) * chunks, chunks);
    product(qkv_, normalised(x_, h.ln_1), h.c_attn);
    attention(sequences, config_.attention_scale(layer), workspace_);
    product(update_, mixed_, h.attn_c_proj, {.residual = x_});
}

// x + mlp(layer_norm(x)): each position alone.
void Transformer::compute(const Block<PackedMatrix>& h) {
    product(inner_, normalised(x_, h.ln_2), h.c_fc, {.activation = config_.activation});
    product(update_, inner_, h.mlp_c_proj, {.residual = x_});
}

// The logits of the rows that are wanted.
void Transformer::predict(std::span<const Chunk> chunks, Positions positions) {
    Matrix wanted = x_;
    if (positions == Positions::last && chunks.size() < std::size_t(x_.rows)) {
        if (team_member() == 0)
            for (int end = 0, i = 0; const Chunk& chunk : chunks) {
                end += int(chunk.ids.size());
                std::copy_n(x_.row(end - 1), x_.cols, update_.row(i++));
            }
        workspace_.wait();
        wanted = update_.some_rows(0, int(chunks.size()));
    }
    linear(logits_, normalised(wanted, ln_f_), head(), nullptr, workspace_);
}

// layer_norm(x). A single row every thread works out for itself, which takes it less time than to
// meet.
ConstMatrix Transformer::normalised(ConstMatrix x, const Norm& norm) {
    const float *g = norm.g.data.data(), *b = norm.b.data.data();
    const float epsilon = config_.layer_norm_epsilon;
    const Matrix y = normed_.some_rows(x.rows == 1 ? team_member() : 0, x.rows);
    if (x.rows == 1)
        layer_norm(y, x, g, b, epsilon);
    else
        layer_norm(y, x, g, b, epsilon, workspace_);
    return y;
}

void Transformer::product(Matrix y, ConstMatrix x, const Linear<PackedMatrix>& l,
                          const Then& then) {
    linear(y, x, l.w, l.b.data.data(), workspace_, then);
}
