#include "model/packing.h"
#include <doctest/doctest.h>
#include "kernels/reference.h"
#include "tests/checkpoints.h"

namespace {

Weights load(const std::string& folder) { return load_weights(Folder::at(folder)); }

// Each column c of the packed matrix is w[:,c].
bool is_packed(const PackedMatrix& packed, const Tensor& w) {
    if (packed.in() != w.shape[0] || packed.out() != w.shape[1]) return false;
    std::vector<float> column(std::size_t(packed.in()));
    for (int c = 0; c < packed.out(); ++c) {
        packed.column(c, column.data());
        for (int r = 0; r < packed.in(); ++r)
            if (column[std::size_t(r)] != w.at(r, c)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("every matrix is packed as it was, whatever the threads, beside its bias and norms") {
    for (const std::string& folder : checkpoint_folders())
        for (const int threads : {1, 2, 3}) {
            CAPTURE(folder);
            const Weights weights = load(folder);
            const PackedWeights packed = pack_weights(load(folder), std::nullopt, threads);
            CHECK(is_packed(packed.wte, reference::transpose(widen(weights.wte))));
            CHECK(packed.lm_head.has_value() == !weights.tied());
            if (packed.lm_head)
                CHECK(is_packed(*packed.lm_head, reference::transpose(widen(weights.lm_head))));
            REQUIRE(packed.h.size() == weights.h.size());
            for (std::size_t l = 0; l < packed.h.size(); ++l) {
                for_each_linear(
                    [](const Linear<PackedMatrix>& to, const Linear<StoredMatrix>& from) {
                        CHECK(is_packed(to.w, widen(from.w)));
                        CHECK(to.b.data == from.b.data);
                    },
                    packed.h[l], weights.h[l]);
                CHECK(packed.h[l].ln_1.g.data == weights.h[l].ln_1.g.data);
                CHECK(packed.h[l].ln_2.b.data == weights.h[l].ln_2.b.data);
            }
        }
}

TEST_CASE("with 4 bits the embeddings and the head have 8") {
    const std::string folder = "tests/fixtures/odd-sizes";
    const PackedWeights packed = pack_weights(load(folder), PackedType::q4, 1);
    CHECK(packed.wte.type() == PackedType::q8);
    CHECK(packed.h[0].c_attn.w.type() == PackedType::q4);
}

TEST_CASE("what packing will take is known without it") {
    for (const std::string& folder : checkpoint_folders())
        for (const auto type : {std::optional<PackedType>(), std::optional(PackedType::f32),
                                std::optional(PackedType::q8), std::optional(PackedType::q4)}) {
            CAPTURE(folder);
            const PackedWeights packed = pack_weights(load(folder), type, 1);
            std::size_t bytes = packed.wte.bytes();
            if (packed.lm_head) bytes += packed.lm_head->bytes();
            for (const auto& h : packed.h)
                for_each_linear([&](const auto& linear) { bytes += linear.w.bytes(); }, h);
            CHECK(packed_bytes(load(folder), type) == bytes);
        }
}
