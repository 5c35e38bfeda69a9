// Matrices of weights in the terminal: block characters, and colour where there is some.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

// How a row of `count` cells is drawn in at most `room` columns: two columns a cell, or one, or
// several cells to a column (which then shows their sum).
struct CellLayout {
    int columns = 2, cells = 1;
};
CellLayout lay_out(int count, int room);

// The weights 0 .. 1 of the legal positions, drawn; what is not legal stays blank, so that the two
// ideas can be told apart.
std::string draw_row(std::span<const float> weights, const CellLayout& layout, bool colour);

// One or two letters of each label above its column; empty where a column stands for several cells.
std::string draw_header(const std::vector<std::string>& labels, const CellLayout& layout);

// What the shades mean, on one line.
std::string heatmap_legend(bool colour);
