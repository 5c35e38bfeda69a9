#include "model/claims.h"
#include <doctest/doctest.h>
#include <cmath>
#include "model/folder.h"
#include "model/reference.h"

namespace {

const std::string kFolder = "tests/fixtures/odd-sizes";
const std::vector<int> kIds = {3, 1, 4, 1, 5, 9, 2, 6};

Transformer fast(int threads) {
    return Transformer(load_weights(Folder::at(kFolder)), std::nullopt, threads);
}

}  // namespace

TEST_CASE("every claim about the model holds, and says what was measured") {
    const std::vector<Claim> claims = check_model(load_weights(Folder::at(kFolder)), kIds);
    CHECK(claims.size() == 5);
    for (const Claim& claim : claims) {
        CAPTURE(claim.name);
        CHECK(claim.holds);
        CHECK(!claim.finding.empty());
    }
}

TEST_CASE("every promise about the numbers holds") {
    const auto claims = check_numbers(fast, load_weights(Folder::at(kFolder)), kIds, 2e-5);
    CHECK(claims.size() == 7);
    for (const Claim& claim : claims) {
        CAPTURE(claim.name);
        CAPTURE(claim.finding);
        CHECK(claim.holds);
    }
}

TEST_CASE("a fast path of other weights is found out") {
    Weights other = load_weights(Folder::at(kFolder));
    for (float& g : other.ln_f.g.data) g *= 1.001f;
    const auto claims = check_numbers(fast, other, kIds, 2e-5);
    CHECK(claims[0].name == "two readings");
    CHECK(!claims[0].holds);
}

TEST_CASE("blocks that add nothing move nothing, where they should not either") {
    Weights silent = load_weights(Folder::at(kFolder));
    const std::vector<float> none(std::size_t(silent.config.n_inner * silent.config.n_embd));
    for (Block<StoredMatrix>& h : silent.h)
        for (Linear<StoredMatrix>* l : {&h.attn_c_proj, &h.mlp_c_proj}) {
            l->w = {NumberType::f32, reinterpret_cast<const std::byte*>(none.data()), l->w.rows,
                    l->w.cols};
        }
    for (const Claim& claim : check_model(silent, kIds)) {
        CAPTURE(claim.name);
        CAPTURE(claim.finding);
        CHECK(claim.holds);
        if (claim.name == "communication" || claim.name == "computation")
            CHECK(claim.finding.starts_with("moved 0 of "));
    }
}

TEST_CASE("a weight that is not a number makes claims fail, not pass") {
    Weights broken = load_weights(Folder::at(kFolder));
    broken.h[0].ln_1.g.data[0] = NAN;
    int failed = 0;
    for (const Claim& claim : check_model(broken, kIds)) failed += !claim.holds;
    CHECK(failed > 0);
}

TEST_CASE("one position is enough for every claim") {
    for (const Claim& claim : check_model(load_weights(Folder::at(kFolder)), {kIds.data(), 1})) {
        CAPTURE(claim.name);
        CHECK(claim.holds);
    }
}
