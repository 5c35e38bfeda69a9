// A model's matrices as the fast path wants them: packed, all of them in one room.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>
#include "base/buffer.h"
#include "kernels/packed_matrix.h"
#include "model/weights.h"

struct PackedWeights {
    Buffer<std::byte> room;               // where the packed matrices lie
    PackedMatrix wte;                     // [C,V]: the head's layout; a column embeds a token
    std::optional<PackedMatrix> lm_head;  // [C,V], where the head is not tied
    std::vector<Block<PackedMatrix>> h;
    std::size_t elements = 0;  // of all matrices: about the multiply-adds of one position
};

// Packs every matrix but wpe, in parallel: as `type` (with q4 the embeddings and the head as q8),
// or without one as the file holds it. Takes the norms and biases of the blocks along. Pages of the
// file leave memory once they are packed. Refuses a file that changes meanwhile.
PackedWeights pack_weights(Weights&& weights, std::optional<PackedType> type, int threads);

// The bytes of packed matrices that this makes.
std::size_t packed_bytes(const Weights& weights, std::optional<PackedType> type);
