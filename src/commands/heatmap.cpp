#include "commands/heatmap.h"
#include <algorithm>
#include <numeric>
#include "commands/layout.h"

namespace {

struct Shade {
    float least;
    const char* block;
    int colour;  // of the 256 that terminals share: blue for little, green, yellow for much
};
constexpr Shade kShades[] = {
    {0.70f, "█", 220}, {0.40f, "▓", 148}, {0.15f, "▒", 72}, {0.02f, "░", 67}, {0, "·", 240}};

const Shade& shade_of(float weight) {
    return *std::find_if(std::begin(kShades), std::end(kShades) - 1,
                         [&](const Shade& shade) { return weight >= shade.least; });
}

std::string paint(const Shade& shade, int times, bool colour) {
    std::string text;
    for (int i = 0; i < times; ++i) text += shade.block;
    return colour ? form("\x1b[38;5;%dm%s\x1b[0m", shade.colour, text.c_str()) : text;
}

}  // namespace

CellLayout lay_out(int count, int room) {
    if (2 * count <= room) return {2, 1};
    return {1, (count + room - 1) / std::max(room, 1)};
}

std::string draw_row(std::span<const float> weights, const CellLayout& layout, bool colour) {
    std::string row;
    const auto step = std::size_t(layout.cells);
    for (std::size_t j = 0; j < weights.size(); j += step) {
        const auto group = weights.subspan(j, std::min(step, weights.size() - j));
        const float sum = std::accumulate(group.begin(), group.end(), 0.0f);
        row += paint(shade_of(sum), layout.columns, colour);
    }
    return row;
}

std::string draw_header(const std::vector<std::string>& labels, const CellLayout& layout) {
    std::string header;
    if (layout.cells > 1) return header;
    for (const std::string& label : labels) {
        std::string start;
        for (std::size_t i = 0; i < label.size() && columns(start) < layout.columns;) {
            std::size_t end = i + 1;
            while (end < label.size() && (label[end] & 0xc0) == 0x80) ++end;
            if (columns(start + label.substr(i, end - i)) > layout.columns) break;
            start += label.substr(i, end - i);
            i = end;
        }
        header += fit(start, layout.columns);
    }
    return header;
}

std::string heatmap_legend(bool colour) {
    std::string legend = "blank: not legal";
    for (int i = int(std::size(kShades)) - 1; i >= 0; --i)
        legend += "   " + paint(kShades[i], 1, colour) +
                  (i + 1 == int(std::size(kShades)) ? std::string(" less")
                                                    : form(" from %g %%", 100 * kShades[i].least));
    return legend;
}
