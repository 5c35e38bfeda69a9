// gpt score: how likely the model finds a text, token by token.
#include <climits>
#include <cmath>
#include <numbers>
#include <numeric>
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "model/scoring.h"

namespace {

constexpr std::string_view kNotes =
    "Each token is scored once, by log p(token | those before it) in nats: the\n"
    "softmax is over all tokens of the model. The first follows the end-of-text\n"
    "token; where the model has none, the first is read but not scored. The model\n"
    "reads N tokens at a time. The first window scores one token after each of its\n"
    "own; each further one starts M later and scores the M that are new, which have\n"
    "at least N - M + 1 tokens before them. A smaller stride takes longer and comes\n"
    "nearer to what the model can do.\n"
    "\n"
    "nll is the sum of -log p, perplexity exp(nll / tokens), bytes are those of the\n"
    "scored tokens, bits per byte nll / ln 2 / bytes.\n"
    "\n"
    "--json prints a line for each sequence: {\"tokens\":n,\"bytes\":n,\"nll\":x,\n"
    "\"perplexity\":x,\"bits_per_byte\":x,\"window\":n,\"stride\":n}, and with --per-token\n"
    "also \"per_token\":[{\"id\":n,\"logprob\":x},…] of the scored tokens. bytes and\n"
    "bits_per_byte are null without a tokenizer, perplexity where it overflows.\n"
    "\n"
    "example: gpt score --stride 16 -f play.txt\n";

struct Score {
    Ids ids;                       // those that were scored
    std::vector<double> logprobs;  // log p of each
    std::size_t bytes = 0;         // that they stand for
    double nll = 0;
};

// Puts what the first token follows before the ids, unless they start with it themselves.
Ids with_start(Session& session, Ids ids) {
    const std::optional<int> start = session.end_of_text();
    if (start && (ids.empty() || ids[0] != *start)) ids.insert(ids.begin(), *start);
    if (ids.size() < 2)
        throw Error(ids.empty() || start
                        ? "there is nothing to score: the text is empty"
                        : "there is nothing to score: one token, with none before it");
    return ids;
}

Score score_ids(Session& session, Transformer& model, const Ids& ids, int window, int stride) {
    Score score;
    score.logprobs = log_probabilities(model, ids, window, stride);
    score.ids.assign(ids.begin() + 1, ids.end());
    for (const int id : score.ids) score.bytes += session.piece(id).size();
    for (const double logprob : score.logprobs) score.nll -= logprob;
    return score;
}

void print_per_token(Session& session, const Score& score) {
    print("   token      log p          p  text\n");
    for (std::size_t i = 0; i < score.ids.size(); ++i) {
        const double logprob = score.logprobs[i];
        print(form("%8d %10.4f %9.4f%%  ", score.ids[i], logprob, 100 * std::exp(logprob)));
        print(visible(session.piece(score.ids[i])) + "\n");
    }
    print("\n");
}

struct Figures {
    double per_token, perplexity, bits_per_byte;
};

Figures figures_of(const Score& score) {
    const double per_token = score.nll / double(score.ids.size());
    return {per_token, std::exp(per_token), score.nll / std::numbers::ln2 / double(score.bytes)};
}

void print_table(const Score& score, bool has_text, int window, int stride) {
    const Figures figures = figures_of(score);
    const auto row = [](const char* name, const std::string& value) {
        print(fit(name, 16) + value + "\n");
    };
    row("tokens", grouped(score.ids.size()));
    row("bytes", has_text ? grouped(score.bytes) : "unknown without a tokenizer");
    row("nll", form("%.4f nats, %.4f a token", score.nll, figures.per_token));
    row("perplexity", form("%.4f", figures.perplexity));
    if (has_text) row("bits per byte", form("%.4f", figures.bits_per_byte));
    row("window, stride", cat(window, ", ", stride));
}

void print_json(const Score& score, bool has_text, int window, int stride, bool per_token) {
    const Figures figures = figures_of(score);
    print(cat("{\"tokens\":", score.ids.size(), ",\"bytes\":", has_text ? cat(score.bytes) : "null",
              ",\"nll\":", json_number(score.nll),
              ",\"perplexity\":", json_number(figures.perplexity),
              ",\"bits_per_byte\":", has_text ? json_number(figures.bits_per_byte) : "null",
              ",\"window\":", window, ",\"stride\":", stride));
    if (per_token) {
        print(",\"per_token\":[");
        for (std::size_t i = 0; i < score.ids.size(); ++i)
            print(cat(i ? "," : "", "{\"id\":", score.ids[i],
                      ",\"logprob\":", json_number(score.logprobs[i]), "}"));
        print("]");
    }
    print("}\n");
}

}  // namespace

int commands::score(Session& session) {
    std::optional<int> window_option, stride_option;
    bool per_token = false;
    session.options.add("--window N", window_option, 1, INT_MAX,
                        "tokens that the model reads at a time [its context]");
    session.options.add("--stride M", stride_option, 1, INT_MAX,
                        "tokens that each further window scores [half a window]");
    session.options.add_flag("--per-token", per_token, "the log-probability of each token");
    if (!session.parse(kNotes)) return 0;

    std::vector<Ids> sequences = session.sequences();
    const int context = session.config().n_positions;
    const int window = window_option.value_or(context);
    const int stride = stride_option.value_or(window - window / 2);
    if (window > context)
        throw UsageError(cat("--window ", window, " is more than the context of ", context));
    if (stride > window)
        throw UsageError(cat("--stride ", stride, " is more than the window of ", window));
    for (Ids& ids : sequences) ids = with_start(session, std::move(ids));

    const bool has_text = session.find_tokenizer() != nullptr;
    Transformer model = session.transformer();
    for (const Ids& ids : sequences) {
        const Score score = score_ids(session, model, ids, window, stride);
        if (session.json()) {
            print_json(score, has_text, window, stride, per_token);
            continue;
        }
        if (&ids != &sequences.front()) print("\n");
        if (per_token) print_per_token(session, score);
        print_table(score, has_text, window, stride);
    }
    return 0;
}
