// Trains a GPT-2-shaped model from a plain text and writes it as a Hugging Face folder:
// build/train TEXT OUT. The pieces lie in tools/train.
#include <cmath>
#include <cstdio>
#include <numbers>
#include "base/draft_folder.h"
#include "base/file.h"
#include "base/path.h"
#include "base/signals.h"
#include "base/stopwatch.h"
#include "base/threads.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "kernels/limits.h"
#include "tools/train/bpe.h"
#include "tools/train/checkpoint.h"
#include "tools/train/export.h"
#include "tools/train/trainer.h"

namespace {

template <typename... Parts>
void say(const char* format, Parts... parts) {
    std::fprintf(stderr, format, parts...);
}

// Steps, and how fast they are.
class Progress {
public:
    Progress(const Settings& settings, std::size_t parameters)
        : settings_(settings),
          flop_per_step_(6.0 * double(parameters) * settings.batch * settings.shape.T),
          peak_(multiply_add_rate(settings.threads)) {}

    double peak() const { return peak_; }
    void step_took(double seconds) { seconds_ += seconds, ++steps_; }
    double tokens_per_second() const {
        return double(settings_.batch) * settings_.shape.T * steps_ / seconds_;
    }
    double share_of_peak() const { return flop_per_step_ * steps_ / seconds_ / peak_; }
    void report(int step, double loss) const {
        const double left = (settings_.steps - step) * seconds_ / steps_;
        say("step %d/%d  loss %.4f  %.0f tokens/s  %.0f %% of peak  %.0f:%02.0f left\n", step,
            settings_.steps, loss, tokens_per_second(), 100 * share_of_peak(),
            std::floor(left / 60), std::floor(std::fmod(left, 60)));
    }

private:
    const Settings& settings_;
    double flop_per_step_, peak_, seconds_ = 0;
    int steps_ = 0;
};

struct Texts {
    std::size_t validation_bytes = 0;
    std::uint64_t hash_of_all = 0;
    Vocabulary vocabulary;
    Tokens training;
    std::vector<int> validation;
};

Texts read_texts(const Settings& s) {
    const File file = File::open(s.text);
    if (file.text().empty()) throw Error(cat(s.text, ": empty"));
    const TextParts parts = split_text(file.text());
    if (parts.validation.size() < std::size_t(s.shape.T))
        throw Error(cat(s.text, ": ", file.text().size(), " bytes, too short: its last tenth must ",
                        "fill a context of ", s.shape.T, " tokens"));
    Texts texts{
        parts.validation.size(), hash(file.text()), learn_bpe(parts.training, s.shape.V), {}, {}};
    const Tokenizer tokenizer(texts.vocabulary);
    texts.training = tokens_of(tokenizer, parts.training, s.shape.V - 1);
    texts.validation = tokens_of(tokenizer, parts.validation, s.shape.V - 1).ids;
    return texts;
}

std::string checkpoint_path(const Settings& s) { return s.out + ".checkpoint"; }

// Refuses to write over what a run has left that was stopped, and a name that is too long for what
// write_file makes of it first.
void check_nothing_stopped(const Settings& s) {
    status_of(checkpoint_path(s) + ".part", "cannot be written");
    if (exists(status_of(checkpoint_path(s), "cannot be written")))
        throw Error(cat(checkpoint_path(s),
                        ": is there already, of a run that was stopped; "
                        "--resume goes on with it, or it has to be removed first"));
}

class Run {
public:
    Run(const Settings& settings, Texts texts)
        : s_(settings),
          texts_(std::move(texts)),
          trainer_(s_, texts_.training, halves_of(texts_.vocabulary), texts_.validation),
          progress_(s_, trainer_.state().parameters.size()) {}

    void resume() {
        Checkpoint c = read_checkpoint(checkpoint_path(s_), trainer_.state().parameters.size());
        if (c.settings != s_.result_depends_on())
            throw Error(cat(checkpoint_path(s_), ": of a run with ", c.settings, ", now ",
                            s_.result_depends_on()));
        if (c.text_hash != texts_.hash_of_all)
            throw Error(cat(checkpoint_path(s_), ": of another text than ", s_.text));
        trainer_.restore(std::move(c.state), c.steps_done);
        curve_ = std::move(c.curve);
        running_loss_ = c.running_loss;
        say("going on after step %d\n", c.steps_done);
    }

    // False where Ctrl-C ended it.
    bool train() {
        say("%zu parameters, %zu tokens to learn from, %zu to measure on, peak %.0f Gflop/s\n",
            trainer_.state().parameters.size(), texts_.training.ids.size(),
            texts_.validation.size(), progress_.peak() / 1e9);
        while (trainer_.steps_done() < s_.steps) {
            step();
            const bool last = trainer_.steps_done() == s_.steps;
            const bool stop = interrupted();
            if (stop || last || trainer_.steps_done() % s_.checkpoint_every == 0) save();
            if (stop) return false;
        }
        return true;
    }

    void finish() {
        const Measurement final = measure(s_.shape.T / 2);
        write_model(s_, texts_.vocabulary, trainer_.state().average, readme(final));
        std::error_code error;
        std::filesystem::remove(path_of(checkpoint_path(s_)), error);
        if (error) throw Error(cat(checkpoint_path(s_), ": cannot be removed: ", error.message()));
        say("%s: %.4f nats a token, %.4f bits a byte\n", s_.out.c_str(), final.validation_loss,
            final.bits_per_byte);
    }

private:
    void step() {
        const Stopwatch watch;
        const double loss = trainer_.step();
        const int step = trainer_.steps_done();
        check_finite(loss);
        progress_.step_took(watch.seconds());
        running_loss_ = step == 1 ? loss : 0.95 * running_loss_ + 0.05 * loss;
        if (step % s_.report_every == 0 || step == s_.steps) progress_.report(step, running_loss_);
        if (step % s_.validate_every == 0 || step == s_.steps) {
            curve_.push_back(measure(0));
            say("step %d/%d  validation %.4f nats a token, %.4f bits a byte\n", step, s_.steps,
                curve_.back().validation_loss, curve_.back().bits_per_byte);
        }
    }

    void check_finite(double loss) const {
        if (!std::isfinite(loss))
            throw Error(cat("step ", trainer_.steps_done(), ": the loss is ",
                            std::fabs(loss),  // not -nan: there the sign says nothing
                            ", expected a finite number: training diverges with --lr ",
                            s_.adamw.learning_rate));
    }

    Measurement measure(int overlap) {
        const double nats = trainer_.validate(overlap);
        check_finite(nats);
        return {trainer_.steps_done(), running_loss_, nats / double(texts_.validation.size() - 1),
                nats / std::numbers::ln2 / double(texts_.validation_bytes)};
    }

    void save() const {
        write_checkpoint(checkpoint_path(s_),
                         {s_.result_depends_on(), texts_.hash_of_all, trainer_.steps_done(),
                          running_loss_, curve_, trainer_.state()});
    }

    std::string readme(const Measurement& final) const;

    const Settings& s_;
    Texts texts_;
    Trainer trainer_;
    Progress progress_;
    std::vector<Measurement> curve_;
    double running_loss_ = 0;
};

std::string Run::readme(const Measurement& final) const {
    const ModelShape& m = s_.shape;
    std::string text = cat(
        "A GPT-2-shaped model of ", trainer_.state().parameters.size(), " parameters (", m.L,
        " layers, ", m.H, " heads, ", m.C, " channels, context ", m.T, ", ", m.V,
        " pieces), trained from nothing on ", path_of(s_.text).filename().string(),
        ":\n\n    build/train TEXT OUT ", s_.result_depends_on(), " --dtype ", s_.dtype,
        "\n\nThe last tenth of the text (", texts_.validation_bytes,
        " bytes) was kept for measuring. There the model needs ", final.validation_loss,
        " nats a token, ", final.bits_per_byte, " bits a byte, with at least ", m.T / 2,
        " tokens of context. Training went ", trainer_.epochs(),
        " times through the rest.\n\n| step | training, nats a token | validation, nats a token | "
        "bits a byte |\n|---|---|---|---|\n");
    for (const Measurement& row : curve_)
        text += cat("| ", row.step, " | ", row.training_loss, " | ", row.validation_loss, " | ",
                    row.bits_per_byte, " |\n");
    return text;
}

int run(const std::vector<std::string>& words) {
    Settings settings = parse_settings(words);
    if (settings.help) {
        print(usage());
        flush();
        return 0;
    }
    if (settings.threads == 0) settings.threads = default_threads();
    check_writable(settings.out);
    if (!settings.resume) check_nothing_stopped(settings);
    Run run(settings, read_texts(settings));
    if (settings.resume) run.resume();
    note_interrupts();
    const FoldersAbove above(path_of(settings.out));  // for the checkpoint, too
    if (!run.train()) {
        std::fputs("interrupted; the same command with --resume goes on\n", stderr);
        return interrupted_status();
    }
    run.finish();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    catch_signals("train");
    try {
        return run(begin(argc, argv));
    } catch (const UsageError& error) {
        note(error_line("train", error.what(), " (see train --help)"));
        return 2;
    } catch (const std::bad_alloc&) {
        note(error_line("train", "out of memory: the model and its batches are too large"));
        return 1;
    } catch (const std::exception& error) {
        note(error_line("train", error.what()));
        return 1;
    }
}
