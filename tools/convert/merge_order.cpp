#include "tools/convert/merge_order.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace convert {
namespace {

constexpr int kNone = std::numeric_limits<int>::max();

// The pieces by their bytes, and one piece's parts while they merge.
class Joiner {
public:
    explicit Joiner(const std::vector<std::string>& pieces, int special) {
        for (std::size_t id = 0; id < pieces.size(); ++id)
            if (int(id) != special) ids_.emplace(pieces[id], int(id));
    }

    bool has(std::string_view piece) const { return ids_.count(piece) > 0; }

    // Where the parts of `piece` begin once every join into an id below `limit` is made.
    const std::vector<std::size_t>& parts(std::string_view piece, int limit) {
        starts_.resize(piece.size());
        for (std::size_t i = 0; i < piece.size(); ++i) starts_[i] = i;
        joint_.assign(piece.size(), kNone);
        for (std::size_t i = 0; i + 1 < starts_.size(); ++i) look_up(piece, i, limit);
        for (;;) {
            const auto lowest = std::min_element(joint_.begin(), joint_.end());
            if (*lowest == kNone) return starts_;
            const auto i = std::size_t(lowest - joint_.begin());
            starts_.erase(starts_.begin() + std::ptrdiff_t(i) + 1);
            joint_.erase(joint_.begin() + std::ptrdiff_t(i) + 1);
            look_up(piece, i, limit);
            if (i > 0) look_up(piece, i - 1, limit);
        }
    }

private:
    // The id that part i and the next would join into, where it is below the limit.
    void look_up(std::string_view piece, std::size_t i, int limit) {
        joint_[i] = kNone;
        if (i + 1 >= starts_.size()) return;
        const std::size_t end = i + 2 < starts_.size() ? starts_[i + 2] : piece.size();
        const auto found = ids_.find(piece.substr(starts_[i], end - starts_[i]));
        if (found != ids_.end() && found->second < limit) joint_[i] = found->second;
    }

    std::unordered_map<std::string_view, int> ids_;
    std::vector<std::size_t> starts_;
    std::vector<int> joint_;  // by part: what it and the next join into
};

}  // namespace

std::optional<Merges> merges_in_order(const std::vector<std::string>& pieces, int special) {
    Joiner joiner(pieces, special);
    for (int byte = 0; byte < 256; ++byte)
        if (!joiner.has(std::string(1, char(byte)))) return std::nullopt;
    Merges merges;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        const std::string& piece = pieces[id];
        if (int(id) == special || piece.size() == 1) continue;
        const auto& parts = joiner.parts(piece, int(id));
        if (parts.size() != 2) return std::nullopt;
        merges.emplace_back(piece.substr(0, parts[1]), piece.substr(parts[1]));
    }
    return merges;
}

}  // namespace convert
