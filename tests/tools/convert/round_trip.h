// Converts a file of another program, and compares the folder's model with the tiny model that the
// file was written from.
#pragma once
#include <doctest/doctest.h>
#include <string>
#include <vector>
#include "model/reference.h"
#include "model/weights.h"
#include "tests/checkpoints.h"
#include "tests/model_folder.h"
#include "tools/convert/folder_writer.h"
#include "tools/convert/read.h"

// The folder `to` made of `from`.
inline Folder convert_to(const std::string& from, const std::string& to,
                         std::optional<NumberType> type = std::nullopt) {
    convert::Checkpoint checkpoint = convert::read_checkpoint(from);
    convert::write_folder(to, checkpoint, type);
    return Folder::at(to);
}

// What converting refuses with, without the scratch folder's path, or "none".
inline std::string conversion_error(const ScratchFolder& scratch, const std::string& from) {
    try {
        convert_to(from, scratch.path("refused"));
    } catch (const Error& e) {
        CHECK_FALSE(std::filesystem::exists(scratch.path("refused")));
        CHECK_FALSE(std::filesystem::exists(scratch.path("refused.part")));
        std::string what = e.what();
        for (auto at = what.find(scratch.path()); at != what.npos; at = what.find(scratch.path()))
            what.erase(at, scratch.path().size());
        return what;
    }
    std::filesystem::remove_all(scratch.path("refused"));
    return "none";
}

inline Tensor logits_of(const Weights& weights) {
    const std::vector<int> ids = {3, 1, 4, 1, 5, 9, 2, 6};
    return reference::forward(weights, ids, 2);
}

// The logits of the tiny model itself.
inline Tensor logits_of(const TinyModel& m) {
    ScratchFolder scratch;
    write_table_model(scratch.path(), m);
    return logits_of(load_weights(Folder::at(scratch.path())));
}

// A checkpoint of ../shared has the logits of expected.safetensors in `folder` there.
inline void check_against_shared(const std::string& checkpoint, const std::string& folder) {
    const auto file = shared(checkpoint);
    if (!file) return skip("../shared/" + checkpoint);
    CAPTURE(checkpoint);
    ScratchFolder scratch;
    const Weights weights = load_weights(convert_to(*file, scratch.path("out")));
    const Expected expected = read_expected(*shared(folder));
    const Tensor logits = reference::forward(weights, expected.ids, expected.B);
    CHECK(relative_error(logits.data, expected.logits) < kErrorBound);
}
