#include "commands/bench_trial.h"
#include <algorithm>
#include "base/error.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "kernels/limits.h"

namespace {

constexpr double kLong = 20;     // seconds after which a trial is not repeated
constexpr int kWarmUpSteps = 8;  // of a trial's

// What a step needs at least: operations, and bytes that must be read.
struct Work {
    double operations, bytes;
};

class Runner {
public:
    Runner(Transformer& model, const Trial& trial, int threads)
        : model_(model), trial_(trial), threads_(threads) {
        Random random(1);
        for (int i = 0; i < std::max(trial.depth, trial.chunk); ++i)
            ids_.push_back(int(random.next() % std::uint64_t(model.config().vocab_size)));
        const int positions = trial.depth + trial.chunk * trial.steps;
        for (int b = 0; b < trial.batch; ++b) caches_.push_back(model.new_cache(positions));
        for (KvCache& cache : caches_) chunks_.push_back({&cache, {}});
        if (trial.depth > 0) feed(trial.depth);
    }

    // Runs so many of the trial's steps, from its depth on.
    void run(int steps) {
        for (KvCache& cache : caches_) cache.truncate(trial_.depth);
        for (int i = 0; i < steps; ++i) feed(trial_.chunk);
    }

    // Tokens a second, over at least as long as a limit is measured.
    double tokens_per_second() {
        const Stopwatch watch;
        int times = 0;
        for (; times == 0 || watch.seconds() < kMeasured; ++times) run(trial_.steps);
        return double(times) * trial_.tokens() / watch.seconds();
    }

    // Seconds that the trial would take if nothing but the machine's limits held it up.
    double least_time(double operations, double bytes) const {
        double seconds = 0;
        for (int i = 0; i < trial_.steps; ++i) {
            const Work work = work_of(i);
            seconds += std::max(work.operations / operations, work.bytes / bytes);
        }
        return seconds;
    }

    double read_rate_of_weights() const {
        std::vector<std::span<const std::byte>> parts;
        for (const PackedMatrix* w : model_.products()) parts.push_back({w->panel(0), w->bytes()});
        return read_rate(parts, threads_);
    }

private:
    void feed(int count) {
        for (Chunk& chunk : chunks_) chunk.ids = std::span(ids_).first(std::size_t(count));
        model_.forward(chunks_, Positions::last);
    }

    // The head is multiplied with a sequence's last position alone; a query meets every key and
    // value up to its own.
    Work work_of(int step) const {
        const Config& c = model_.config();
        const double before = trial_.depth + double(step) * trial_.chunk, T = trial_.chunk;
        const double pairs = T * before + T * (T + 1) / 2, of_layers = double(c.n_layer) * c.n_embd;
        const std::vector<const PackedMatrix*> products = model_.products();
        Work work{4 * of_layers * pairs, 2 * of_layers * (before + T) * sizeof(float)};
        for (const PackedMatrix* w : products)
            work.operations += 2.0 * w->in() * w->out() * (w == products.back() ? 1 : T);
        work = {work.operations * trial_.batch, work.bytes * trial_.batch};
        for (const PackedMatrix* w : products) work.bytes += double(w->bytes());
        return work;
    }

    Transformer& model_;
    Trial trial_;
    int threads_;
    std::vector<int> ids_;
    std::vector<KvCache> caches_;
    std::vector<Chunk> chunks_;
};

}  // namespace

std::string Trial::name() const { return chunk > 1 ? cat("pp", chunk) : cat("tg", steps); }

std::vector<Trial> trials_for(int n_positions) {
    const int tokens = std::min(128, n_positions), deep = std::min(896, n_positions - tokens);
    std::vector<Trial> trials;
    for (const Trial& trial :
         {Trial{1, 0, std::min(64, n_positions), 1}, Trial{1, 0, std::min(512, n_positions), 1},
          Trial{1, 0, 1, tokens}, Trial{1, deep, 1, tokens}, Trial{8, 0, 1, tokens}})
        if (std::count(trials.begin(), trials.end(), trial) == 0) trials.push_back(trial);
    return trials;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Speed run(Transformer& model, const Trial& trial, int threads, int runs) {
    Runner runner(model, trial, threads);
    runner.run(std::min(trial.steps, kWarmUpSteps));
    std::vector<double> tokens, operations, bytes;
    const Stopwatch watch;
    do {
        operations.push_back(multiply_add_rate(threads));
        bytes.push_back(runner.read_rate_of_weights());
        tokens.push_back(runner.tokens_per_second());
    } while (int(tokens.size()) < runs && watch.seconds() < kLong);
    const auto [least, most] = std::minmax_element(tokens.begin(), tokens.end());
    Speed speed{median(tokens), (*most - *least) / 2, 0, median(operations), median(bytes)};
    speed.limit_tokens = trial.tokens() / runner.least_time(speed.multiply_adds, speed.bytes);
    return speed;
}
