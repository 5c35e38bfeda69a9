// How much of a forward pass fits into one page.
#pragma once
#include "model/config.h"

struct Layers {
    int first = 0, count = 0;

    bool contain(int layer) const { return layer >= first && layer < first + count; }
};

struct Extent {
    int positions = 0;        // the first so many: what they compute does not depend on the rest
    Layers attention;         // whose attention matrices are there
    Layers traced;            // whose every step is there
    int trace_positions = 0;  // the first so many, whose numbers those steps have
};

// What a page about T tokens holds, so that it stays below 3 MB. All of a short text in a small
// model; otherwise `layer` and those around it, and at last fewer positions.
Extent fit_extent(const Config& config, int T, int layer);
