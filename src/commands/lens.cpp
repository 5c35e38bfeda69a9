// gpt lens: what the model would say next if it stopped after each block, as a table.
#include "model/lens.h"
#include <algorithm>
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/look.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "model/reference.h"

namespace {

constexpr std::string_view kNotes =
    "The final LayerNorm and the head are applied to the residual stream as it\n"
    "leaves the embedding and each layer; the last layer's column is what the model\n"
    "really says. A row for each token of the text, and in it the likeliest next\n"
    "token, with its probability in percent. That is in f32, whatever --dtype says.\n"
    "\n"
    "--json prints a line for each block: {\"step\":\"…\",\"guesses\":[[{\"id\":n,\n"
    "\"piece\":\"…\",\"probability\":x},…],…]}, a list for each position, the likeliest\n"
    "first. A byte XX that is not UTF-8 appears as \\udcXX.\n"
    "\n"
    "example: gpt lens \"The king is dead because he was proud.\"\n";

constexpr int kGuesses = 5;

// What the stream says after one block, at every position.
struct Stage {
    std::string step;
    std::vector<std::vector<Guess>> guesses;

    std::string title() const {
        return step == "embed" ? "embedding" : cat("layer ", step.substr(2, step.find('.', 2) - 2));
    }
};

std::vector<Stage> read_stages(Session& session, const Ids& ids) {
    const Lens lens(session.weights(), session.candidates());
    std::vector<Stage> stages;
    reference::forward(session.weights(), ids, 1, [&](const std::string& name, const Tensor& x) {
        if (name == "embed" || name.ends_with(".residual_mlp"))
            stages.push_back({name, in_file(name, [&] { return lens.read(x, kGuesses); })});
    });
    return stages;
}

std::string guess_text(Session& session, const Guess& guess, int width) {
    return fit(labels_of(session, {guess.id})[0], width) + form("%4.0f", 100 * guess.probability);
}

// Without spaces at its end.
void print_line(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    print(line + "\n");
}

// Some stages, a column each, for every position.
void print_columns(Session& session, const Ids& ids, std::span<const Stage> stages) {
    constexpr int kPiece = 7;
    std::string header = fit("", 18);
    for (const Stage& stage : stages) header += fit(stage.title(), kPiece + 6);
    print_line(header);
    const std::vector<std::string> labels = labels_of(session, ids);
    for (std::size_t t = 0; t < ids.size(); ++t) {
        std::string line = form("%5zu ", t) + fit(labels[t], 12);
        for (const Stage& stage : stages) {
            const Guess& guess = stage.guesses[t][0];
            const bool right = t + 1 < ids.size() && guess.id == ids[t + 1];
            line += guess_text(session, guess, kPiece) + (right ? "* " : "  ");
        }
        print_line(line);
    }
}

// Tables of as many stages as a line has room for.
void print_table(Session& session, const Ids& ids, std::span<const Stage> stages) {
    const auto room = std::size_t(std::max((line_width() - 18) / 13, 1));
    for (std::size_t first = 0; first < stages.size(); first += room) {
        print_columns(session, ids, stages.subspan(first, std::min(room, stages.size() - first)));
        print("\n");
    }
    print("* what follows in the text\n");
}

void print_last(Session& session, const Ids& ids, std::span<const Stage> stages) {
    print(cat("after ", labels_of(session, ids).back(), ", position ", ids.size() - 1, "\n"));
    for (const Stage& stage : stages) {
        std::string line = fit(stage.title(), 12);
        for (const Guess& guess : stage.guesses.back())
            line += guess_text(session, guess, 12) + "  ";
        print_line(line);
    }
}

void print_json(Session& session, const Stage& stage) {
    const auto guess_json = [&](const Guess& guess) {
        const bool known = session.find_tokenizer();
        return cat("{\"id\":", guess.id,
                   ",\"piece\":", known ? json_quote(session.piece(guess.id)) : "null",
                   ",\"probability\":", json_number(guess.probability), "}");
    };
    const auto position_json = [&](const std::vector<Guess>& guesses) {
        return json_list(guesses, guess_json);
    };
    print(cat("{\"step\":", json_quote(stage.step),
              ",\"guesses\":", json_list(stage.guesses, position_json), "}\n"));
}

}  // namespace

int commands::lens(Session& session) {
    bool last = false;
    session.options.add_flag("--last", last, "the last position alone, with more of the likeliest");
    if (!session.parse(kNotes)) return 0;
    const Ids ids = sample_sequence(session);
    const std::vector<Stage> stages = read_stages(session, ids);
    if (session.json())
        for (const Stage& stage : stages) print_json(session, stage);
    else
        last ? print_last(session, ids, stages) : print_table(session, ids, stages);
    return 0;
}
