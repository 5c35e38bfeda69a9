// Errors that say where they happened.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>
#include "base/error.h"

// Calls read(); an Error gets `name` before it, if that is not empty: a file's, or of a part of
// one. Of many parts the name may be a function, so that none is put together in vain.
template <typename Name, typename Read>
auto in_file(const Name& name, Read read) {
    try {
        return read();
    } catch (const Error& e) {
        std::string where;
        if constexpr (std::is_invocable_v<const Name&>)
            where = name();
        else
            where = std::string_view(name);
        throw Error(where.empty() ? e.what() : cat(where, ": ", e.what()));
    }
}
