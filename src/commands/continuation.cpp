#include "commands/continuation.h"
#include "base/error.h"
#include "commands/layout.h"
#include "formats/json.h"

std::string Continuation::append(int id, std::string_view piece) {
    ids.push_back(id);
    std::string part = characters_.append(stop_.append(piece));
    if (stop_.found()) {
        end = End::stop_string;
        part += characters_.finish();
    }
    text += part;
    return part;
}

std::string Continuation::finish(End why) {
    if (end != End::none) return "";
    end = why;
    std::string part = characters_.append(stop_.finish());
    part += characters_.finish();
    text += part;
    return part;
}

std::string Continuation::json(bool has_text) const {
    return cat("{\"prompt_ids\":", json_ids(prompt), ",\"ids\":", json_ids(ids),
               ",\"text\":", has_text ? json_quote(text) : "null", ",\"stop\":\"",
               kEndNames[std::size_t(end)], "\",\"seed\":", seed, "}\n");
}
