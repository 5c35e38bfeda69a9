// The fast forward pass: packed weights and a KV cache, without hooks. Equals reference::forward to
// rounding (of weights and activations too, with 8 and 4 bits), and itself bit for bit, whatever
// the thread count, the batch, and the way a sequence is cut into calls.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>
#include "base/tensor.h"
#include "kernels/attention.h"
#include "kernels/linear.h"
#include "model/kv_cache.h"
#include "model/packing.h"
#include "model/weights.h"

// Some tokens to append to one sequence. Chunks of a call share every product; each has a cache of
// its own, and their lengths may differ.
struct Chunk {
    KvCache* cache;
    std::span<const int> ids;
};

enum class Positions { all, last };

// As many rows as a long input is fed at a time: enough to be fast, few enough to stay small.
inline constexpr std::size_t kRowsAtOnce = 512;

class Transformer {
public:
    // Over the weights as pack_weights packs them. Refuses what it refuses.
    Transformer(Weights weights, std::optional<PackedType> type, int threads);

    const Config& config() const { return config_; }
    int team() const { return team_; }  // the threads that shared the last pass
    // From now on all threads share every pass, whatever that is worth.
    void share_all() { shares_all_ = true; }
    // The matrices that a position is multiplied with, the head's last.
    std::vector<const PackedMatrix*> products() const;

    KvCache new_cache(int capacity) const { return KvCache(config_, capacity); }

    // Runs the chunks' tokens through the model and appends them to their caches. Returns the
    // logits of every position, or of each chunk's last: [rows,V], chunk after chunk, valid until
    // the next call. Refuses ids outside the vocabulary and sequences past their capacity or
    // n_positions.
    ConstMatrix forward(std::span<const Chunk> chunks, Positions positions);

private:
    int team_for(int rows);
    void check(const Chunk& chunk) const;
    void make_room(std::span<const Chunk> chunks, Positions positions);
    void embed(std::span<const Chunk> chunks);
    void attend(int layer);
    void compute(const Block<PackedMatrix>& h);
    void predict(std::span<const Chunk> chunks, Positions positions);
    ConstMatrix normalised(ConstMatrix x, const Norm& norm);
    void product(Matrix y, ConstMatrix x, const Linear<PackedMatrix>& l, const Then& then = {});
    const PackedMatrix& head() const { return packed_.lm_head ? *packed_.lm_head : packed_.wte; }

    Config config_;
    int threads_, team_ = 1;
    std::size_t alone_ = 0;  // multiply-adds before threads were started
    bool shares_all_ = false;
    Tensor wpe_;  // [n_positions,C]
    Norm ln_f_;
    PackedWeights packed_;

    // What a pass computes, for the rows of all chunks one after the other.
    Buffer<float> memory_;
    Matrix x_;       // [N,C], the residual stream
    Matrix normed_;  // [N,C]; of a single row, one for each thread
    Matrix qkv_;     // [N,3C]
    Matrix mixed_;   // [N,C], heads merged
    Matrix inner_;   // [N,n_inner]
    Matrix update_;  // [N,C], what a part adds to the stream; rows whose logits are wanted
    Matrix logits_;  // [rows,V]
    std::vector<Attending> attending_;  // [L] times the chunks
    Workspace workspace_;
};
