#include "tools/train/settings.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include "base/path.h"
#include "formats/json.h"

namespace {

Options options_of(Settings& s) {
    Options options;
    options.add("--vocab N", s.shape.V, 258, 65536, "pieces of the vocabulary");
    options.add("--layers N", s.shape.L, 1, 256, "blocks");
    options.add("--heads N", s.shape.H, 1, 1024, "attention heads in a block");
    options.add("--channels N", s.shape.C, 1, 16384, "width of the residual stream");
    options.add("--context N", s.shape.T, 1, 16384, "tokens that the model can see");
    options.add("--batch N", s.batch, 1, 65536, "sequences in a step");
    options.add("--steps N", s.steps, 1, 1 << 30, "steps to train for");
    options.add("--lr X", s.adamw.learning_rate, 0, 1, "highest learning rate");
    options.add("--warmup N", s.warmup, 0, 1 << 30, "steps until it is reached");
    options.add("--weight-decay X", s.adamw.weight_decay, 0, 10, "pull of matrices towards zero");
    options.add("--beta1 X", s.adamw.beta1, 0, 0.9999, "memory of the mean gradient");
    options.add("--beta2 X", s.adamw.beta2, 0, 0.9999, "memory of the mean squared gradient");
    options.add("--clip X", s.adamw.clip, 1e-6, 1e6, "longest gradient");
    options.add("--dropout X", s.dropout, 0, 0.9, "share of activations dropped");
    options.add("--cut X", s.cut, 0, 0.9,
                "share of tokens cut back into the two that were\nmerged, at first; it falls to 0");
    options.add("--ema X", s.adamw.averaging, 0, 0.99999,
                "memory of the weights' average, which is what is\nwritten; 0 for none");
    options.add("--seed N", s.seed, "of the first weights, the order and dropout [1]");
    options.add("--dtype TYPE", s.dtype, "what the weights are written as, f16 or f32");
    options.add("-t, --threads N", s.threads, 0, 1024, "share the work; 0: one thread a core");
    options.add("--report-every N", s.report_every, 1, 1 << 30, "steps between lines of progress");
    options.add("--validate-every N", s.validate_every, 1, 1 << 30, "steps between measurements");
    options.add("--checkpoint-every N", s.checkpoint_every, 1, 1 << 30,
                "steps between checkpoints");
    options.add_flag("--resume", s.resume, "go on from OUT.checkpoint");
    options.add_flag("-h, --help", s.help, "print this");
    return options;
}

}  // namespace

NumberType Settings::number_type() const {
    return dtype == "f32" ? NumberType::f32 : NumberType::f16;
}

std::string Settings::result_depends_on() const {
    const auto exact = json_number;  // digits that give the same double
    return cat("--vocab ", shape.V, " --layers ", shape.L, " --heads ", shape.H, " --channels ",
               shape.C, " --context ", shape.T, " --batch ", batch, " --steps ", steps, " --lr ",
               exact(adamw.learning_rate), " --warmup ", warmup, " --weight-decay ",
               exact(adamw.weight_decay), " --beta1 ", exact(adamw.beta1), " --beta2 ",
               exact(adamw.beta2), " --clip ", exact(adamw.clip), " --dropout ", exact(dropout),
               " --cut ", exact(cut), " --ema ", exact(adamw.averaging), " --seed ",
               seed.value_or(0));
}

Settings parse_settings(const std::vector<std::string>& words) {
    Settings s;
    Options options = options_of(s);
    const auto rest = options.parse(words);
    if (s.help) return s;
    if (rest.size() != 2)
        throw UsageError(cat("expected TEXT and OUT, found ", rest.size(), " names"));
    s.text = rest[0];
    s.out = rest[1];
    if (s.text.empty() || s.out.empty()) throw UsageError("TEXT and OUT are names, found ''");
    // The checkpoint lies beside OUT, not in it.
    if (const auto out = without_slash(path_of(s.out)); !out.empty()) s.out = out.string();
    if (s.shape.C % s.shape.H != 0)
        throw UsageError(cat("--channels ", s.shape.C, " cannot be shared by --heads ", s.shape.H));
    if (s.dtype != "f16" && s.dtype != "f32")
        throw UsageError(cat("--dtype is f16 or f32, found '", s.dtype, "'"));
    s.seed = s.seed.value_or(1);
    return s;
}

std::string usage() {
    Settings s;
    return "train TEXT OUT [OPTIONS]: trains a GPT-2-shaped model on a text, from nothing\n\n" +
           options_of(s).help();
}

double learning_rate(const Settings& settings, int step) {
    const double highest = settings.adamw.learning_rate;
    if (step <= settings.warmup) return highest * step / settings.warmup;
    const double done = double(step - settings.warmup) / (settings.steps - settings.warmup);
    return highest * (0.01 + 0.99 * 0.5 * (1 + std::cos(std::numbers::pi * done)));
}
