// gpt explain: a page in one file that shows what the model does with a text, step by step.
#include <filesystem>
#include <optional>
#include "base/file.h"
#include "base/path.h"
#include "commands/commands.h"
#include "commands/explain/data.h"
#include "commands/explain/page.h"
#include "commands/layout.h"
#include "commands/look.h"
#include "commands/terminal.h"

namespace {

constexpr std::string_view kNotes =
    "The page is one HTML file that loads nothing: the four matrices of the causal\n"
    "mix, every step of a layer with its shape and numbers, who reads whom in each\n"
    "head, what changes when one token is replaced, the residual stream, and the\n"
    "next token. It stays below 3 MB and says what it leaves out for that. Its\n"
    "tensors are the bytes that gpt logits --dump writes, in f32 whatever --dtype\n"
    "says.\n"
    "\n"
    "--json prints what the page holds, tensors as base64 of little-endian floats.\n"
    "\n"
    "example: gpt explain -o page.html \"The king is dead because he was proud.\"\n";

// "run 2 of 5" on one line of the terminal, which the end of the work wipes, whatever that is.
struct ProgressLine {
    ~ProgressLine() {
        if (is_terminal(stderr)) note("\r\x1b[K");
    }
    static void show(int done, int of) {
        if (is_terminal(stderr)) note(cat("\rrun ", done + 1, " of ", of, "\x1b[K"));
    }
};

std::string page_of(const Subject& subject) {
    const ProgressLine line;
    return page_data(subject, line.show);
}

// What a folder is called, however the path is written.
std::string name_of_folder(const std::string& path) {
    std::error_code ignored;  // where the working folder is gone
    const auto full = std::filesystem::absolute(path_of(path), ignored);
    return without_slash(full.lexically_normal()).filename().string();
}

void write_page(const std::string& path, const std::string& page) {
    if (path == "-") return print(page);
    write_file(path, page);
    note(cat(path, ": ", in_bytes(page.size()), "\n"));
}

}  // namespace

int commands::explain(Session& session) {
    std::string path;
    std::optional<int> layer, head;
    session.options.add("-o, --output FILE", path, "the page to write; - is standard output");
    session.options.add("--layer N", layer, 0, kMostLayers, "show this layer first [the middle]");
    session.options.add("--head N", head, 0, kMostLayers,
                        "show this head first [the one furthest from an average]");
    if (!session.parse(kNotes)) return 0;
    if (path.empty() && !session.json())
        throw UsageError("-o FILE is needed, to say where the page goes; - is standard output");
    if (!path.empty() && session.json())
        throw UsageError("--json prints what the page holds, and excludes -o");
    check_layer_and_head(session.config(), layer.value_or(0), head.value_or(0));

    const Ids ids = sample_sequence(session);
    const Subject subject{session.weights(),
                          name_of_folder(session.folder().name()),
                          ids,
                          session.candidates(),
                          [&](int id) { return session.piece(id); },
                          layer.value_or(session.config().n_layer / 2),
                          head};
    const std::string data = page_of(subject);
    session.json() ? print(data + "\n") : write_page(path, fill_page(data));
    return 0;
}
