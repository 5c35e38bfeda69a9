// Errors that say where they happened.
#pragma once
#include <string_view>
#include "base/error.h"

// Calls read(); an Error gets `name` before it, if that is not empty: a file's, or of a part of
// one.
template <typename Read>
auto in_file(std::string_view name, Read read) {
    try {
        return read();
    } catch (const Error& e) {
        throw Error(name.empty() ? e.what() : cat(name, ": ", e.what()));
    }
}
