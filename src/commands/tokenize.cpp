// gpt tokenize: a text as token ids and the pieces that they stand for, and ids as text.
#include "base/in_file.h"
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "formats/json.h"

namespace {

constexpr std::string_view kNotes =
    "In the table · is a space, ↵ a line feed, ⇥ a tab, and \\xNN another control\n"
    "character or a byte that is no whole character. --decode takes ids as its text\n"
    "and prints their bytes unchanged.\n"
    "\n"
    "--json prints a line for each sequence: {\"ids\":[…],\"pieces\":[\"…\",…]}, and with\n"
    "--decode also \"text\":\"…\". A byte XX that is no part of valid UTF-8 appears as\n"
    "\\udcXX.\n"
    "\n"
    "example: gpt tokenize \"To be, or not to be\"\n"
    "         gpt tokenize --decode \"396 304 11 529 321 287 304\"\n";

void print_table(const Tokenizer& tokenizer, const Ids& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        print(form("%9zu %9d  ", i, ids[i]) + visible(tokenizer.piece(ids[i])) + "\n");
}

}  // namespace

int commands::tokenize(Session& session) {
    bool decode = false, no_special = false;
    session.options.add_flag("--decode", decode, "ids as text");
    session.options.add_flag("--no-special", no_special,
                             "read <|endoftext|> and its like as plain text");
    if (!session.parse(kNotes)) return 0;

    if (session.json() && !decode && !session.find_tokenizer()) {
        const std::vector<Ids> lists = session.id_lists(session.config().vocab_size);
        for (const Ids& ids : lists) print(cat("{\"ids\":", json_ids(ids), ",\"pieces\":null}\n"));
        if (!lists.empty()) return 0;
    }
    const Tokenizer& tokenizer = session.tokenizer();
    const auto special = no_special ? Tokenizer::Special::as_text : Tokenizer::Special::as_tokens;
    std::vector<Ids> sequences = session.id_lists(tokenizer.size());
    if (sequences.empty())
        sequences = {decode ? parse_ids(session.text(), tokenizer.size())
                            : in_file(session.source(),
                                      [&] { return tokenizer.encode(session.text(), special); })};
    for (const Ids& ids : sequences) {
        if (session.json())
            print(cat("{\"ids\":", json_ids(ids), ",\"pieces\":", session.json_pieces(ids),
                      decode ? ",\"text\":" + json_quote(tokenizer.decode(ids)) : "", "}\n"));
        else if (decode)
            print(tokenizer.decode(ids));
        else
            print_table(tokenizer, ids);
    }
    return 0;
}
