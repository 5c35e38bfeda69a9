// gpt attend: who reads whom, for every layer and head, as matrices and in words.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include "commands/commands.h"
#include "commands/heatmap.h"
#include "commands/layout.h"
#include "commands/look.h"
#include "commands/session.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "formats/npy.h"
#include "model/reference.h"

namespace {

constexpr std::string_view kNotes =
    "A row for each position, a column for each that it may read; in words, the\n"
    "earlier one that it reads most. That is in f32, whatever --dtype says.\n"
    "\n"
    "--json prints a line for each head: {\"layer\":n,\"head\":n,\"weights\":[[…],…]}, row\n"
    "t holding the weights of positions 0 to t.\n"
    "\n"
    "example: gpt attend --layer 1 \"The king is dead because he was proud.\"\n";

// One head's weights: row t says how position t weighs 0 .. t.
struct HeadWeights {
    const Tensor* all;  // [1,H,T,T]
    int head;

    int positions() const { return all->shape[2]; }
    std::span<const float> row(int t) const {
        return {&all->at(0, head, t, 0), std::size_t(t) + 1};
    }
};

// Where the head looks on average, from position 1 on.
std::string habits(const HeadWeights& weights) {
    double previous = 0, itself = 0, first = 0;
    const int T = weights.positions();
    for (int t = 1; t < T; ++t) {
        const auto row = weights.row(t);
        previous += row[std::size_t(t) - 1] / (T - 1);
        itself += row[std::size_t(t)] / (T - 1);
        first += row[0] / (T - 1);
    }
    if (T == 1) return "one position, which can only read itself";
    return form("%.0f %% to itself, %.0f %% to the position before, %.0f %% to the first",
                100 * itself, 100 * previous, 100 * first);
}

// "reads 3 ·cat 62 %": the earlier position that t weighs most.
std::string in_words(std::span<const float> row, const std::vector<std::string>& labels) {
    const auto t = std::ptrdiff_t(row.size()) - 1;
    if (t == 0) return "has only itself to read";
    const auto most = std::max_element(row.begin(), row.end() - 1) - row.begin();
    return form("reads %td %s %.0f %%, itself %.0f %%", most, labels[std::size_t(most)].c_str(),
                100 * row[std::size_t(most)], 100 * row[std::size_t(t)]);
}

void draw(const HeadWeights& weights, const std::vector<std::string>& labels, bool colour) {
    constexpr int kMargin = 18, kWords = 36;
    const int T = weights.positions();
    const CellLayout layout = lay_out(T, std::max(line_width() - kMargin - kWords, 24));
    const int width = layout.columns * ((T + layout.cells - 1) / layout.cells);
    if (const std::string header = draw_header(labels, layout); !header.empty())
        print(std::string(kMargin, ' ') + header + "\n");
    for (int t = 0; t < T; ++t) {
        const auto row = weights.row(t);
        const int drawn = layout.columns * int((row.size() + std::size_t(layout.cells) - 1) /
                                               std::size_t(layout.cells));
        print(form("%5d ", t) + fit(labels[std::size_t(t)], kMargin - 6) +
              draw_row(row, layout, colour) + std::string(std::size_t(width - drawn + 2), ' ') +
              in_words(row, labels) + "\n");
    }
}

void print_json(int layer, const HeadWeights& weights) {
    print(cat("{\"layer\":", layer, ",\"head\":", weights.head, ",\"weights\":["));
    for (int t = 0; t < weights.positions(); ++t) {
        const auto row = weights.row(t);
        for (std::size_t j = 0; j < row.size(); ++j)
            print((j ? "," : t ? ",[" : "[") + json_number(row[j]));
        print("]");
    }
    print("]}\n");
}

// All heads' weights, [L,H,T,T].
void write_weights(const std::string& path, const std::vector<Tensor>& layers) {
    std::vector<float> all;
    for (const Tensor& layer : layers) all.insert(all.end(), layer.data.begin(), layer.data.end());
    const Shape& one = layers[0].shape;
    write_npy(path, {int(layers.size()), one[1], one[2], one[3]}, all);
}

}  // namespace

int commands::attend(Session& session) {
    std::optional<int> only_layer, only_head;
    std::string npy;
    session.options.add("--layer N", only_layer, 0, kMostLayers, "this layer alone");
    session.options.add("--head N", only_head, 0, kMostLayers, "this head alone");
    session.options.add("--npy FILE", npy, "write all weights as float32 [L,H,T,T]");
    if (!session.parse(kNotes)) return 0;
    check_is_file("--npy", npy);
    const Config& config = session.config();
    check_layer_and_head(config, only_layer.value_or(0), only_head.value_or(0));
    const Ids ids = sample_sequence(session);
    std::vector<Tensor> layers;
    reference::forward(session.weights(), ids, 1, [&](const std::string& name, const Tensor& x) {
        if (!name.ends_with(".attn.weights")) return;
        check_finite(name, x);
        layers.push_back(x);
    });
    if (!npy.empty()) write_weights(npy, layers);
    const bool colour = has_colour(stdout);
    const std::vector<std::string> labels = labels_of(session, ids);
    for (int layer = 0; layer < config.n_layer; ++layer)
        for (int head = 0; head < config.n_head; ++head) {
            if (only_layer.value_or(layer) != layer || only_head.value_or(head) != head) continue;
            const HeadWeights weights{&layers[std::size_t(layer)], head};
            if (session.json()) {
                print_json(layer, weights);
                continue;
            }
            print(cat("layer ", layer, ", head ", head, ": ", habits(weights), "\n"));
            draw(weights, labels, colour);
            print("\n");
        }
    if (!session.json()) print(heatmap_legend(colour) + "\n");
    return 0;
}
