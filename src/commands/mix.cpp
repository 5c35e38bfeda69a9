// gpt mix: one causal mix, four ways to make its matrix; the matrix that changes its mind is the
// last.
#include <algorithm>
#include <cmath>
#include "base/random.h"
#include "base/stopwatch.h"
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/look.h"
#include "commands/session.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "kernels/linear.h"
#include "model/causal_mix.h"
#include "model/claims.h"
#include "model/reference.h"

namespace {

constexpr std::string_view kNotes =
    "Row t of a matrix W says how position t mixes itself and earlier positions:\n"
    "y = W v. Three of the four make a plain mean, by a loop, by a triangle of ones,\n"
    "by a mask and softmax; the fourth asks the queries and keys of a head of the\n"
    "model. The times are those of plain loops, and of the product W v alone by the\n"
    "kernel of the fast path: a matrix can be handed to it, a loop can't. They are\n"
    "taken on random numbers (SplitMix64, seed 1). All is in f32, whatever --dtype\n"
    "says.\n"
    "\n"
    "--json prints a line for each mix: {\"mix\":\"…\",\"W\":[[…],…],\"y\":[[…],…]}.\n"
    "\n"
    "example: gpt mix --layer 1 --head 2 \"The king is dead\"\n";

// Queries, keys and values of one head of the model, over ids.
HeadInput read_head(const Weights& weights, const Ids& ids, int layer, int head) {
    const int T = int(ids.size());
    HeadInput input;
    reference::forward(weights, ids, 1, [&](const std::string& name, const Tensor& x) {
        const std::pair<const char*, Tensor*> wanted[] = {
            {"q", &input.q}, {"k", &input.k}, {"v", &input.v}};
        for (const auto& [letter, place] : wanted) {
            if (name != cat("h.", layer, ".attn.", letter)) continue;
            *place = one_head(x, head, T);
        }
    });
    return input;
}

HeadInput random_head(int T, int D) {
    Random random(1);
    HeadInput input{Tensor({T, D}), Tensor({T, D}), Tensor({T, D})};
    for (Tensor* x : {&input.q, &input.k, &input.v})
        for (float& v : x->data) v = float(random.normal());
    return input;
}

// The least of three tries.
template <typename Work>
double milliseconds(Work work) {
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const Stopwatch watch;
        work();
        best = std::min(best, 1000 * watch.seconds());
    }
    return best;
}

// y = W v by the fast path's kernel, v packed anew as it comes.
void fast_product(Tensor& y, const Tensor& W, const Tensor& v, Workspace& workspace) {
    const int T = v.shape[0], D = v.shape[1];
    PackedMatrix packed(T, D, PackedType::f32);
    pack(packed, ConstMatrix{v.data.data(), T, D, D}, false);
    linear({y.data.data(), T, D, D}, {W.data.data(), T, T, T}, packed, nullptr, workspace);
}

// Row t of x, its first columns.
std::string row_text(const Tensor& x, int t, int most) {
    std::string text;
    for (int c = 0; c < std::min(x.shape[1], most); ++c) {
        const double v = x.at(t, c);
        text += std::isinf(v) ? "      −∞" : form("%8.3f", v);
    }
    return text + (x.shape[1] > most ? " …" : "");
}

// Two matrices side by side, a line for each position.
struct Column {
    std::string title;
    const Tensor* x;
    int shown;  // columns of it
};
void print_side_by_side(const std::vector<std::string>& labels, const Column& a, const Column& b) {
    const auto width = [](const Column& column) {
        const int cols = column.x->shape[1];
        return std::max(8 * std::min(cols, column.shown) + 2 * (cols > column.shown),
                        columns(column.title));
    };
    print("  " + fit("", 12) + fit(a.title, width(a) + 4) + b.title + "\n");
    for (int t = 0; t < a.x->shape[0]; ++t)
        print("  " + fit(labels[std::size_t(t)], 12) +
              fit(row_text(*a.x, t, a.shown), width(a) + 4) + row_text(*b.x, t, b.shown) + "\n");
}

constexpr int kChannels = 4;  // of y that are printed

void print_mixes(const std::vector<std::string>& labels, const HeadInput& head) {
    const int T = head.v.shape[0];
    const Tensor mask = reference::causal_mask(T), scores = scaled_scores(head);
    print("\nTwo ideas, kept apart\n");
    print_side_by_side(labels, {"which positions are legal", &mask, T},
                       {"how strongly each would weigh: q kᵀ / √D", &scores, T});
    for (const NamedMix& named : kCausalMixes) {
        print(cat("\n", named.name, ": ", named.idea, "\n"));
        const Tensor W = matrix_of(named.mix, head), y = named.mix(head);
        print_side_by_side(labels, {"W", &W, T}, {"y, row t = the mix at t", &y, kChannels});
    }
    const Tensor loop = loop_mean(head);
    print("\nLargest difference from the loop's y\n");
    for (const NamedMix& named : kCausalMixes)
        print(cat("  ", fit(named.name, 18), largest_difference(loop, named.mix(head)), "\n"));
    print("The first three are one mean, made in three ways. Only q kᵀ asks what stands where.\n");
}

void print_times(int T, int D) {
    const HeadInput head = random_head(T, D);
    print(form("\nTime for T = %d, D = %d, in plain loops on one thread\n", T, D));
    const double loop = milliseconds([&] { loop_mean(head); });
    const auto row = [loop](std::string_view name, double time) {
        print(cat("  ", fit(name, 18), form("%9.3f ms   %6.2f of the loop\n", time, time / loop)));
    };
    for (const NamedMix& named : kCausalMixes)
        row(named.name, milliseconds([&] { named.mix(head); }));
    const Tensor W = matrix_of(triangle_mean, head);
    Tensor y({T, D});
    Workspace workspace;
    row("W v, fast path", milliseconds([&] { fast_product(y, W, head.v, workspace); }));
}

void print_matrix_json(const char* name, const Tensor& x) {
    print(cat(",\"", name, "\":["));
    for (int t = 0; t < x.shape[0]; ++t) {
        for (int c = 0; c < x.shape[1]; ++c)
            print((c ? "," : t ? ",[" : "[") + json_number(x.at(t, c)));
        print("]");
    }
    print("]");
}

void print_json(const HeadInput& head) {
    for (const NamedMix& named : kCausalMixes) {
        print(cat("{\"mix\":", json_quote(named.name)));
        print_matrix_json("W", matrix_of(named.mix, head));
        print_matrix_json("y", named.mix(head));
        print("}\n");
    }
}

}  // namespace

int commands::mix(Session& session) {
    int positions = 4, layer = 0, head = 0, time_at = 256;
    session.options.add("-n, --positions N", positions, 1, 1024, "how many positions of the text");
    session.options.add("--layer N", layer, 0, kMostLayers, "whose queries, keys and values");
    session.options.add("--head N", head, 0, kMostLayers, "likewise");
    session.options.add("--time-at T", time_at, 0, 4096, "positions for the timing, 0 for none");
    if (!session.parse(kNotes)) return 0;
    check_layer_and_head(session.config(), layer, head);
    Ids ids = sample_sequence(session);
    ids.resize(std::min(ids.size(), std::size_t(positions)));
    const HeadInput input = read_head(session.weights(), ids, layer, head);
    check_finite(cat("h.", layer, ".attn.weights"), matrix_of(attention_mix, input));
    if (session.json()) {
        print_json(input);
        return 0;
    }
    print(
        form("Head %d of layer %d over %zu positions: queries, keys and values [T,D] = [%zu,%d]\n",
             head, layer, ids.size(), ids.size(), session.config().head_dim()));
    print_mixes(labels_of(session, ids), input);
    if (time_at > 0) print_times(time_at, session.config().head_dim());
    return 0;
}
