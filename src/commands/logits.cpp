// gpt logits: the forward pass itself, as a table of predictions or as files for other programs.
#include <algorithm>
#include <cmath>
#include "base/file.h"
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "model/lens.h"
#include "model/reference.h"
#include "model/scoring.h"

namespace {

constexpr std::string_view kNotes =
    "--npy writes float32 [T,V], or [B,T,V] for several --ids, which must then be of\n"
    "one length. --dump writes what the plain forward pass (src/model/reference.cpp)\n"
    "does, step by step, as float32 [B,…] under names such as h.0.attn.q; it computes\n"
    "in f32, whatever --dtype says. With either there is no table. An empty text is\n"
    "read as the end-of-text token or, where the model has none, as a line feed.\n"
    "\n"
    "--json prints a line for each sequence: {\"ids\":[…],\"top\":[[{\"id\":n,\"piece\":\"…\",\n"
    "\"logit\":x,\"logprob\":x},…],…]}, for each position the likeliest first. piece is\n"
    "null without a tokenizer. A byte XX that is no part of valid UTF-8 appears as\n"
    "\\udcXX.\n"
    "\n"
    "example: gpt logits --npy logits.npy \"To be, or not to be\"\n";

struct Request {
    int top = 4;
    std::string npy, dump;
    bool step = false;
};

struct Prediction {
    int id;
    float logit;
    double logprob;
};
using Predictions = std::vector<Prediction>;  // of one position, the likeliest first

// Called with each position's logits.
using OnLogits =
    std::function<void(std::size_t sequence, std::size_t t, std::span<const float> logits)>;

// Runs all sequences side by side, many positions at a time or, where asked, one by one.
void forward(Transformer& model, const std::vector<Ids>& sequences, bool step,
             const OnLogits& on_logits) {
    const std::size_t most = step ? 1 : std::max<std::size_t>(kRowsAtOnce / sequences.size(), 1);
    std::vector<KvCache> caches;
    for (const Ids& ids : sequences) caches.push_back(model.new_cache(int(ids.size())));
    std::vector<Chunk> chunks;
    for (std::size_t from = 0;; from += most) {
        chunks.clear();
        for (std::size_t b = 0; b < sequences.size(); ++b) {
            const std::span ids(sequences[b]);
            if (from < ids.size())
                chunks.push_back(
                    {&caches[b], ids.subspan(from, std::min(most, ids.size() - from))});
        }
        if (chunks.empty()) return;
        const ConstMatrix logits = model.forward(chunks, Positions::all);
        int row = 0;
        for (const Chunk& chunk : chunks)
            for (std::size_t t = 0; t < chunk.ids.size(); ++t)
                on_logits(std::size_t(chunk.cache - caches.data()), from + t,
                          {logits.row(row++), std::size_t(logits.cols)});
    }
}

Predictions likeliest(std::span<const float> logits, std::size_t count, std::size_t t) {
    const double all = log_sum_exp(logits);
    if (!std::isfinite(all)) throw Error(cat("the logits at position ", t, " are not finite"));
    Predictions predictions;
    for (const int id : highest_ids(logits, count)) {
        const float logit = logits[std::size_t(id)];
        predictions.push_back({id, logit, double(logit) - all});
    }
    return predictions;
}

std::string cell(Session& session, const Prediction& p, int width) {
    const std::string text = session.find_tokenizer() ? visible(session.piece(p.id)) : cat(p.id);
    return form("%7.1f%% ", 100 * std::exp(p.logprob)) + fit(text, width);
}

void print_table(Session& session, const Ids& ids, const std::vector<Predictions>& top) {
    print("position  token     next\n");
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const std::string token =
            session.find_tokenizer() ? visible(session.piece(ids[t])) : cat(ids[t]);
        std::string line = form("%8zu  ", t) + fit(token, 8);
        for (const Prediction& p : top[t]) line += cell(session, p, 7);
        line.erase(line.find_last_not_of(' ') + 1);
        print(line + "\n");
    }
}

void print_json(Session& session, const Ids& ids, const std::vector<Predictions>& top) {
    const auto as_json = [&](const Prediction& p) {
        const bool has_text = session.find_tokenizer() != nullptr;
        return cat(
            "{\"id\":", p.id, ",\"piece\":", has_text ? json_quote(session.piece(p.id)) : "null",
            ",\"logit\":", json_number(p.logit), ",\"logprob\":", json_number(p.logprob), "}");
    };
    print(cat("{\"ids\":", json_ids(ids), ",\"top\":["));
    for (std::size_t t = 0; t < top.size(); ++t)
        print(cat(t ? "," : "", json_list(top[t], as_json)));
    print("]}\n");
}

void print_predictions(Session& session, const std::vector<Ids>& sequences,
                       const Request& request) {
    Transformer model = session.transformer();
    std::vector<std::vector<Predictions>> top(sequences.size());
    forward(model, sequences, request.step, [&](std::size_t b, std::size_t t, auto logits) {
        top[b].push_back(likeliest(logits, std::size_t(request.top), t));
    });
    for (std::size_t b = 0; b < sequences.size(); ++b) {
        if (session.json()) {
            print_json(session, sequences[b], top[b]);
            continue;
        }
        if (b > 0) print("\n");
        print_table(session, sequences[b], top[b]);
    }
}

void write_logits(Session& session, const std::vector<Ids>& sequences, const Request& request) {
    Transformer model = session.transformer();
    const int B = int(sequences.size()), T = int(sequences[0].size()),
              V = session.config().vocab_size;
    Tensor all(Shape{B, T, V});
    forward(model, sequences, request.step, [&](std::size_t b, std::size_t t, auto logits) {
        std::copy(logits.begin(), logits.end(), &all.at(b, t, 0));
    });
    write_npy(request.npy, B == 1 ? Shape{T, V} : all.shape, all.data);
    note(cat(request.npy, ": float32 ", B == 1 ? Shape{T, V}.text() : all.shape.text(), "\n"));
}

void write_steps(Session& session, const std::vector<Ids>& sequences, const Request& request) {
    Ids ids;
    for (const Ids& sequence : sequences) ids.insert(ids.end(), sequence.begin(), sequence.end());
    std::vector<TensorSource> steps;
    reference::forward(session.weights(), ids, int(sequences.size()),
                       [&](const std::string& name, const Tensor& value) {
                           const auto& dim = value.shape.dim;
                           steps.push_back({name,
                                            NumberType::f32,
                                            {dim.begin(), dim.begin() + value.shape.rank},
                                            [data = value.data] { return data; }});
                       });
    write_safetensors(request.dump, steps);
    note(cat(request.dump, ": ", steps.size(), " tensors, float32\n"));
}

// Refuses what the context cannot hold, and sequences that one tensor cannot.
void check_lengths(const std::vector<Ids>& sequences, int context, bool equal) {
    for (const Ids& ids : sequences) {
        if (ids.size() > std::size_t(context))
            throw Error(cat("a sequence of ", ids.size(), " tokens does not fit the context of ",
                            context, " positions"));
        if (equal && ids.size() != sequences[0].size())
            throw UsageError(cat("one tensor needs sequences of one length, found ",
                                 sequences[0].size(), " and ", ids.size(), " tokens"));
    }
}

}  // namespace

int commands::logits(Session& session) {
    Request request;
    session.options.add("--top N", request.top, 1, 1000,
                        "how many predictions to show of each position");
    session.options.add("--npy FILE", request.npy, "write all logits as a NumPy array");
    session.options.add("--dump FILE", request.dump, "write every step as safetensors");
    session.options.add_flag("--step", request.step, "feed one token at a time through the cache");
    if (!session.parse(kNotes)) return 0;

    check_is_file("--npy", request.npy);
    check_is_file("--dump", request.dump);
    if (!request.npy.empty() && !request.dump.empty() && same_place(request.npy, request.dump))
        throw UsageError(cat("--npy and --dump would both write ", request.npy));

    std::vector<Ids> sequences = session.sequences();
    for (Ids& ids : sequences)
        if (ids.empty()) ids = {session.start_token()};
    const bool to_file = !request.npy.empty() || !request.dump.empty();
    check_lengths(sequences, session.config().n_positions, to_file);
    if (!request.npy.empty()) write_logits(session, sequences, request);
    if (!request.dump.empty()) write_steps(session, sequences, request);
    if (!to_file || session.json()) print_predictions(session, sequences, request);
    return 0;
}
