// What the machine can do at most, to measure against.
#pragma once

// Floating-point operations a second of `threads` threads that do nothing but multiply and add.
double multiply_add_peak(int threads);
