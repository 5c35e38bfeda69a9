// gpt trace: README's shape trace, with a real text's numbers beside it.
#include <map>
#include <span>
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/look.h"
#include "commands/session.h"
#include "commands/summary.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "model/reference.h"

namespace {

// One line of the trace: a step of the page, what it does, and its shape in letters.
struct Row {
    const char *step, *does, *axes;
};
constexpr Row kEmbedding[] = {{"embed", "wte[id] + wpe[t]", "[B,T,C]"}};
constexpr Row kAttention[] = {
    {"ln_1", "x, through ln_1", "[B,T,C]"},
    {"attn.c_attn", "→ c_attn", "[B,T,3C]"},
    {"attn.q", "→ split, view, transpose   q", "[B,H,T,D]"},
    {"attn.k", "                           k", "[B,H,T,D]"},
    {"attn.v", "                           v", "[B,H,T,D]"},
    {"attn.scores", "→ q @ kᵀ, scaled", "[B,H,T,T]"},
    {"attn.masked", "→ mask: past 0, future −∞", "[B,H,T,T]"},
    {"attn.weights", "→ softmax                  W", "[B,H,T,T]"},
    {"attn.heads", "→ W @ v", "[B,H,T,D]"},
    {"attn.merged", "→ merge heads", "[B,T,C]"},
    {"attn.c_proj", "→ c_proj", "[B,T,C]"},
    {"residual_attn", "stream + attention", "[B,T,C]"},
};
constexpr Row kMlp[] = {
    {"ln_2", "x, through ln_2", "[B,T,C]"},      {"mlp.c_fc", "→ c_fc", "[B,T,F]"},
    {"mlp.act", "→ activation", "[B,T,F]"},      {"mlp.c_proj", "→ c_proj", "[B,T,C]"},
    {"residual_mlp", "stream + MLP", "[B,T,C]"},
};
constexpr Row kEnd[] = {{"ln_f", "stream, through ln_f", "[B,T,C]"},
                        {"logits", "→ wteᵀ, or lm_head", "[B,T,V]"}};

constexpr std::string_view kNotes =
    "Runs the page in plain loops and shows each step's shape, its least and its\n"
    "largest element, and its norm: the mean length of its rows, which are vectors\n"
    "along the last axis. That is in f32, whatever --dtype says.\n"
    "\n"
    "--json prints every step of every layer in order: {\"steps\":[{\"name\":\"…\",\n"
    "\"shape\":[…],\"least\":x,\"most\":x,\"norm\":x},…]}.\n"
    "\n"
    "example: gpt trace --layer 1 \"To be, or not to be\"\n";

using Steps = std::map<std::string, Tensor>;

void print_rows(const std::string& title, std::span<const Row> rows, const std::string& prefix,
                const Steps& steps) {
    print("\n" + fit(title, 58) + "   least      most      norm\n");
    for (const Row& row : rows) {
        const Tensor& x = steps.at(prefix + row.step);
        const Summary s = summarise(x);
        print("  " + fit(row.does, 30) + fit(row.axes, 10) + "= " + fit(x.shape.text(), 15) +
              form("%9.3f %9.3f %9.3f\n", s.least, s.most, s.norm));
    }
}

// What each block added to the residual stream: the path that nothing erases.
void print_stream(const Config& config, const Steps& steps) {
    print("\nThe residual stream: norm before each block, of what it adds, and after\n");
    print("  layer   stream  + attention     + MLP  = stream\n");
    const auto norm = [&](const std::string& step) { return summarise(steps.at(step)).norm; };
    std::string before = "embed";
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = cat("h.", layer, ".");
        print(form("  %5d %8.3f %12.3f %9.3f %9.3f\n", layer, norm(before), norm(h + "attn.c_proj"),
                   norm(h + "mlp.c_proj"), norm(h + "residual_mlp")));
        before = h + "residual_mlp";
    }
}

void print_trace(Session& session, const Ids& ids, int layer, const Steps& steps) {
    const Config& config = session.config();
    print(
        form("B = 1 sequence · T = %zu positions · C = %d channels · H = %d heads · D = C/H = %d · "
             "F = %d inner · V = %d words\n",
             ids.size(), config.n_embd, config.n_head, config.head_dim(), config.n_inner,
             config.vocab_size));
    const std::string h = cat("h.", layer, ".");
    print_rows("Embedding: what stands where", kEmbedding, "", steps);
    print_rows(cat("Attention of layer ", layer, ": positions communicate"), kAttention, h, steps);
    print_rows(cat("MLP of layer ", layer, ": each position computes alone"), kMlp, h, steps);
    print_stream(config, steps);
    print_rows("The end", kEnd, "", steps);
}

void print_json(const Steps& steps, const std::vector<std::string>& order) {
    print("{\"steps\":[");
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Tensor& x = steps.at(order[i]);
        const Summary s = summarise(x);
        print(cat(i ? "," : "", "{\"name\":", json_quote(order[i]), ",\"shape\":", x.shape.text(),
                  ",\"least\":", json_number(s.least), ",\"most\":", json_number(s.most),
                  ",\"norm\":", json_number(s.norm), "}"));
    }
    print("]}\n");
}

}  // namespace

int commands::trace(Session& session) {
    int layer = 0;
    session.options.add("--layer N", layer, 0, kMostLayers, "the layer to show step by step");
    if (!session.parse(kNotes)) return 0;
    check_layer_and_head(session.config(), layer, 0);
    const Ids ids = sample_sequence(session);
    Steps steps;
    std::vector<std::string> order;
    reference::forward(session.weights(), ids, 1,
                       [&](const std::string& name, const Tensor& value) {
                           steps[name] = value;
                           order.push_back(name);
                       });
    session.json() ? print_json(steps, order) : print_trace(session, ids, layer, steps);
    return 0;
}
