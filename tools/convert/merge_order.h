// The merges of a byte-level BPE, recovered from its pieces, whose ids are in the order of the
// merges that make them.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convert {

using Merges = std::vector<std::pair<std::string, std::string>>;

// The one merge of each piece that is longer than a byte and not the special one, in the order of
// ids: what merging the piece's bytes by all earlier merges ends with must be exactly two pieces.
// Nothing where it is not, or a byte has no piece.
//
// A tokenizer with these merges equals one that joins, again and again, the two neighbours whose
// joint piece has the lowest id, as tiktoken does. Say that one joins neighbours into z while no
// piece of a lower id is left to join. No earlier join crossed the ends of z, so within them went
// what goes in z alone; what that ends with is, by the condition, the pair of z's merge.
std::optional<Merges> merges_in_order(const std::vector<std::string>& pieces, int special);

}  // namespace convert
