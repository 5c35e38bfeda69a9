#include "base/threads.h"
#include <doctest/doctest.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>
#include <vector>
#include "tests/support.h"

namespace {

void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text << '\n';
}

// Eight processors, on cores whose siblings are named like this for each processor.
void put_processors(const ScratchFolder& root, const std::function<std::string(int)>& siblings) {
    for (int cpu = 0; cpu < 8; ++cpu)
        put(root.path("sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                      "/topology/thread_siblings_list"),
            siblings(cpu));
}

}  // namespace

TEST_CASE("threads that can be started are, and others are refused by their number") {
    CHECK_NOTHROW(check_threads(1));
    CHECK_NOTHROW(check_threads(16));
}

TEST_CASE("there is at least one thread by default, also where the system says nothing") {
    CHECK(default_threads() >= 1);
    ScratchFolder root;
    CHECK(default_threads(root.path()) >= 1);
}

TEST_CASE("siblings of one core count once") {
    ScratchFolder root;
    put_processors(root, [](int) { return "0-7"; });
    CHECK(default_threads(root.path()) == 1);
}

TEST_CASE("a processor that is switched off is no core, and those behind it are counted") {
    ScratchFolder root;
    put_processors(root, [](int cpu) { return cpu == 0 ? "" : "1-7"; });
    CHECK(default_threads(root.path()) == 1);
}

TEST_CASE("a control group's limit bounds the threads, in either version, and in any parent") {
    const auto threads = [](auto set) {
        ScratchFolder root;
        put_processors(root, [](int cpu) { return std::to_string(cpu); });
        set(root);
        return default_threads(root.path());
    };
    const int unlimited = threads([](auto&) {});
    CHECK(threads([](auto& root) {
              put(root.path("proc/self/cgroup"), "0::/");
              put(root.path("sys/fs/cgroup/cpu.max"), "250000 100000");
          }) == std::min(2, unlimited));
    CHECK(threads([](auto& root) {
              put(root.path("proc/self/cgroup"), "0::/a/b");
              put(root.path("sys/fs/cgroup/a/cpu.max"), "100000 100000");
              put(root.path("sys/fs/cgroup/a/b/cpu.max"), "max 100000");
          }) == 1);
    CHECK(threads([](auto& root) {
              put(root.path("proc/self/cgroup"), "5:cpu,cpuacct:/c\n3:memory:/m");
              put(root.path("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us"), "50000");
              put(root.path("sys/fs/cgroup/cpu/c/cpu.cfs_period_us"), "100000");
          }) == 1);
    CHECK(threads([](auto& root) {  // cpuset is another controller
              put(root.path("proc/self/cgroup"), "5:cpuset:/c\n4:cpuacct:/c");
              put(root.path("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us"), "50000");
              put(root.path("sys/fs/cgroup/cpu/c/cpu.cfs_period_us"), "100000");
          }) == unlimited);
}

TEST_CASE("shares follow each other and leave nothing out") {
    for (const int n : {0, 1, 5, 64}) {
        std::vector<int> owner(std::size_t(n), 0);
#pragma omp parallel num_threads(3)
        {
            const auto [first, last] = my_share(n);
            for (int i = first; i < last; ++i) ++owner[std::size_t(i)];
        }
        CHECK(owner == std::vector<int>(std::size_t(n), 1));
    }
    CHECK(my_share(7).last == 7);
    constexpr int kMost = std::numeric_limits<int>::max();
    CHECK(share(kMost, 6, 7).last == kMost);
    CHECK(share(kMost, 5, 7).last == share(kMost, 6, 7).first);
    CHECK(share(1, 0, 3).last == 0);  // more parts than there is to share
    CHECK(share(1, 2, 3).last == 1);
}

TEST_CASE("tasks are shared out once each, and are done when the team goes on") {
    constexpr int kTasks = 50, kRounds = 200;
    Meeting meeting;
    std::vector<int> times(kTasks, 0), sums(kTasks, 0);
    std::atomic<int> wrong = 0;
    const auto share_out = [&] {
        for (int round = 0; round < kRounds; ++round) {
            meeting.share_out(kTasks, [&](int i) { ++times[std::size_t(i)]; });
            meeting.share_out(0, [&](int) { ++sums[0]; });
            meeting.share_out(team_size(), [&](int i) { wrong += i != team_member(); });
            meeting.share_out(
                kTasks, [&](int i) { sums[std::size_t(i)] += times[std::size_t(kTasks - 1 - i)]; });
        }
    };
    const auto check = [&] {
        CHECK(wrong == 0);
        CHECK(times == std::vector<int>(kTasks, kRounds));
        CHECK(sums == std::vector<int>(kTasks, kRounds * (kRounds + 1) / 2));
        times.assign(kTasks, 0);
        sums.assign(kTasks, 0);
    };
    for (const int threads : {3, 11}) {  // 11: more than there are queues
#pragma omp parallel num_threads(threads)
        share_out();
        check();
    }
    share_out();  // alone
    check();
}

// Waits for what other threads do; false where a minute was not enough.
template <typename F>
bool comes(F happened) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!happened()) {
        if (std::chrono::steady_clock::now() > late) return false;
        std::this_thread::yield();
    }
    return true;
}

TEST_CASE("every thread begins with its own share of the tasks") {
    Meeting meeting;
    std::atomic<int> begun = 0, others = 0, waited_in_vain = 0;
#pragma omp parallel num_threads(3)
    for (int round = 1; round <= 3; ++round) {
        constexpr int kTasks = 31;
        bool first = true;
        meeting.share_out(kTasks, [&](int i) {  // nobody takes a second one before all have one
            if (first) others += i != share(kTasks, team_member(), team_size()).first;
            begun += first;
            first = false;
            waited_in_vain += !comes([&] { return begun >= round * team_size(); });
        });
    }
    CHECK(begun > 0);
    CHECK(others == 0);
    CHECK(waited_in_vain == 0);
}

TEST_CASE("the other threads take the tasks of one that is held up") {
    constexpr int kTasks = 30;
    Meeting meeting;
    std::atomic<int> done = 0, waited_in_vain = 0;
#pragma omp parallel num_threads(3)
    meeting.share_out(kTasks, [&](int i) {
        if (i == 0 && team_size() > 1) waited_in_vain += !comes([&] { return done == kTasks - 1; });
        ++done;
    });
    CHECK(waited_in_vain == 0);
    CHECK(done == kTasks);
}

TEST_CASE("nobody goes on from a meeting before everybody has come") {
    Meeting meeting;
    std::atomic<int> come = 0, early = 0;
#pragma omp parallel num_threads(3)
    for (int round = 1; round <= 500; ++round) {
        ++come;
        meeting.wait();
        if (come < round * team_size()) ++early;
        meeting.wait();
    }
    CHECK(come > 0);
    CHECK(early == 0);
    meeting.wait();  // alone, there is nobody to wait for
}
