// The data of a page, as JSON: what the template's scripts read.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include "commands/explain/recording.h"

// What a page is about.
struct Subject {
    const Weights& weights;
    std::string model;                           // its name
    std::span<const int> ids;                    // the text
    int candidates;                              // the ids that may be said, the first so many
    std::function<std::string_view(int)> piece;  // the bytes of a token; none where unknown
    int layer;                                   // to start at
    std::optional<int> head;                     // to start at; the sharpest where none is given
};

// Told how many of so many runs are done, before each.
using Progress = std::function<void(int done, int of)>;

// Runs the model on the subject as often as the page needs it. Numbers of tensors are base64 of
// little-endian floats: the observer's own bytes.
std::string page_data(const Subject& subject, const Progress& progress);

// Bytes as base64 (RFC 4648).
std::string base64(std::span<const std::byte> bytes);
