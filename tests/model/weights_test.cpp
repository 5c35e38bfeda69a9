#include "model/weights.h"
#include <doctest/doctest.h>
#include <filesystem>
#include "base/error.h"
#include "formats/safetensors.h"
#include "model/folder.h"
#include "tests/model_folder.h"

namespace {

std::vector<float> floats_of(const StoredMatrix& m) { return widen(m).data; }

// Every number of the model, one after the other.
std::vector<float> all_numbers(const Weights& w) {
    std::vector<float> all;
    const auto add = [&](const std::vector<float>& some) {
        all.insert(all.end(), some.begin(), some.end());
    };
    const auto add_norm = [&](const Norm& n) {
        add(n.g.data);
        add(n.b.data);
    };
    const auto add_linear = [&](const Linear<StoredMatrix>& l) {
        add(floats_of(l.w));
        add(l.b.data);
    };
    add(floats_of(w.wte));
    add(floats_of(w.wpe));
    for (const auto& h : w.h) {
        add_norm(h.ln_1);
        add_linear(h.c_attn);
        add_linear(h.attn_c_proj);
        add_norm(h.ln_2);
        add_linear(h.c_fc);
        add_linear(h.mlp_c_proj);
    }
    add_norm(w.ln_f);
    add(floats_of(w.lm_head));
    return all;
}

}  // namespace

TEST_CASE("every tensor is found under its name, with its shape and its numbers") {
    ModelFolder m;
    const Weights w = m.load();
    CHECK(w.warnings.empty());
    CHECK(w.h.size() == 2);
    CHECK(floats_of(w.wte) == m.named("wte.weight").values());
    CHECK(floats_of(w.wpe) == m.named("wpe.weight").values());
    CHECK(w.ln_f.g.data == m.named("ln_f.weight").values());
    CHECK(w.ln_f.b.data == m.named("ln_f.bias").values());
    CHECK(w.ln_f.b.shape == Shape{8});
    const auto& h = w.h[1];
    CHECK(h.ln_1.g.data == m.named("h.1.ln_1.weight").values());
    CHECK(h.ln_2.b.data == m.named("h.1.ln_2.bias").values());
    for (const auto& [linear, name, in, out] :
         {std::tuple(&h.c_attn, "h.1.attn.c_attn", 8, 24),
          std::tuple(&h.attn_c_proj, "h.1.attn.c_proj", 8, 8),
          std::tuple(&h.c_fc, "h.1.mlp.c_fc", 8, 32),
          std::tuple(&h.mlp_c_proj, "h.1.mlp.c_proj", 32, 8)}) {
        CHECK(linear->w.rows == in);
        CHECK(linear->w.cols == out);
        CHECK(floats_of(linear->w) == m.named(cat(name, ".weight")).values());
        CHECK(linear->b.shape == Shape{out});
        CHECK(linear->b.data == m.named(cat(name, ".bias")).values());
    }
}

TEST_CASE("names with and without the prefix, in one file or in shards, are the same model") {
    const auto plain = all_numbers(ModelFolder().load());
    ModelFolder prefixed({.prefix = "transformer."});
    CHECK(all_numbers(prefixed.load()) == plain);
    ModelFolder renamed({.prefix = "module."});
    for (TensorSource& tensor : renamed.tensors)
        for (const auto& [now, old] : {std::pair(".weight", ".gamma"), std::pair(".bias", ".beta")})
            if (const auto at = tensor.name.find(now);
                at != tensor.name.npos && tensor.name.find("ln_") != tensor.name.npos)
                tensor.name.replace(at, tensor.name.npos, old);
    CHECK(renamed.named("module.ln_f.gamma").shape.size() == 1);
    CHECK(all_numbers(renamed.load()) == plain);
    for (const std::size_t shards : {1u, 3u, 28u}) {
        const ModelFolder sharded;
        write_shards(sharded, shards);
        const Weights w = load_weights(Folder::at(sharded.scratch.path()));
        CHECK(all_numbers(w) == plain);
        CHECK(w.files.size() == shards);
    }
}

TEST_CASE("a single file beside its config, and files inside the program, are the same model") {
    const ModelFolder m;
    const auto plain = all_numbers(m.load());
    std::filesystem::rename(m.scratch.path("model.safetensors"), m.scratch.path("x.safetensors"));
    CHECK(all_numbers(load_weights(Folder::at(m.scratch.path("x.safetensors")))) == plain);
    const File weights = File::open(m.scratch.path("x.safetensors"));
    std::vector<File> files;
    files.push_back(File::view("model.safetensors", weights.bytes()));
    files.push_back(file_of("config.json", m.config));
    CHECK(all_numbers(load_weights(Folder("built-in", std::move(files)))) == plain);
}

TEST_CASE("16-bit weights widen exactly, and types may be mixed") {
    for (const auto type : {NumberType::f16, NumberType::bf16}) {
        const ModelFolder m({.type = type});
        const Weights w = m.load();
        CHECK(w.wte.type == type);
        const auto given = m.tensors[0].values(), found = floats_of(w.wte);
        for (std::size_t i = 0; i < given.size(); ++i)
            CHECK(found[i] == (type == NumberType::f16 ? f16_to_float(float_to_f16(given[i]))
                                                       : bf16_to_float(float_to_bf16(given[i]))));
    }
    ModelFolder mixed;
    mixed.named("wte.weight").type = NumberType::bf16;
    mixed.named("h.0.ln_1.weight").type = NumberType::f16;
    const Weights w = mixed.load();
    CHECK(w.wte.type == NumberType::bf16);
    CHECK(w.wpe.type == NumberType::f32);
}

TEST_CASE("weights of odd sizes, which leave numbers unaligned, are read") {
    ModelFolder m({.n_head = 3, .n_embd = 9, .n_inner = 7, .n_positions = 5, .vocab_size = 11});
    m.tensors.insert(m.tensors.begin(), random_tensor({.type = NumberType::f16}, "odd", {1}));
    const Weights w = m.load();
    CHECK(floats_of(w.wte) == m.named("wte.weight").values());
    CHECK(floats_of(w.h[1].mlp_c_proj.w) == m.named("h.1.mlp.c_proj.weight").values());
}

TEST_CASE("a head that the files do not have is the embedding") {
    CHECK(ModelFolder().load().tied());
    const Weights w = ModelFolder({.more_config = R"(,"tie_word_embeddings":false)"}).load();
    CHECK(w.tied());
    CHECK(w.warnings == std::vector<std::string>{"tie_word_embeddings is false, but there is no "
                                                 "lm_head.weight: wte is used"});
}

TEST_CASE("a head that the files have is used, with a warning where config.json says otherwise") {
    ModelFolder untied({.more_config = R"(,"tie_word_embeddings":false)", .head = true});
    Weights w = untied.load();
    CHECK_FALSE(w.tied());
    CHECK(w.warnings.empty());
    CHECK(floats_of(w.lm_head) == untied.named("lm_head.weight").values());

    ModelFolder tied({.head = true});
    w = tied.load();
    CHECK_FALSE(w.tied());
    CHECK(w.warnings == std::vector<std::string>{"tie_word_embeddings is true, but lm_head.weight "
                                                 "differs from wte: it is used"});

    tied.named("lm_head.weight").values = tied.named("wte.weight").values;
    w = tied.load();
    CHECK(w.tied());  // the same numbers: no need to hold them twice
    CHECK(w.warnings.empty());
}

TEST_CASE("masks that some programs store are ignored, whatever their type") {
    const auto plain = all_numbers(ModelFolder().load());
    ModelFolder m;
    m.add("h.0.attn.bias", {1, 1, 16, 16});
    m.add("h.1.attn.masked_bias", {});
    const Weights w = m.load();
    CHECK(w.warnings.empty());
    CHECK(all_numbers(w) == plain);
}

TEST_CASE("a tensor that nothing reads may be of any type, and is warned of") {
    const std::string file =
        raw_safetensors(R"({"wte.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},)"
                        R"("wpe.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]},)"
                        R"("h.0.ln_1.weight":{"dtype":"F8_X","shape":[1],"data_offsets":[8,9]}})",
                        "123456789");
    const ModelFolder m;
    write_text(m.scratch.path("config.json"), R"({"n_layer":1,"n_head":1,"n_embd":1})");
    write_text(m.scratch.path("model.safetensors"), file);
    CHECK_THROWS_WITH_AS(load_weights(Folder::at(m.scratch.path())),
                         (m.scratch.path("model.safetensors") +
                          ": h.0.ln_1.weight: expected F32, F16 or BF16, found \"F8_X\"")
                             .c_str(),
                         Error);
    ModelFolder more;
    more.add("h.2.ln_1.weight", {8});
    more.add("h.0.attn.bias", {1, 1, 16, 16});  // a mask, which that name alone makes it
    more.add("transformer.h.1.attn.beta", {8});
    CHECK(
        more.load().warnings ==
        std::vector<std::string>{R"(not used: the tensor "transformer.h.1.attn.beta" and 1 more)"});
    more.remove("h.2.ln_1.weight");
    CHECK(more.load().warnings ==
          std::vector<std::string>{R"(not used: the tensor "transformer.h.1.attn.beta")"});
}

TEST_CASE("a bias that is absent is zero, for each layer by itself") {
    ModelFolder m;
    for (const char* name : {"h.0.attn.c_attn.bias", "h.1.mlp.c_proj.bias", "ln_f.bias"})
        m.remove(name);
    const Weights w = m.load();
    CHECK(w.h[0].c_attn.b.data == std::vector<float>(24, 0));
    CHECK(w.h[1].c_attn.b.data == m.named("h.1.attn.c_attn.bias").values());
    CHECK(w.h[1].mlp_c_proj.b.data == std::vector<float>(8, 0));
    CHECK(w.ln_f.b.data == std::vector<float>(8, 0));
    CHECK(ModelFolder({.biases = false}).load().h[1].c_fc.b.data == std::vector<float>(32, 0));
}

TEST_CASE("sizes of which the config is silent are the tensors'") {
    ModelFolder m;
    m.replace_in_config(",\"n_positions\":16,\"vocab_size\":21", "");
    const Weights w = m.load();
    CHECK(w.config.n_positions == 16);
    CHECK(w.config.vocab_size == 21);
    ModelFolder old;
    old.replace_in_config("n_positions", "n_ctx");
    CHECK(old.load().config.n_positions == 16);
}

TEST_CASE("an end-of-text token outside the vocabulary is ignored, with a warning") {
    const Weights kept = ModelFolder({.more_config = R"(,"eos_token_id":20)"}).load();
    CHECK(kept.config.eos_token_ids == std::vector{20});
    const Weights w = ModelFolder({.more_config = R"(,"eos_token_id":50256)"}).load();
    CHECK(w.config.eos_token_ids.empty());
    CHECK(w.warnings ==
          std::vector<std::string>{"eos_token_id 50256 is outside the vocabulary of 21: ignored"});
    const Weights several =
        ModelFolder({.more_config = R"(,"eos_token_id":[21,20,99,3,21])"}).load();
    CHECK(several.config.eos_token_ids == std::vector<int>{20, 3});
    CHECK(several.warnings ==
          std::vector<std::string>{"eos_token_id 21 is outside the vocabulary of 21: ignored",
                                   "eos_token_id 99 is outside the vocabulary of 21: ignored"});
}

TEST_CASE("golden: every folder loads, without a warning, tied where no head is there") {
    const auto golden = shared("golden");
    if (!golden) return skip("golden folders: loading");
    for (const auto& entry : std::filesystem::directory_iterator(*golden)) {
        CAPTURE(entry.path().string());
        const Weights w = load_weights(Folder::at(entry.path().string()));
        CHECK(w.warnings.empty());
        CHECK(w.tied() == (entry.path().filename() != "untied-head"));
        const SafeTensors expected =
            SafeTensors::open(File::open((entry.path() / "expected.safetensors").string()));
        CHECK(expected.find("logits")->shape.back() == w.config.vocab_size);
    }
}
