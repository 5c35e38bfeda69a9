#include "commands/look.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include "commands/layout.h"

Ids sample_sequence(Session& session) {
    constexpr std::string_view kSentence = "The king is dead because he was proud.";
    if (session.has_input()) {
        const std::vector<Ids> sequences = session.sequences();
        if (sequences.size() != 1)
            throw UsageError(cat("one sequence expected, found ", sequences.size()));
        return sequences[0].empty() ? Ids{session.start_token()} : sequences[0];
    }
    const Config& config = session.config();
    if (session.find_tokenizer()) {
        try {
            return session.encode(kSentence);
        } catch (const Error&) {
            // The vocabulary has no piece for some letter, or the model no row for some piece.
        }
    }
    Ids ids(std::size_t(std::min({config.n_positions, config.vocab_size, 16})));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

std::vector<std::string> labels_of(Session& session, const Ids& ids) {
    std::vector<std::string> labels;
    for (const int id : ids) {
        const std::string_view piece = session.piece(id);
        labels.push_back(piece.empty() ? cat(id) : visible(piece));
    }
    return labels;
}

void check_finite(const std::string& step, const Tensor& x) {
    for (const float v : x.data)
        if (!std::isfinite(v))
            throw Error(cat(step, " is not finite: it has ",
                            std::isnan(v) ? "NaN"
                            : v > 0       ? "infinity"
                                          : "-infinity"));
}

void check_layer_and_head(const Config& config, int layer, int head) {
    if (layer >= config.n_layer)
        throw UsageError(cat("--layer needs 0 to ", config.n_layer - 1, ", found ", layer));
    if (head >= config.n_head)
        throw UsageError(cat("--head needs 0 to ", config.n_head - 1, ", found ", head));
}
