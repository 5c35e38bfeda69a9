// What the machine can do at most, measured by loops that do nothing else: the rulers of gpt bench.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

// How long each measurement takes at least, in seconds: so long that what disturbs a test which
// takes no longer disturbs its limit too.
inline constexpr double kMeasured = 0.2;

// Floating-point operations a second on so many threads: f32 multiply-adds in registers, each
// counted as two.
double multiply_add_rate(int threads);

// Bytes a second that so many threads read together, each its share of every part.
double read_rate(const std::vector<std::span<const std::byte>>& parts, int threads);
