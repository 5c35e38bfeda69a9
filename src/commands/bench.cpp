// gpt bench: how fast the model reads prompts and writes, beside what the machine could do at most.
#include "base/cpu.h"
#include "commands/bench_trial.h"
#include "commands/commands.h"
#include "commands/layout.h"
#include "commands/terminal.h"
#include "formats/json.h"
#include "kernels/simd.h"
#include "model/random_model.h"

namespace {

constexpr std::string_view kNotes =
    "pp64 and pp512 feed a prompt of so many tokens at once and predict what follows;\n"
    "tg128 generates 128 tokens one by one, for one sequence or for a batch of them,\n"
    "behind so many tokens as the depth says. Prompts, depths and lengths are cut to\n"
    "the model's context. A few steps warm each test up, then it runs N times, 0.2 s\n"
    "each or longer, or for 20 s; the figures are medians, ± half the distance from\n"
    "slowest to fastest.\n"
    "\n"
    "The limit is what the machine could do if it did nothing else, measured between\n"
    "the runs by all threads at once, none waiting for another: f32 multiply-adds in\n"
    "registers, and reading the model's own weights. A step can't take less than its\n"
    "operations need, nor than the bytes of weights, keys and values that it reads.\n"
    "q8 and q4 multiply integers, which machines do faster, so that their prompts can\n"
    "pass the limit. Tokens, and the weights of --shape, are random (SplitMix64,\n"
    "seed 1).\n"
    "\n"
    "--json prints a line a test: {\"test\":\"pp512\",\"dtype\":\"f32\",\"threads\":n,\n"
    "\"batch\":n,\"depth\":n,\"tokens_per_second\":x,\"limit_tokens_per_second\":x,\n"
    "\"fraction_of_limit\":x}; then {\"machine\":{\"fma_gflops\":x,\"read_gbps\":x,\n"
    "\"cpu\":\"…\",\"simd\":\"…\"}}.\n"
    "\n"
    "example: gpt bench --shape 124M --dtype q8\n";

struct Case {
    Trial trial;
    std::string dtype;
    int threads;
};

void print_header() {
    print("test    type  threads  batch  depth         tokens/s  of the limit\n");
}

void print_row(const Case& c, const Speed& o) {
    print(form("%-7s %-5s %7d %6d %6d %10.1f ± %-5.1f %10.1f %%\n", c.trial.name().c_str(),
               c.dtype.c_str(), c.threads, c.trial.batch, c.trial.depth, o.tokens, o.spread,
               100 * o.tokens / o.limit_tokens));
}

void print_json_row(const Case& c, const Speed& o) {
    print(cat("{\"test\":\"", c.trial.name(), "\",\"dtype\":\"", c.dtype,
              "\",\"threads\":", c.threads, ",\"batch\":", c.trial.batch,
              ",\"depth\":", c.trial.depth, ",\"tokens_per_second\":", json_number(o.tokens),
              ",\"limit_tokens_per_second\":", json_number(o.limit_tokens),
              ",\"fraction_of_limit\":", json_number(o.tokens / o.limit_tokens), "}\n"));
}

void print_machine(double gflops, double gbps, bool json) {
    const std::string cpu = cpu_name();
    if (json)
        print(cat("{\"machine\":{\"fma_gflops\":", json_number(gflops),
                  ",\"read_gbps\":", json_number(gbps), ",\"cpu\":", json_quote(cpu),
                  ",\"simd\":", json_quote(kSimd), "}}\n"));
    else
        print(form("\nlimits: %.1f GFLOP/s of f32 multiply-adds, %.1f GB/s read; %s, %s\n", gflops,
                   gbps, cpu.c_str(), kSimd));
}

}  // namespace

int commands::bench(Session& session) {
    std::string shape;
    int runs = 5;
    session.options.add("--shape SIZE", shape,
                        "random weights in place of a model: 124M, 355M, 774M or\n1.5B");
    session.options.add("-r, --runs N", runs, 1, 1000, "of each test");
    if (!session.parse(kNotes, Session::Takes::nothing)) return 0;
    if (!shape.empty() && !session.is_builtin())
        throw UsageError("--shape and --model exclude one another");

    const int threads = session.threads();
    Transformer model = shape.empty()
                            ? session.transformer()
                            : random_transformer(gpt2_shape(shape), session.weight_type(), threads);
    const std::string dtype = name_of(model.products().front()->type());
    std::vector<double> gflops, gbps;
    if (!session.json()) print_header();
    for (const Trial& trial : trials_for(model.config().n_positions)) {
        const Speed speed = run(model, trial, threads, runs);
        (session.json() ? print_json_row : print_row)({trial, dtype, threads}, speed);
        flush();
        gflops.push_back(speed.multiply_adds / 1e9);
        gbps.push_back(speed.bytes / 1e9);
    }
    print_machine(median(gflops), median(gbps), session.json());
    return 0;
}
