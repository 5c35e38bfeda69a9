// Teams of threads. A caller opens one with `#pragma omp parallel num_threads(n)`; inside, kernels
// share their outermost loop. Outside a team, and without OpenMP, every kernel runs alone.
//
// Why threads cannot race here. Work is shared, by `omp for` or my_share, over what it writes, so
// that each element has one writer, and no sum is shared. Between a write and a read by another
// thread stands a barrier: the one that ends `omp for`, or, after my_share and nowait, a Barrier
// before the kernel returns. None is needed where a thread reads what it wrote itself: the rows
// that add gives to layer_norm, as both share out as many rows by my_share; the part of a product
// that an activation follows; and the keys and values of a head that one tile of queries attends
// to. Scratch memory that differs between threads lies apart by team_member(). All else that a team
// shares is only read.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

// The physical cores that this process may use: its affinity and its control group's limits
// counted, siblings of one core counted once. At least 1. Files are looked for under `root`.
int default_threads(const std::string& root = "");

// Throws Error where the system does not start so many threads. OpenMP would end the program.
void check_threads(int count);

int team_size();    // threads in the running team; 1 outside one
int team_member();  // which of them this is, from 0 on

// This thread's part of 0 .. n - 1, as even as can be: the same for the same n and team size.
struct Share {
    int first, last;
};
Share my_share(int n);

// Where the threads of a team wait for one another, many times a token. A short wait spins;
// OpenMP's own barrier calls the system each time.
class Barrier {
public:
    Barrier() = default;
    Barrier(Barrier&&) {}  // nobody waits at one that moves
    Barrier& operator=(Barrier&&) { return *this; }

    // Returns when every thread of the running team has called it as often as this one.
    void wait();

private:
    void sleep(int round);

    std::atomic<int> arrived_ = 0, round_ = 0, asleep_ = 0;
    std::mutex mutex_;
    std::condition_variable wake_;
};
