// Floats on their way into a file.
#pragma once
#include <span>
#include "base/file.h"
#include "base/number.h"

// Appends the values as `type`, little-endian, each rounded to the nearest that the type holds.
void append_numbers(const Append& append, NumberType type, std::span<const float> values);
