#include "base/threads.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <thread>
#include <vector>
#include "base/error.h"
#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace {

bool may_use([[maybe_unused]] int cpu) {
#if defined(__linux__)
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return cpu >= CPU_SETSIZE || CPU_ISSET(cpu, &allowed);
#endif
    return true;
}

std::string first_line(const std::string& path) {
    std::string line;
    std::getline(std::ifstream(path) >> std::ws, line);
    return line;
}

// Distinct lists of siblings among the processors that the process may use; 0 where the system
// does not say.
int usable_cores(const std::string& root) {
    std::set<std::string> cores;
    for (int cpu = 0;; ++cpu) {
        const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
        std::error_code none;
        if (!std::filesystem::exists(folder, none)) break;
        const std::string siblings = first_line(folder + "/topology/thread_siblings_list");
        if (!siblings.empty() && may_use(cpu)) cores.insert(siblings);  // empty while it is off
    }
    return int(cores.size());
}

// The processors' worth of time that a control group's folder grants; 0 for no limit.
double granted(const std::string& folder) {
    double quota = 0, period = 0;
    if (std::ifstream(folder + "/cpu.max") >> quota >> period && period > 0) return quota / period;
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
    return quota > 0 && period > 0 ? quota / period : 0;
}

// The tightest limit of the process's control groups and all that contain them.
double granted_by_groups(const std::string& root) {
    std::ifstream groups(root + "/proc/self/cgroup");  // lines such as 4:cpu,cpuacct:/a/b or 0::/a
    double least = 0;
    for (std::string line; std::getline(groups, line);) {
        const std::size_t names = line.find(':') + 1, path = line.find(':', names) + 1;
        if (names == 0 || path == 0) continue;
        const std::string controllers = line.substr(names, path - names - 1);
        if (!controllers.empty() && cat(",", controllers, ",").find(",cpu,") == std::string::npos)
            continue;
        const std::string mount = root + "/sys/fs/cgroup" + (controllers.empty() ? "" : "/cpu");
        for (std::string group = line.substr(path);; group.resize(group.rfind('/'))) {
            if (group == "/") group.clear();
            const double limit = granted(mount + group);
            if (limit > 0 && (least == 0 || limit < least)) least = limit;
            if (group.find('/') == std::string::npos) break;
        }
    }
    return least;
}

// Tells the processor that this thread only waits.
void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

int default_threads(const std::string& root) {
    int cores = usable_cores(root);
    if (cores == 0) cores = int(std::thread::hardware_concurrency());
    const double limit = granted_by_groups(root);
    if (limit > 0) cores = std::min(cores, int(limit));
    return std::max(cores, 1);
}

void check_threads(int count) {
    std::mutex gate;
    std::unique_lock closed(gate);
    std::vector<std::jthread> team;
    std::string why;
    try {
        while (int(team.size()) + 1 < count)
            team.emplace_back([&gate] { const std::lock_guard passed(gate); });
    } catch (const std::exception& e) {
        why = e.what();
    }
    closed.unlock();
    if (!why.empty())
        throw Error(cat("only ", team.size() + 1, " of ", count, " threads can be started (", why,
                        "); -t asks for fewer"));
}

int team_size() {
#if defined(_OPENMP)
    return omp_get_num_threads();
#else
    return 1;
#endif
}

int team_member() {
#if defined(_OPENMP)
    return omp_get_thread_num();
#else
    return 0;
#endif
}

Range my_share(int n) { return share(n, team_member(), team_size()); }

void Meeting::meet(int queues) {
    constexpr int kSpins = 2048;  // some 50 microseconds: beside other programs, sleeping is better
    const int team = team_size();
    if (team == 1) return begin_anew(queues);
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team) {
        arrived_.store(0, std::memory_order_relaxed);
        begin_anew(queues);
        round_.fetch_add(1);  // wraps around, where round + 1 would not
        if (asleep_ == 0) return;
        const std::lock_guard lock(mutex_);
        wake_.notify_all();
        return;
    }
    for (int i = 0; i < kSpins; ++i, relax())
        if (round_.load(std::memory_order_acquire) != round) return;
    sleep(round);
}

void Meeting::begin_anew(int queues) {
    for (int queue = 0; queue < queues; ++queue)
        taken_[queue].count.store(0, std::memory_order_relaxed);
}

// Either this thread finds the next round begun, or whoever begins it finds this thread asleep.
// (Not round_.wait: where there is no futex, as on Windows, GCC 12's can miss its notification.)
void Meeting::sleep(int round) {
    std::unique_lock lock(mutex_);
    ++asleep_;
    while (round_ == round) wake_.wait(lock);
    --asleep_;
}
