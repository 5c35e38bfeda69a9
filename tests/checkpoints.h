// Checkpoints with logits from an independent float64 forward pass: our own small fixtures, and the
// larger reference data where it is there.
#pragma once
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>
#include "formats/safetensors.h"
#include "model/folder.h"
#include "model/transformer.h"
#include "model/weights.h"
#include "tests/support.h"

// The bytes of the matrices that a position is multiplied with.
inline std::size_t bytes_held(const Transformer& model) {
    std::size_t bytes = 0;
    for (const PackedMatrix* matrix : model.products()) bytes += matrix->bytes();
    return bytes;
}

// The folders in tests/fixtures and in ../shared/golden, and ../shared/real/shakespeare-char.
inline std::vector<std::string> checkpoint_folders() {
    std::vector<std::string> folders;
    const auto add = [&](const std::string& parent) {
        for (const auto& entry : std::filesystem::directory_iterator(parent))
            if (std::filesystem::exists(entry.path() / "expected.safetensors"))
                folders.push_back(entry.path().string());
    };
    add("tests/fixtures");
    for (const char* more : {"golden", "real"})
        if (const auto path = shared(more))
            add(*path);
        else
            skip(std::string("reference logits of ../shared/") + more);
    std::sort(folders.begin(), folders.end());
    return folders;
}

inline SafeTensors open_tensors(const std::string& folder, const std::string& file) {
    return SafeTensors::open(File::open(folder + "/" + file));
}

// All numbers of a tensor of integers or floating point, as doubles.
inline std::vector<double> numbers(const SafeTensors& file, const std::string& name) {
    const SafeTensors::Entry* const entry = file.find(name);
    REQUIRE_MESSAGE(entry, name);
    const std::size_t size = entry->dtype == "F32" ? 4 : 8;
    std::vector<double> values;
    for (std::size_t i = 0; i < entry->bytes.size(); i += size) {
        const std::byte* const p = &entry->bytes[i];
        if (entry->dtype == "F32")
            values.push_back(widen(NumberType::f32, p));
        else if (entry->dtype == "F64")
            values.push_back(std::bit_cast<double>(load_little_endian<std::uint64_t>(p)));
        else
            values.push_back(double(std::int64_t(load_little_endian<std::uint64_t>(p))));
    }
    return values;
}

struct Expected {
    int B = 0, T = 0;
    std::vector<int> ids;                        // [B,T]
    std::vector<double> logits;                  // [B,T,V]
    std::vector<int> greedy_prompt, greedy_ids;  // where the folder has them; the prompt included
};

inline Expected read_expected(const std::string& folder) {
    const SafeTensors file = open_tensors(folder, "expected.safetensors");
    const auto ids_of = [&](const char* name) {
        const auto values = numbers(file, name);
        return std::vector<int>(values.begin(), values.end());
    };
    Expected expected;
    expected.B = int(file.find("input_ids")->shape[0]);
    expected.T = int(file.find("input_ids")->shape[1]);
    expected.ids = ids_of("input_ids");
    expected.logits = numbers(file, "logits");
    if (file.find("greedy_ids")) {
        expected.greedy_prompt = ids_of("greedy_prompt");
        expected.greedy_ids = ids_of("greedy_ids");
    }
    return expected;
}

// The largest |found - wanted| over the largest |wanted|, or over 1 where that is smaller.
template <typename Numbers>
double relative_error(const Numbers& found, const std::vector<double>& wanted) {
    REQUIRE(std::size(found) == wanted.size());
    double worst = 0, size = 1;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double error = std::fabs(double(found[i]) - wanted[i]);
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
        size = std::max(size, std::fabs(wanted[i]));
    }
    return worst / size;
}
constexpr double kErrorBound = 2e-5;  // the contract for f32 arithmetic
