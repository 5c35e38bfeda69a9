// gpt generate: continues texts, one streamed as it grows, several side by side.
#include <algorithm>
#include <climits>
#include <random>
#include "base/in_file.h"
#include "base/signals.h"
#include "commands/commands.h"
#include "commands/continuation.h"
#include "commands/generate_output.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "model/generator.h"

namespace {

constexpr std::string_view kNotes =
    "Without a text it starts from the end-of-text token or, where the model has\n"
    "none, from a line feed. Prompt and new tokens must fit the context, with one\n"
    "to spare: the last token is never fed back. Without -n a text ends where the\n"
    "context does; with --slide it goes on. What narrows the choice applies in the\n"
    "order temperature, top-k, top-p, min-p. Sample i of a run, counted from 0, has\n"
    "the seed S + i, and is what it would be alone.\n"
    "\n"
    "--json prints a line for each text: {\"prompt_ids\":[…],\"ids\":[…],\"text\":\"…\",\n"
    "\"stop\":\"length|end-of-text|stop-string|interrupted\",\"seed\":n}. ids are all new\n"
    "tokens, text what they say before the stop, null without a tokenizer. A byte\n"
    "XX that is no part of valid UTF-8 appears as \\udcXX.\n"
    "\n"
    "example: gpt generate -n 100 --temperature 0.7 --stop $'\\n\\n' \"ROMEO:\"\n";

constexpr int kDefaultTokens = 200;
constexpr std::size_t kTogether = 8;  // texts that share a forward pass

struct Request {
    std::optional<int> tokens;
    Sampling sampling{.temperature = 0.8, .top_k = 0, .top_p = 0.95, .min_p = 0};
    std::optional<std::uint64_t> seed;
    std::vector<std::string> stop;
    std::string prompts;
    int samples = 1;
    bool ignore_end = false, slide = false;
};

void add_options(Options& options, Request& r) {
    options.add("-n, --tokens N", r.tokens, 0, INT_MAX,
                cat("new tokens [", kDefaultTokens, ", or as many as the context holds]"));
    options.add("--temperature T", r.sampling.temperature, 0, 1000,
                "0 always takes the likeliest token");
    options.add("--top-k K", r.sampling.top_k, 0, INT_MAX,
                "choose among the K likeliest; 0 is off");
    options.add("--top-p P", r.sampling.top_p, 0, 1,
                "among the fewest that together reach P; 1 is off");
    options.add("--min-p P", r.sampling.min_p, 0, 1,
                "among those at least P times as likely as the first");
    options.add("--seed S", r.seed, "repeat a run [a new one, shown]");
    options.add("--stop TEXT", r.stop, "end before this text; may be given again");
    options.add_flag("--ignore-eos", r.ignore_end, "go on after an end-of-text token");
    options.add_flag("--slide", r.slide, "when the context is full, drop its oldest half");
    options.add("--samples N", r.samples, 1, 1000000, "continue each prompt N times");
    options.add("--prompts FILE", r.prompts, "one prompt a line, continued side by side");
}

// The lines of a text, which end in LF or CRLF.
std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// How many new tokens a prompt gets: as asked for, or by default what the context has room for.
int tokens_for(const Ids& prompt, const Request& request, int context) {
    if (request.tokens) return *request.tokens;
    const int room = context + 1 - int(prompt.size());
    return request.slide ? kDefaultTokens : std::clamp(room, 1, kDefaultTokens);
}

std::vector<Ids> read_prompts(Session& session, const Request& request) {
    std::vector<Ids> prompts;
    const auto add = [&](Ids ids, std::string_view source) {
        if (ids.empty()) ids = {session.start_token()};
        const int context = session.config().n_positions,
                  tokens = tokens_for(ids, request, context);
        if (!request.slide) in_file(source, [&] { check_context(context, ids.size(), tokens); });
        prompts.push_back(std::move(ids));
    };
    if (!request.prompts.empty()) {
        if (session.has_input()) throw UsageError("--prompts excludes a text, --file and --ids");
        int number = 0;
        for (const std::string& line : lines_of(read_bytes(request.prompts))) {
            const std::string source = cat(input_name(request.prompts), ": line ", ++number);
            add(session.encode(line, source), source);
        }
    } else if (session.has_input()) {
        for (Ids& ids : session.sequences()) add(std::move(ids), session.source());
    } else {
        add({}, "");
    }
    return prompts;
}

std::vector<Continuation> plan(const std::vector<Ids>& prompts, const Request& request) {
    std::vector<Continuation> texts;
    for (const Ids& prompt : prompts)
        for (int i = 0; i < request.samples; ++i)
            texts.emplace_back(prompt, *request.seed + texts.size(), request.stop);
    return texts;
}

// Runs all continuations, some at a time.
class Run {
public:
    Run(Session& session, const Request& request, std::vector<Continuation> texts)
        : session_(session),
          request_(request),
          texts_(std::move(texts)),
          output_({texts_.size(), session.json(), session.find_tokenizer() != nullptr}) {
        if (!request.ignore_end) ends_ = session.ends_of_text();
    }

    int all() {
        Transformer model = session_.transformer();
        if (request_.sampling.temperature > 0) output_.tell_seed(*request_.seed);
        if (texts_.size() == 1 && session_.has_text()) output_.tell_prompt(session_.text());
        output_.start();
        for (std::size_t i = 0; i < texts_.size() && !interrupted(); i += kTogether)
            together(model, std::span(texts_).subspan(i, std::min(kTogether, texts_.size() - i)));
        output_.tell_statistics();
        return interrupted() ? interrupted_status() : 0;
    }

private:
    int tokens(const Continuation& text) const {
        return tokens_for(text.prompt, request_, session_.config().n_positions);
    }

    void together(Transformer& model, std::span<Continuation> texts) {
        Generator generator(model, {request_.sampling, session_.candidates(), request_.slide});
        for (const Continuation& text : texts) generator.add(text.prompt, tokens(text), text.seed);
        const auto take = [&](int i, int id) { return append(texts[std::size_t(i)], id); };
        while (!interrupted() && generator.step(take)) output_.show_progress();
        const auto why = interrupted() ? Continuation::End::interrupted : Continuation::End::length;
        for (Continuation& text : texts) {
            const std::string last_part = text.finish(why);
            output_.tell(text, last_part);
        }
    }

    // False when that ends the text.
    bool append(Continuation& text, int id) {
        if (std::count(ends_.begin(), ends_.end(), id) > 0) {
            text.append(id, "");
            output_.add(text.finish(Continuation::End::end_of_text));
        } else if (session_.find_tokenizer()) {
            output_.add(text.append(id, session_.piece(id)));
        } else {
            output_.add(text.append(id, cat(text.ids.empty() ? "" : ",", id)));
        }
        return text.end == Continuation::End::none;
    }

    Session& session_;
    const Request& request_;
    std::vector<Continuation> texts_;
    GenerateOutput output_;
    Ids ends_;  // the tokens that end a text
};

}  // namespace

int commands::generate(Session& session) {
    Request request;
    add_options(session.options, request);
    if (!session.parse(kNotes)) return 0;
    if (std::count(request.stop.begin(), request.stop.end(), "") > 0)
        throw UsageError("--stop needs some text, found ''");
    if (!request.stop.empty()) session.tokenizer();
    if (!request.seed) request.seed = std::random_device()();
    auto texts = plan(read_prompts(session, request), request);
    note_interrupts();
    return Run(session, request, std::move(texts)).all();
}
