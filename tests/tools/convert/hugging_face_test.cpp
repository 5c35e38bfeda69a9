#include "tools/convert/hugging_face.h"
#include "tests/tools/convert/foreign.h"
#include "tests/tools/convert/round_trip.h"

namespace {

std::string text_of(const std::string& path) { return std::string(File::open(path).text()); }

}  // namespace

TEST_CASE("shards become one file, and the other files go along as they are") {
    const ModelFolder m({.head = true});
    write_shards(m, 3);
    write_text(m.scratch.path("vocab.json"), "not changed");
    const Folder out = convert_to(m.scratch.path(), m.scratch.path("out"));
    CHECK(out.has("model.safetensors"));
    CHECK_FALSE(out.has("model.safetensors.index.json"));
    CHECK(text_of(m.scratch.path("out/config.json")) == m.config);
    CHECK(text_of(m.scratch.path("out/vocab.json")) == "not changed");
    CHECK(logits_of(load_weights(out)).data ==
          logits_of(load_weights(Folder::at(m.scratch.path()))).data);
}

TEST_CASE("the number type changes where asked, and only then") {
    const ModelFolder m;
    m.load();
    for (const auto type : {NumberType::f32, NumberType::f16, NumberType::bf16}) {
        const std::string to = m.scratch.path(name_of(type)), back = to + "-back";
        const Weights weights = load_weights(convert_to(m.scratch.path(), to, type));
        CHECK(weights.h[0].c_attn.w.type == type);
        CHECK(logits_of(load_weights(convert_to(to, back))).data == logits_of(weights).data);
        CHECK(text_of(back + "/model.safetensors") == text_of(to + "/model.safetensors"));
    }
}

TEST_CASE("a number that a type would make infinite is refused by name") {
    for (const auto& [value, type, text] :
         {std::tuple(7e4f, NumberType::f16, "70000, which f16 cannot"),
          std::tuple(3.4e38f, NumberType::bf16, "3.4e+38, which bf16 cannot")}) {
        ModelFolder m;
        m.named("ln_f.weight").values = [value = value] { return std::vector<float>(8, value); };
        m.load();
        const std::string out = m.scratch.path("out");
        CHECK_THROWS_WITH_AS(
            convert_to(m.scratch.path(), out, type),
            cat(m.scratch.path(), ": transformer.ln_f.weight: holds ", text).c_str(), Error);
        CHECK_FALSE(std::filesystem::exists(out));
        CHECK_FALSE(std::filesystem::exists(out + ".part"));
    }
}

TEST_CASE("pytorch_model.bin is read, in one file or in shards") {
    const TinyModel tiny{.type = NumberType::f16};
    const auto tensors = tiny_tensors(tiny);
    const auto archive = [](const std::vector<TensorSource>& part) {
        const auto [value, storages] = foreign::state_dict(part, "transformer.");
        return foreign::torch_archive(value, storages, {.zip64 = true});
    };
    ScratchFolder scratch;
    write_text(scratch.path("config.json"), tiny_config(tiny));
    write_text(scratch.path("pytorch_model.bin"), archive(tensors));
    const Tensor expected = logits_of(tiny);
    CHECK(logits_of(load_weights(convert_to(scratch.path(), scratch.path("a")))).data ==
          expected.data);
    CHECK(logits_of(load_weights(convert_to(scratch.path("pytorch_model.bin"), scratch.path("b"))))
              .data == expected.data);

    const auto middle = tensors.begin() + 5;
    write_text(scratch.path("p1.bin"), archive({tensors.begin(), middle}));
    write_text(scratch.path("p2.bin"), archive({middle, tensors.end()}));
    std::filesystem::remove(scratch.path("pytorch_model.bin"));
    const std::string index = scratch.path("pytorch_model.bin.index.json");
    const std::string map = R"({"weight_map":{"transformer.wte.weight":"p1.bin",)";
    write_text(index, map + R"("ln_f.weight":"p2.bin"}})");
    CHECK(logits_of(load_weights(convert_to(scratch.path(), scratch.path("c")))).data ==
          expected.data);
    write_text(index, map + R"("h.9.ln_1.bias":"p2.bin"}})");
    CHECK_THROWS_WITH_AS(
        convert_to(scratch.path(), scratch.path("d")),
        (scratch.path() + ": the index names h.9.ln_1.bias, which no shard holds").c_str(), Error);
}

TEST_CASE("what a folder lacks, or has twice, is named") {
    ScratchFolder scratch;
    CHECK(conversion_error(scratch, scratch.path()) ==
          ": holds none of model.safetensors, model.safetensors.index.json, pytorch_model.bin, "
          "pytorch_model.bin.index.json");
    const auto [value, storages] = foreign::state_dict(tiny_tensors({}));
    write_text(scratch.path("x.bin"), foreign::torch_archive(value, storages));
    CHECK(conversion_error(scratch, scratch.path("x.bin")) == "config.json: no such file");
    write_text(scratch.path("config.json"), tiny_config({}));
    write_text(scratch.path("x.bin"), foreign::torch_archive("N", {}));
    CHECK(conversion_error(scratch, scratch.path("x.bin")) ==
          "x.bin: its pickle is no dict of tensors");
    ModelFolder m;
    m.add("transformer.wte.weight", {21, 8});
    write_shards(m, 1);
    CHECK(conversion_error(m.scratch, m.scratch.path()) ==
          "model-0.safetensors: wte.weight is there twice, as transformer.wte.weight and as "
          "wte.weight");
    for (const char* name : {"p0.bin", "p1.bin"})
        write_text(scratch.path(name), foreign::torch_archive(value, storages));
    write_text(scratch.path("pytorch_model.bin.index.json"),
               R"({"weight_map":{"wte.weight":"p0.bin","wpe.weight":"p1.bin"}})");
    CHECK(conversion_error(scratch, scratch.path()) ==
          "p1.bin: wte.weight is there twice, as wte.weight in p0.bin and as wte.weight");
}

TEST_CASE("masks are left out, whatever their type, and heads of other tasks with a note") {
    ModelFolder m;
    m.add("h.0.attn.bias", {1, 1, 16, 16});
    m.add("h.1.attn.masked_bias", {1});
    m.add("score.weight", {2, 8});
    m.load();
    convert::Checkpoint checkpoint = convert::read_checkpoint(m.scratch.path());
    convert::write_folder(m.scratch.path("out"), checkpoint, {});
    CHECK(checkpoint.notes.back() == "left out, as no part of GPT-2: the tensor score.weight");
    CHECK(checkpoint.notes.size() == 2);  // and no tokenizer
    m.add("transformer.a.gamma", {8});
    m.load();
    checkpoint = convert::read_checkpoint(m.scratch.path());
    convert::gpt2_tensors(checkpoint, {});
    CHECK(checkpoint.notes.back() ==
          "left out, as no part of GPT-2: the tensor transformer.a.gamma and 1 more");
    m.add("transformer.h.0.attn.beta", {8});
    m.remove("h.0.attn.bias");
    m.load();
    CHECK(conversion_error(m.scratch, m.scratch.path()) ==
          ": transformer.h.0.attn.beta is no part of a GPT-2 whose n_layer is 2");
}

TEST_CASE("folders from elsewhere give the expected logits after conversion") {
    for (const char* name : {"golden/sharded", "golden/bf16", "golden/untied-head", "golden/blocks",
                             "golden/inverse-layer-scale", "real/shakespeare-char"})
        check_against_shared(name, name);
}
