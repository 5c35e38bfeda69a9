#include "commands/explain/data.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include "commands/layout.h"
#include "commands/summary.h"
#include "formats/json.h"
#include "formats/numbers.h"
#include "model/causal_mix.h"

namespace {

constexpr int kLikeliestShown = 64;  // next tokens that the page may name

// {"name":value,...}, of values that are JSON already.
std::string object(const std::vector<std::pair<std::string_view, std::string>>& members) {
    std::string json;
    for (const auto& [name, value] : members)
        json += cat(json.empty() ? "{" : ",", json_quote(name), ":", value);
    return cat(json, "}");
}

std::string floats(std::span<const float> values) {
    std::vector<std::byte> bytes;
    append_numbers([&](auto more) { bytes.insert(bytes.end(), more.begin(), more.end()); },
                   NumberType::f32, values);
    return json_quote(base64(bytes));
}

// A number for each of some stages and positions: the first positions of each stage.
std::string floats(const std::vector<std::vector<float>>& stages, int positions) {
    std::vector<float> all;
    for (const auto& stage : stages)
        all.insert(all.end(), stage.begin(), stage.begin() + positions);
    return floats(all);
}

std::string model_json(const Subject& subject) {
    const Config& config = subject.weights.config;
    return object({{"name", json_quote(subject.model)},
                   {"layers", cat(config.n_layer)},
                   {"heads", cat(config.n_head)},
                   {"channels", cat(config.n_embd)},
                   {"inner", cat(config.n_inner)},
                   {"vocabulary", cat(config.vocab_size)},
                   {"context", cat(config.n_positions)}});
}

// README's letters for the steps of a layer.
std::string_view letters_of(std::string_view step) {
    const std::string_view last = step.substr(step.rfind('.') + 1);
    if (last == "c_attn") return "B,T,3C";
    if (last == "q" || last == "k" || last == "v" || last == "heads") return "B,H,T,D";
    if (last == "scores" || last == "masked" || last == "weights") return "B,H,T,T";
    return last == "c_fc" || last == "act" ? "B,T,F" : "B,T,C";
}

// Of [1,T,..] or [1,H,T,..], the first positions of every sheet; and of [..,T,T] both ways.
std::vector<float> start_of(const Tensor& x, std::string_view letters, int positions) {
    const int rank = x.shape.rank, T = x.shape[rank - 2], width = x.shape[rank - 1];
    const int shown = letters.ends_with("T,T") ? positions : width;
    std::vector<float> values;
    for (auto sheet = x.data.begin(); sheet != x.data.end(); sheet += std::ptrdiff_t(T) * width)
        for (std::ptrdiff_t t = 0; t < positions; ++t)
            values.insert(values.end(), sheet + t * width, sheet + t * width + shown);
    return values;
}

std::string step_json(const Step& step, int positions) {
    const std::string_view letters = letters_of(step.name);
    const Summary summary = summarise(step.value);
    return object({{"name", json_quote(step.name)},
                   {"letters", json_quote(letters)},
                   {"shape", step.value.shape.text()},
                   {"least", json_number(summary.least)},
                   {"most", json_number(summary.most)},
                   {"norm", json_number(summary.norm)},
                   {"values", floats(start_of(step.value, letters, positions))}});
}

std::string trace_json(const Trace& trace, int positions) {
    return json_list(trace.steps, [&](const Step& step) { return step_json(step, positions); });
}

// The matrices of the three means, and how far what they make of the values lies apart.
std::string means_json(const Trace& trace, int head, int positions) {
    const auto of = [&](const char* step) { return one_head(trace.step(step), head, positions); };
    const HeadInput input{of("attn.q"), of("attn.k"), of("attn.v")};
    const Tensor loop = loop_mean(input);
    double difference = 0, largest = 0;
    std::vector<std::string> matrices;
    for (const CausalMix mean : {loop_mean, triangle_mean, softmax_mean}) {
        matrices.push_back(floats(legal(matrix_of(mean, input), positions)));
        const Tensor y = mean(input);
        for (std::size_t i = 0; i < y.data.size(); ++i) {
            difference = std::max(difference, std::fabs(double(y.data[i]) - loop.data[i]));
            largest = std::max(largest, std::fabs(double(y.data[i])));
        }
    }
    return object({{"matrices", json_list(matrices, [](auto& m) { return m; })},
                   {"difference", json_number(difference)},
                   {"largest", json_number(largest)}});
}

// Tokens with their probabilities, whatever they are grouped by, one after the other.
std::string guesses_json(const std::vector<Guess>& guesses) {
    std::vector<float> probabilities;
    for (const Guess& g : guesses) probabilities.push_back(g.probability);
    return object({{"ids", json_list(guesses, [](const Guess& g) { return cat(g.id); })},
                   {"probabilities", floats(probabilities)}});
}

std::string substitution_json(const Substitution& s, int positions) {
    return object({{"position", cat(s.position)},
                   {"from", cat(s.from)},
                   {"to", cat(s.to)},
                   {"stream", floats(s.stream, positions)},
                   {"attention", floats(s.attention, positions)},
                   {"mlp", floats(s.mlp, positions)},
                   {"next", guesses_json(s.next)}});
}

std::vector<std::vector<float>> norms_of(const std::vector<Tensor>& tensors) {
    std::vector<std::vector<float>> all;
    for (const Tensor& x : tensors) all.push_back(norms(x));
    return all;
}

std::vector<Guess> flat(const std::vector<std::vector<std::vector<Guess>>>& lens) {
    std::vector<Guess> all;
    for (const auto& block : lens)
        for (const auto& position : block) all.insert(all.end(), position.begin(), position.end());
    return all;
}

// The likeliest other token at a position, by what comes before it.
std::optional<int> likely_other(const Subject& subject, const Recording& recording, int position) {
    for (const Guess& g : recording.lens.back()[std::size_t(std::max(position - 1, 0))])
        if (g.id != subject.ids[std::size_t(position)]) return g.id;
    return std::nullopt;
}

// Some positions, evenly spread, each with another token in its place.
std::vector<Substitution> substitutions(const Subject& subject, const Recording& recording,
                                        int positions, const Progress& progress) {
    std::vector<Substitution> all;
    const int count = std::min(positions, kSubstitutions);
    for (int i = 0; i < count; ++i) {
        progress(i + 1, count + 1);
        const int position = (2 * i + 1) * positions / (2 * count);
        if (const auto other = likely_other(subject, recording, position))
            all.push_back(substitute(subject.weights, subject.ids, recording, position, *other,
                                     subject.candidates));
    }
    return all;
}

// {"id":"piece",...} for every token that the page mentions; {} where none is known.
std::string pieces_json(const Subject& subject, const std::vector<Guess>& guesses) {
    std::set<int> ids(subject.ids.begin(), subject.ids.end());
    for (const Guess& g : guesses) ids.insert(g.id);
    std::string json;
    for (const int id : ids)
        if (const std::string_view piece = subject.piece(id); !piece.empty())
            json += cat(json.empty() ? "" : ",", "\"", id, "\":", json_quote(piece));
    return cat("{", json, "}");
}

}  // namespace

std::string page_data(const Subject& subject, const Progress& progress) {
    const Config& config = subject.weights.config;
    const Extent extent = fit_extent(config, int(subject.ids.size()), subject.layer);
    const int P = extent.positions;
    progress(0, std::min(P, kSubstitutions) + 1);
    const Recording r =
        record(subject.weights, subject.ids, extent, Lens(subject.weights, subject.candidates));
    const auto changes = substitutions(subject, r, P, progress);

    const Trace& trace = r.trace_of(subject.layer);
    const int head = subject.head.value_or(sharpest_head(trace.step("attn.weights")));
    const std::span<const float> sayable(r.logits.data(), std::size_t(subject.candidates));
    std::vector<Guess> mentioned = flat(r.lens);
    const auto add = [&](const std::vector<Guess>& more) {
        mentioned.insert(mentioned.end(), more.begin(), more.end());
    };
    add(in_file(cat("logits: position ", subject.ids.size() - 1),
                [&] { return likeliest(sayable, kLikeliestShown); }));
    for (const Substitution& s : changes) {
        add(s.next);
        add({{s.to, 0}});
    }
    return object({
        {"model", model_json(subject)},
        {"ids", json_list(subject.ids, [](int id) { return cat(id); })},
        {"pieces", pieces_json(subject, mentioned)},
        {"candidates", cat(subject.candidates)},
        {"layer", cat(subject.layer)},
        {"head", cat(head)},
        {"positions", cat(P)},
        {"first_layer", cat(extent.attention.first)},
        {"attention", json_list(r.attention, [](auto& layer) { return floats(layer); })},
        {"means", means_json(trace, head, P)},
        {"trace_positions", cat(extent.trace_positions)},
        {"first_traced", cat(extent.traced.first)},
        {"traces",
         json_list(r.traces, [&](auto& t) { return trace_json(t, extent.trace_positions); })},
        {"stream", floats(norms_of(r.stream), P)},
        {"added", floats(norms_of(r.added), P)},
        {"lens", guesses_json(flat(r.lens))},
        {"substitutions", json_list(changes, [&](auto& s) { return substitution_json(s, P); })},
        {"logits", floats(r.logits)},
    });
}

std::string base64(std::span<const std::byte> bytes) {
    constexpr const char* kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(bytes.size() - i, 3);
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < count ? unsigned(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}
