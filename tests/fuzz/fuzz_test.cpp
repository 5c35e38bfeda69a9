#include <doctest/doctest.h>
#include <filesystem>
#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "tests/fuzz/targets.h"

namespace {

namespace fs = std::filesystem;

// Whether the target ends well, be it with an Error.
bool survives(const fuzz::Target& target, const std::string& bytes) {
    try {
        target.run(bytes);
    } catch (const Error&) {}
    return true;
}

// A few changes, each of one of the kinds that break readers: bits, bytes, sizes, cuts, repeats.
std::string mutate(std::string bytes, Random& random) {
    const auto below = [&](std::size_t n) { return std::size_t(random.next() % n); };
    for (std::size_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = below(bytes.size()), size = 1 + below(8);
        switch (below(6)) {
            case 0: bytes[at] = char(bytes[at] ^ 1 << below(8)); break;
            case 1: bytes[at] = char(below(256)); break;
            case 2: bytes.replace(at, size, size, below(2) ? '\xff' : '\0'); break;
            case 3: bytes.resize(at); break;
            case 4: bytes.insert(at, bytes.substr(below(bytes.size()), 4 * size)); break;
            default: bytes.erase(at, size);
        }
    }
    return bytes;
}

}  // namespace

TEST_CASE("every reader takes its seeds") {
    for (const fuzz::Target& target : fuzz::targets())
        for (const std::string& seed : target.seeds()) {
            CAPTURE(target.name);
            CHECK_NOTHROW(target.run(seed));
        }
}

TEST_CASE("every reader survives mutations of its seeds") {
    for (const fuzz::Target& target : fuzz::targets()) {
        Random random(1);
        for (const std::string& seed : target.seeds())
            for (int round = 0; round < 300; ++round) {
                CAPTURE(target.name);
                CAPTURE(round);
                CHECK(survives(target, mutate(seed, random)));
            }
    }
}

TEST_CASE("inputs that fuzzing once found do no harm any more") {
    for (const fuzz::Target& target : fuzz::targets()) {
        const fs::path folder = fs::path("tests/fuzz/found") / target.name;
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder)) {
            CAPTURE(entry.path().string());
            CHECK(survives(target, std::string(File::open(entry.path().string()).text())));
        }
    }
}
