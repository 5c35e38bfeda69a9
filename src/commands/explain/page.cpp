#include "commands/explain/page.h"
#include <stdexcept>
#include "base/built_in.h"

// The Makefile says where it made it out of page.html.
BUILD_IN(explain_page, EXPLAIN_PAGE);

namespace {

// Only strings of JSON hold a '<' or a line separator, and there an escape means the same. Without
// '<' no text can end the script element that holds it, nor open a comment inside.
std::string escape(std::string_view json) {
    std::string text;
    for (; !json.empty(); json.remove_prefix(1)) {
        if (json.starts_with("\xe2\x80\xa8") || json.starts_with("\xe2\x80\xa9")) {
            text += json[2] == '\xa8' ? "\\u2028" : "\\u2029";
            json.remove_prefix(2);
        } else if (json[0] == '<') {
            text += "\\u003c";
        } else {
            text += json[0];
        }
    }
    return text;
}

}  // namespace

std::string fill_page(std::string_view data) {
    constexpr std::string_view kPlace = "<script type=\"application/json\" id=\"data\">";
    const std::string_view page(reinterpret_cast<const char*>(built_in_explain_page),
                                std::size_t(built_in_explain_page_end - built_in_explain_page));
    const std::size_t place = page.find(kPlace);
    if (place == std::string_view::npos)
        throw std::logic_error("the template has no place for data");
    const std::size_t after = place + kPlace.size();
    return std::string(page.substr(0, after)) + escape(data) + std::string(page.substr(after));
}
