// A seeded generator, SplitMix64 (Steele, Lea, Flood 2014): the same integers and uniform numbers
// on every machine. Normal ones go through the C library's log and cos, which may round in other
// ways.
#pragma once
#include <cmath>
#include <cstdint>

class Random {
public:
    static constexpr const char* kName = "SplitMix64";

    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    // Uniform in [0, 1), all 53 bits of a double.
    double uniform() { return double(next() >> 11) * 0x1p-53; }

    // Standard normal (Box and Muller 1958).
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

private:
    std::uint64_t state_;
};
