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
#include "kernels/packed_matrix.h"
#include "model/kv_cache.h"
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

// The bytes of packed matrices that a Transformer makes of these weights.
std::size_t packed_bytes(const Weights& weights, std::optional<PackedType> type);

class Transformer {
public:
    // Packs every matrix but wpe, in parallel: as `type` (with q4 the embeddings and the head as
    // q8), or without one as the file holds it. Pages of the file leave memory once they are
    // packed. Refuses a file that changes meanwhile.
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
    const PackedMatrix& head() const { return lm_head_ ? *lm_head_ : wte_; }

    Config config_;
    int threads_, team_ = 1;
    std::size_t elements_ = 0;  // of all matrices: about the multiply-adds of one position
    std::size_t alone_ = 0;     // multiply-adds before threads were started
    bool shares_all_ = false;
    Buffer<std::byte> packed_;             // where the packed matrices lie
    PackedMatrix wte_;                     // [C,V]: the head's layout; a column embeds a token
    std::optional<PackedMatrix> lm_head_;  // [C,V], where the head is not tied
    Tensor wpe_;                           // [n_positions,C]
    std::vector<Block<PackedMatrix>> h_;
    Norm ln_f_;

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
