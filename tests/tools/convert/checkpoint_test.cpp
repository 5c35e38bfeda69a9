#include "tools/convert/checkpoint.h"
#include "tests/tools/convert/round_trip.h"

using convert::Checkpoint;

namespace {

// The tiny model, its tensors as they are.
Checkpoint tiny(const TinyModel& m = {}) {
    ScratchFolder scratch;
    write_table_model(scratch.path(), m);
    Checkpoint checkpoint = convert::read_checkpoint(scratch.path());
    checkpoint.name = "tiny";
    return checkpoint;
}

std::string error_of(Checkpoint& checkpoint) {
    try {
        convert::gpt2_tensors(checkpoint, {});
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("tensors come in GPT-2's order, with every bias") {
    Checkpoint checkpoint = tiny({.n_layer = 1, .biases = false});
    const auto tensors = convert::gpt2_tensors(checkpoint, NumberType::bf16);
    std::vector<std::string> names;
    for (const TensorSource& tensor : tensors) {
        names.push_back(tensor.name);
        CHECK(tensor.type == NumberType::bf16);
    }
    REQUIRE(names.size() == 16);
    CHECK(names[0] == "transformer.wte.weight");
    CHECK(names[2] == "transformer.h.0.ln_1.weight");
    CHECK(names[3] == "transformer.h.0.ln_1.bias");
    CHECK(names[15] == "transformer.ln_f.bias");
    CHECK(tensors[15].values() == std::vector<float>(8));
}

TEST_CASE("projections as [out,in] are turned") {
    Checkpoint checkpoint = tiny(), turned = tiny();
    turned.out_by_in = true;
    for (auto& [name, tensor] : turned.tensors)
        if (tensor.shape.size() == 2 && name.starts_with("h."))
            std::swap(tensor.shape[0], tensor.shape[1]);
    const auto straight = convert::gpt2_tensors(checkpoint, {});
    const auto found = convert::gpt2_tensors(turned, {});
    const auto& x = straight[4];  // c_attn, whose numbers `turned` took for [24,8]
    REQUIRE(x.name == "transformer.h.0.attn.c_attn.weight");
    CHECK(found[4].shape == x.shape);
    const auto a = x.values(), b = found[4].values();
    for (std::size_t r = 0; r < 8; ++r)
        for (std::size_t c = 0; c < 24; ++c) CHECK(b[r * 24 + c] == a[c * 8 + r]);
}

TEST_CASE("a name that is not there, a shape or a type that is not right is refused") {
    Checkpoint checkpoint = tiny();
    checkpoint.tensors.erase("h.1.ln_2.weight");
    CHECK(error_of(checkpoint) == "tiny: has no h.1.ln_2.weight");
    checkpoint = tiny();
    checkpoint.tensors["wpe.weight"].shape = {8, 16};
    CHECK(error_of(checkpoint) == "tiny: wpe.weight: expected [16,8], found [8,16]");
    checkpoint = tiny();
    checkpoint.tensors["wpe.weight"].kept_as = std::nullopt;
    checkpoint.tensors["wpe.weight"].type = "I8";
    CHECK(error_of(checkpoint) ==
          "tiny: wpe.weight: expected float32, float16 or bfloat16, found I8");
    checkpoint = tiny();
    checkpoint.config.n_layer = 1;
    CHECK(error_of(checkpoint) ==
          "tiny: h.1.attn.c_attn.bias is no part of a GPT-2 whose n_layer is 1");
    checkpoint = tiny();
    checkpoint.config.vocab_size = checkpoint.config.n_positions = 0;
    CHECK(error_of(checkpoint) == "none");
}
