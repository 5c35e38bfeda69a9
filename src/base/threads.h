// Teams of threads. A caller opens one with `#pragma omp parallel num_threads(n)`; inside, kernels
// share their outermost loop. Outside a team, and without OpenMP, every kernel runs alone.
#pragma once
#include <string>

// The physical cores that this process may use: its affinity and its control group's limits
// counted, siblings of one core counted once. At least 1. Files are looked for under `root`.
int default_threads(const std::string& root = "");

int team_size();    // threads in the running team; 1 outside one
int team_member();  // which of them this is, from 0 on

// This thread's part of 0 .. n - 1, as even as can be: the same for the same n and team size.
struct Share {
    int first, last;
};
Share my_share(int n);
