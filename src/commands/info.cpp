// gpt info: what a model is made of, and what it takes to hold it.
#include <algorithm>
#include <functional>
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "formats/json.h"

namespace {

constexpr std::string_view kNotes =
    "--json prints {\"model\":\"…\",\"n_layer\":n,\"n_head\":n,\"n_embd\":n,\"n_inner\":n,\n"
    "\"n_positions\":n,\"vocab_size\":n,\"activation_function\":\"…\",\n"
    "\"layer_norm_epsilon\":x,\"tied\":true|false,\"parameters\":{\"wte\":n,\"wpe\":n,\n"
    "\"blocks\":n,\"lm_head\":n,\"total\":n},\"file_types\":[\"f32\",…],\"weight_bytes\":n,\n"
    "\"cache_bytes_per_position\":n,\"tokenizer\":n,\"end_of_text\":n|[n,…],\n"
    "\"warnings\":[\"…\",…]}.\n"
    "blocks are all but the embeddings; a tied head has no parameters of its own.\n"
    "tokenizer, the number of its tokens, and end_of_text are null where there is\n"
    "none. end_of_text is a list where several tokens end a text.\n"
    "\n"
    "example: gpt info -m gpt2 --dtype q8\n";

std::size_t elements(const StoredMatrix& m) { return std::size_t(m.rows) * std::size_t(m.cols); }

// Which number types the matrices have in the file.
std::vector<std::string> types_in_file(const Weights& weights) {
    std::vector<std::string> types;
    const auto add = [&](const StoredMatrix& m) {
        if (std::count(types.begin(), types.end(), name_of(m.type)) == 0)
            types.push_back(name_of(m.type));
    };
    add(weights.wte);
    add(weights.wpe);
    add(weights.lm_head);
    for (const auto& h : weights.h) for_each_linear([&](const auto& linear) { add(linear.w); }, h);
    return types;
}

// Everything there is to tell. The model's own blocks are what the embeddings leave.
struct Facts {
    explicit Facts(Session& session);

    std::string model;
    Config config;
    bool tied;
    std::size_t parameters, wte, wpe, lm_head, blocks;
    std::vector<std::string> types, warnings;
    std::size_t weight_bytes = 0, cache_bytes_per_position;
    std::optional<int> tokens;
    Ids ends_of_text;
};

Facts::Facts(Session& session) {
    const Weights& weights = session.weights();
    model = session.folder().name();
    config = weights.config;
    tied = weights.tied();
    parameters = weights.parameters;
    wte = elements(weights.wte);
    wpe = elements(weights.wpe);
    lm_head = tied ? 0 : elements(weights.lm_head);
    blocks = parameters - wte - wpe - lm_head;
    types = types_in_file(weights);
    warnings = session.warnings();
    cache_bytes_per_position =
        std::size_t(config.n_layer) * 2 * std::size_t(config.n_embd) * sizeof(float);
    if (const Tokenizer* const tokenizer = session.find_tokenizer()) tokens = tokenizer->size();
    ends_of_text = session.ends_of_text();
    weight_bytes = packed_bytes(weights, session.weight_type());
}

void row(const char* name, const std::string& value) { print(fit(name, 16) + value + "\n"); }

void print_table(const Facts& f, const std::string& held_as) {
    const Config& c = f.config;
    row("model", f.model);
    row("architecture", cat(c.n_layer, " layers of ", c.n_head, " heads, ", c.n_embd,
                            " channels, MLP of ", c.n_inner, " with ", name_of(c.activation)));
    row("context", grouped(std::size_t(c.n_positions)) + " positions");
    row("vocabulary", cat(grouped(std::size_t(c.vocab_size)), " tokens, ",
                          f.tied ? "head tied to wte" : "a head of its own"));
    row("tokenizer",
        f.tokens ? grouped(std::size_t(*f.tokens)) + " tokens" : "none: token ids only");
    const Ids& ends = f.ends_of_text;
    row("end of text", ends.empty() ? "no such token"
                                    : cat(ends.size() > 1 ? "tokens " : "token ",
                                          join(ends, ", ", [](int id) { return cat(id); })));
    row("parameters", grouped(f.parameters));
    row("  wte", grouped(f.wte));
    row("  wpe", grouped(f.wpe));
    row("  blocks", grouped(f.blocks));
    if (!f.tied) row("  lm_head", grouped(f.lm_head));
    row("file", join(f.types, ", ", std::identity()));
    row("memory",
        cat(in_bytes(f.weight_bytes), " of weights, held as ",
            held_as == "auto" ? "in the file" : held_as, "; cache ",
            in_bytes(f.cache_bytes_per_position), " a position, ",
            in_bytes(f.cache_bytes_per_position * std::size_t(c.n_positions)), " in all"));
}

void print_json(const Facts& f) {
    const Config& c = f.config;
    const auto number = [](const std::optional<int>& n) { return n ? cat(*n) : "null"; };
    const auto numbers = [&](const Ids& ids) {
        if (ids.size() > 1) return json_ids(ids);
        return ids.empty() ? "null" : cat(ids[0]);
    };
    const auto list = [](const std::vector<std::string>& words) {
        return json_list(words, json_quote);
    };
    print(cat("{\"model\":", json_quote(f.model), ",\"n_layer\":", c.n_layer,
              ",\"n_head\":", c.n_head, ",\"n_embd\":", c.n_embd, ",\"n_inner\":", c.n_inner,
              ",\"n_positions\":", c.n_positions, ",\"vocab_size\":", c.vocab_size,
              ",\"activation_function\":\"", name_of(c.activation), "\",\"layer_norm_epsilon\":",
              c.layer_norm_epsilon, ",\"tied\":", f.tied ? "true" : "false"));
    print(cat(",\"parameters\":{\"wte\":", f.wte, ",\"wpe\":", f.wpe, ",\"blocks\":", f.blocks,
              ",\"lm_head\":", f.lm_head, ",\"total\":", f.parameters,
              "},\"file_types\":", list(f.types), ",\"weight_bytes\":", f.weight_bytes,
              ",\"cache_bytes_per_position\":", f.cache_bytes_per_position,
              ",\"tokenizer\":", number(f.tokens), ",\"end_of_text\":", numbers(f.ends_of_text),
              ",\"warnings\":", list(f.warnings), "}\n"));
}

}  // namespace

int commands::info(Session& session) {
    if (!session.parse(kNotes, Session::Takes::nothing)) return 0;
    const Facts facts(session);
    if (session.json())
        print_json(facts);
    else
        print_table(facts, session.dtype());
    return 0;
}
