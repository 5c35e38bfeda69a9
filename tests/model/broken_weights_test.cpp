// Model folders that cannot be right: each is refused, naming what is wrong.
#include <doctest/doctest.h>
#include <filesystem>
#include "base/error.h"
#include "model/folder.h"
#include "model/tokenizer_files.h"
#include "model/weights.h"
#include "tests/model_folder.h"

TEST_CASE("a tensor that is missing is named") {
    const ModelFolder m;
    write_text(m.scratch.path("config.json"), m.config);
    write_text(m.scratch.path("model.safetensors"),
               raw_safetensors(R"({"__metadata__":{"format":"pt"}})"));
    CHECK_THROWS_WITH_AS(load_weights(Folder::at(m.scratch.path())),
                         (m.scratch.path("model.safetensors") + ": no tensor wte.weight").c_str(),
                         Error);
    for (const char* name : {"wpe.weight", "h.0.ln_1.weight", "h.1.mlp.c_proj.weight",
                             "h.1.attn.c_attn.weight", "ln_f.weight"}) {
        ModelFolder without;
        without.remove(name);
        CHECK(without.error() == cat("model.safetensors: no tensor ", name));
    }
}

TEST_CASE("more layers in the config than in the files allocate nothing") {
    ModelFolder m;
    m.replace_in_config("\"n_layer\":2", "\"n_layer\":2147483647");
    CHECK(m.error() == "model.safetensors: no tensor h.2.ln_1.weight");
}

TEST_CASE("sizes on which config and tensors disagree are refused with both numbers") {
    for (const auto& [text, by, message] :
         std::initializer_list<std::tuple<const char*, const char*, const char*>>{
             {"\"n_inner\":32", "\"n_inner\":31",
              "h.0.mlp.c_fc.weight: expected [n_embd,n_inner] = [8,31], found [8,32]"},
             {"\"n_positions\":16", "\"n_positions\":1024",
              "wpe.weight: expected [n_positions,n_embd] = [1024,8], found [16,8]"},
             {"\"n_positions\":16", "\"n_ctx\":17",
              "wpe.weight: expected [n_positions,n_embd] = [17,8], found [16,8]"},
             {"\"vocab_size\":21", "\"vocab_size\":50257",
              "wte.weight: expected [vocab_size,n_embd] = [50257,8], found [21,8]"},
             {"\"n_embd\":8", "\"n_embd\":10",
              "wte.weight: expected [vocab_size,n_embd] = [21,10], found [21,8]"},
             {",\"vocab_size\":21", ",\"n_embd\":10",
              "key \"n_embd\" is given twice in the object that ends here"},
             {"\"n_embd\":8,\"n_inner\":32,\"n_positions\":16,\"vocab_size\":21", "\"n_embd\":10",
              "wte.weight: expected [vocab_size,n_embd] = [any,10], found [21,8]"}}) {
        ModelFolder m;
        m.replace_in_config(text, by);
        CHECK(m.error().ends_with(message));
    }
    ModelFolder narrow({.n_inner = 12});
    narrow.replace_in_config("\"n_inner\":12", "\"n_inner\":null");
    CHECK(narrow.error() ==
          "model.safetensors: h.0.mlp.c_fc.weight: expected [n_embd,n_inner] = "
          "[8,32], found [8,12]");
}

TEST_CASE("a tensor of the wrong shape is refused, and a turned projection recognised") {
    const auto error_with_shape = [](const char* name, std::vector<std::int64_t> shape) {
        ModelFolder m;
        m.named(name) = random_tensor(m.model, name, std::move(shape));
        return m.error();
    };
    CHECK(error_with_shape("h.1.attn.c_attn.weight", {24, 8}) ==
          "model.safetensors: h.1.attn.c_attn.weight: expected [n_embd,3 n_embd] = [8,24], found "
          "[24,8], turned round: GPT-2 stores projections as [in,out]");
    CHECK(error_with_shape("h.0.ln_1.weight", {1, 8}) ==
          "model.safetensors: h.0.ln_1.weight: expected [n_embd] = [8], found [1,8]");
    CHECK(error_with_shape("h.0.ln_1.weight", {}) ==
          "model.safetensors: h.0.ln_1.weight: expected [n_embd] = [8], found []");
    CHECK(error_with_shape("wte.weight", {168}) ==
          "model.safetensors: wte.weight: expected [vocab_size,n_embd] = [21,8], found [168]");
    CHECK(error_with_shape("h.0.attn.c_attn.bias", {8}) ==
          "model.safetensors: h.0.attn.c_attn.bias: expected [3 n_embd] = [24], found [8]");
}

TEST_CASE("a head of another size than the embedding is refused with both numbers") {
    ModelFolder m({.head = true});
    m.named("lm_head.weight") = random_tensor(m.model, "lm_head.weight", {22, 8});
    CHECK(m.error() ==
          "model.safetensors: lm_head.weight: expected [vocab_size,n_embd] = [21,8], "
          "found [22,8]");
}

TEST_CASE("a tensor with no rows is refused where the config is silent") {
    ModelFolder m;
    m.replace_in_config(",\"vocab_size\":21", "");
    m.named("wte.weight") = random_tensor(m.model, "wte.weight", {0, 8});
    CHECK(m.error() ==
          "model.safetensors: wte.weight: expected [vocab_size,n_embd] = [any,8], found "
          "[0,8]");
}

TEST_CASE("a tensor that is there twice, by prefix or in two shards, is refused") {
    ModelFolder m;
    m.add("transformer.ln_f.gamma", {8});
    CHECK(m.error().find(
              R"("transformer.ln_f.gamma" is "ln_f.weight", and so is "ln_f.weight" in )") !=
          std::string::npos);
    const ModelFolder shards;
    write_shards(shards, 2);
    write_safetensors(shards.scratch.path("model-1.safetensors"), shards.tensors);
    CHECK_THROWS_WITH_AS(
        load_weights(Folder::at(shards.scratch.path())),
        (shards.scratch.path("model-1.safetensors") + ": \"h.0.attn.c_attn.weight\" is also in " +
         shards.scratch.path("model-0.safetensors"))
            .c_str(),
        Error);
}

TEST_CASE("a shard that is missing is named before any is read") {
    const ModelFolder m;
    write_shards(m, 3);
    std::filesystem::remove(m.scratch.path("model-2.safetensors"));
    write_text(m.scratch.path("model-0.safetensors"), "no safetensors either");
    CHECK_THROWS_WITH_AS(load_weights(Folder::at(m.scratch.path())),
                         (m.scratch.path("model.safetensors.index.json") +
                          ": the shard \"model-2.safetensors\" is not there")
                             .c_str(),
                         Error);
}

TEST_CASE("what may be missing is refused where the index names it") {
    for (const std::string name : {"h.0.attn.c_attn.bias", "lm_head.weight"}) {
        CAPTURE(name);
        ModelFolder m;
        std::erase_if(m.tensors, [&](const TensorSource& t) { return t.name == name; });
        write_shards(m, 2);
        CHECK_NOTHROW(load_weights(Folder::at(m.scratch.path())));
        const std::string index = m.scratch.path("model.safetensors.index.json");
        std::string text(File::open(index).text());
        text.insert(text.find(":{\"wte") + 2,
                    "\"transformer." + name + "\":\"model-0.safetensors\",");
        write_text(index, text);
        CHECK_THROWS_WITH_AS(
            load_weights(Folder::at(m.scratch.path())),
            (m.scratch.path() + ": the index names " + name + ", which no shard holds").c_str(),
            Error);
    }
}

TEST_CASE("an index that is not what it should be is refused") {
    const ModelFolder m;
    const std::string path = m.scratch.path("model.safetensors.index.json");
    write_text(m.scratch.path("config.json"), m.config);
    for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
             {"[]", ": expected an object, found an array"},
             {"{}", ": no weight_map"},
             {R"({"weight_map":[]})", ": weight_map: expected an object, found an array"},
             {R"({"weight_map":{"wte.weight":1}})",
              ": weight_map: expected a string, found a number"},
             {R"({"weight_map":{"wte.weight":"../x.safetensors"}})",
              ": the shard \"../x.safetensors\" is not the name of a file in the same folder"},
             {R"({"weight_map":{"wte.weight":"/etc/passwd"}})",
              ": the shard \"/etc/passwd\" is not the name of a file in the same folder"},
             {R"({"weight_map":{"wte.weight":".."}})", ": the shard \"..\" is not there"},
             {R"({"weight_map":{"wte.weight":""}})", ": the shard \"\" is not there"}}) {
        write_text(path, text);
        CHECK_THROWS_WITH_AS(load_weights(Folder::at(m.scratch.path())), (path + message).c_str(),
                             Error);
    }
}

TEST_CASE("a cut file and a Git LFS pointer are refused by the name of the file") {
    const ModelFolder m;
    m.load();
    const std::string path = m.scratch.path("model.safetensors");
    const std::string whole(File::open(path).text());
    for (const std::size_t bytes :
         {std::size_t(0), std::size_t(7), std::size_t(8), whole.size() / 2, whole.size() - 1}) {
        write_text(path, whole.substr(0, bytes));
        try {
            load_weights(Folder::at(m.scratch.path()));
            FAIL("read a file cut to ", bytes, " bytes");
        } catch (const Error& e) {
            CHECK(std::string(e.what()).starts_with(path + ": cut off"));
        }
    }
}

TEST_CASE("a Git LFS pointer in place of any file of a model is refused as one") {
    for (const char* file :
         {"model.safetensors", "config.json", "vocab.json", "merges.txt", "tokenizer.json"}) {
        const ModelFolder m;
        write_text(m.scratch.path("merges.txt"), "");
        write_text(m.scratch.path("vocab.json"), "{}");
        const std::string path = m.scratch.path(file);
        m.load();
        write_text(path, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
        const auto load = [folder = Folder::at(m.scratch.path())] {
            load_weights(folder);
            load_tokenizer(folder);
        };
        CHECK_THROWS_WITH_AS(load(),
                             (path + ": a Git LFS pointer, not the file it stands for; `git lfs "
                                     "pull` in its repository fetches that")
                                 .c_str(),
                             Error);
    }
}

TEST_CASE("mutated models are read or refused, and never anything else") {
    const TinyModel tiny = {
        .n_layer = 1, .n_head = 1, .n_embd = 2, .n_inner = 3, .n_positions = 2, .vocab_size = 3};
    const ScratchFolder scratch;
    write_table_model(scratch.path(), tiny);
    const std::string texts[] = {std::string(File::open(scratch.path("config.json")).text()),
                                 std::string(File::open(scratch.path("model.safetensors")).text())};
    constexpr std::string_view kBytes = "0123456789-.e{}[]\",: abchlnptwF\xff";
    Random random(1);
    int loaded = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string changed[] = {texts[0], texts[1]};
        std::string& text = changed[round % 2];
        for (auto changes = 1 + random.next() % 3; changes > 0; --changes)
            text[random.next() % text.size()] = kBytes[random.next() % kBytes.size()];
        std::vector<File> files;
        files.push_back(file_of("config.json", changed[0]));
        files.push_back(file_of("model.safetensors", changed[1]));
        try {
            load_weights(Folder("f", std::move(files)));
            ++loaded;
        } catch (const Error&) {}
    }
    CHECK(loaded > 50);
    CHECK(loaded < 2000);
}
