// Teams of threads. A caller opens one with `#pragma omp parallel num_threads(n)`; inside, kernels
// share their outermost loop. Outside a team, and without OpenMP, every kernel runs alone.
//
// Why threads cannot race here. Work is shared, by my_share, share_out or `omp for`, over what it
// writes, so that each element has one writer, and no sum is shared. Between a write and a read by
// another thread all wait for one another: at the end of share_out and of `omp for`, and after
// my_share and nowait by wait, `omp barrier` or the end of the team. None has to where a thread
// reads what it wrote itself: the part of a product that an activation or an addition follows; its
// own copy of a single row, normalised; what it lays out for itself; and the keys and values of a
// head that one tile of queries attends to. Scratch memory that differs between threads lies apart
// by team_member(). All else that a team shares is only read.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

// The physical cores that this process may use: its affinity and its control group's limits
// counted, siblings of one core counted once. At least 1. Files are looked for under `root`.
int default_threads(const std::string& root = "");

// Throws Error where the system does not start so many threads. OpenMP would end the program.
void check_threads(int count);

int team_size();    // threads in the running team; 1 outside one
int team_member();  // which of them this is, from 0 on

struct Range {  // first .. last - 1
    int first, last;
};

// Part i of 0 .. n - 1 in as many `parts`, as even as can be; and this thread's, which is the same
// for the same n and team size.
inline Range share(int n, int i, int parts) {
    return {int(std::int64_t(n) * i / parts), int(std::int64_t(n) * (i + 1) / parts)};
}
Range my_share(int n);

// Where the threads of a team share out work and wait for one another, many times a token. A short
// wait spins; OpenMP's own barrier calls the system each time.
class Meeting {
public:
    Meeting() = default;
    Meeting(Meeting&&) {}  // nobody waits at one that moves
    Meeting& operator=(Meeting&&) { return *this; }

    // Returns when every thread of the running team has called it as often as this one.
    void wait() { meet(0); }

    // Runs f(0), f(1) .. f(tasks - 1) and waits. The tasks are cut into queues, as a rule one for
    // each thread. A thread takes from its own first, so that it finds again what it keeps in its
    // caches, then from the others': one that something else slows down does less, instead of
    // keeping the others waiting. (Where there is one task for each, task i is member i's.) Every
    // thread of the team calls it with the same tasks; f neither throws nor meets anyone.
    template <typename F>
    void share_out(int tasks, F f) {
        const int team = team_size(), queues = std::min(team, kQueues);
        if (tasks == team) {  // one for each
            f(team_member());
            return meet(0);
        }
        const int own = int(std::int64_t(team_member()) * queues / team);
        for (int n = 0; n < queues; ++n) {
            const int queue = (own + n) % queues;
            const auto [first, last] = share(tasks, queue, queues);
            for (int i = first + take(queue); i < last; i = first + take(queue)) f(i);
        }
        meet(queues);
    }

private:
    // So few that looking through all takes little; where the team is larger, several share one.
    static constexpr int kQueues = 8;

    struct alignas(64) Taken {  // how many tasks of one queue were, since all met
        std::atomic<int> count = 0;
    };

    int take(int queue) { return taken_[queue].count.fetch_add(1, std::memory_order_relaxed); }
    void begin_anew(int queues);
    void meet(int queues);  // as wait, after tasks of so many were taken
    void sleep(int round);

    Taken taken_[kQueues];
    std::atomic<int> arrived_ = 0, round_ = 0, asleep_ = 0;
    std::mutex mutex_;
    std::condition_variable wake_;
};
