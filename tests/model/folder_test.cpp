#include "model/folder.h"
#include <doctest/doctest.h>
#include <cstdlib>
#include <filesystem>
#include "base/error.h"
#include "tests/model_folder.h"

namespace {

// Sets an environment variable for as long as it lives.
class Setting {
public:
    Setting(const char* name, const std::string& value) : name_(name) {
        if (const char* const old = std::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Setting() {
        if (old_)
            ::setenv(name_, old_->c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

// Works in that folder for as long as it lives.
class WorkingFolder {
public:
    explicit WorkingFolder(const std::string& path) { std::filesystem::current_path(path); }
    ~WorkingFolder() { std::filesystem::current_path(old_); }
    WorkingFolder(const WorkingFolder&) = delete;
    WorkingFolder& operator=(const WorkingFolder&) = delete;

private:
    std::filesystem::path old_ = std::filesystem::current_path();
};

// Puts a model into a Hugging Face cache under the name ORG/NAME as `folder` models--ORG--NAME.
void cache_model(const std::string& cache, const std::string& folder) {
    const std::string model = cache + "/" + folder, snapshot = model + "/snapshots/0123abc";
    std::filesystem::create_directories(model + "/refs");
    std::filesystem::create_directories(snapshot);
    write_text(model + "/refs/main", "0123abc");
    write_text(snapshot + "/config.json", "{}");
}

}  // namespace

TEST_CASE("a folder on disk has its files, and its weights are whole or in shards") {
    const ScratchFolder scratch;
    write_text(scratch.path("config.json"), "{}");
    write_text(scratch.path("model.safetensors.index.json"), "{}");
    const Folder folder = Folder::at(scratch.path());
    CHECK(folder.has("config.json"));
    CHECK_FALSE(folder.has("vocab.json"));
    CHECK_FALSE(folder.has(""));
    CHECK(folder.open("config.json").text() == "{}");
    CHECK(folder.open("config.json").name() == scratch.path("config.json"));
    CHECK_THROWS_WITH_AS(folder.open("vocab.json"),
                         (scratch.path("vocab.json") + ": no such file").c_str(), Error);
    CHECK(folder.weights_file() == "model.safetensors.index.json");
    write_text(scratch.path("model.safetensors"), "");
    CHECK(folder.weights_file() == "model.safetensors");
}

TEST_CASE("a .safetensors file is a folder in which it is the weights") {
    const ScratchFolder scratch;
    write_text(scratch.path("config.json"), "{}");
    write_text(scratch.path("model.safetensors"), "");
    write_text(scratch.path("half.safetensors"), "");
    const Folder folder = Folder::at(scratch.path("half.safetensors"));
    CHECK(folder.has("config.json"));
    CHECK(folder.weights_file() == "half.safetensors");
    const WorkingFolder here(scratch.path());
    CHECK(Folder::at("half.safetensors").open("config.json").text() == "{}");
}

TEST_CASE("a folder inside the program has the files it was given") {
    std::vector<File> files;
    files.push_back(file_of("config.json", "{}"));
    files.push_back(file_of("model.safetensors", "weights"));
    const Folder folder("built-in", std::move(files));
    CHECK(folder.name() == "built-in");
    CHECK(folder.has("config.json"));
    CHECK_FALSE(folder.has("vocab.json"));
    CHECK(folder.weights_file() == "model.safetensors");
    CHECK(folder.open("model.safetensors").text() == "weights");
    CHECK_THROWS_WITH_AS(folder.open("vocab.json"), "built-in/vocab.json: no such file", Error);
}

TEST_CASE("another program's checkpoint is refused with its format and the way to convert it") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("ckpt.pt");
    for (const auto& [bytes, format] : std::initializer_list<std::pair<const char*, const char*>>{
             {"GGUF\3", "a GGUF file"},
             {"PK\3\4zip", "a PyTorch archive"},
             {"\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\2", "a PyTorch file"},
             {"\xc6\xd7\x34\x01\3", "an llm.c checkpoint"}}) {
        write_text(path, bytes);
        const std::string message = path + ": " + format + "; `build/convert " + path +
                                    " OUT` makes a folder of it that can be read";
        CHECK_THROWS_WITH_AS(Folder::at(path), message.c_str(), Error);
        CHECK_THROWS_WITH_AS(Folder::at(scratch.path("")).weights_file(), message.c_str(), Error);
    }
    write_text(path, "text");
    CHECK_THROWS_WITH_AS(Folder::at(path),
                         (path + ": neither a folder nor a .safetensors file").c_str(), Error);
}

TEST_CASE("a folder without weights is refused, PyTorch's shards with the way to convert them") {
    const ScratchFolder scratch;
    CHECK_THROWS_WITH_AS(
        Folder::at(scratch.path()).weights_file(),
        (scratch.path() + ": no model.safetensors or model.safetensors.index.json in it").c_str(),
        Error);
    write_text(scratch.path("pytorch_model.bin.index.json"), "{}");
    CHECK_THROWS_WITH_AS(Folder::at(scratch.path()).weights_file(),
                         cat(scratch.path(), ": shards of PyTorch; `build/convert ", scratch.path(),
                             " OUT` makes a folder of them that can be read")
                             .c_str(),
                         Error);
}

TEST_CASE("a name is looked for as a path, in weights, and in the Hugging Face cache") {
    const ScratchFolder scratch;
    const WorkingFolder here(scratch.path());
    const Setting home("HOME", scratch.path("home"));
    const Setting xdg("XDG_CACHE_HOME", scratch.path("xdg"));
    const Setting hf_home("HF_HOME", scratch.path("hf"));
    const Setting cache("HF_HUB_CACHE", scratch.path("cache"));

    const std::string looked = "no model 'o/m': looked for o/m, weights/o/m, " +
                               scratch.path("cache/models--o--m/refs/main") + ", " +
                               scratch.path("hf/hub/models--o--m/refs/main") + ", " +
                               scratch.path("xdg/huggingface/hub/models--o--m/refs/main") + ", " +
                               scratch.path("home/.cache/huggingface/hub/models--o--m/refs/main");
    CHECK_THROWS_WITH_AS(find_model("o/m"), looked.c_str(), Error);

    const std::string end = "models--o--m/snapshots/0123abc";
    cache_model(scratch.path("home/.cache/huggingface/hub"), "models--o--m");
    CHECK(find_model("o/m").name() == scratch.path("home/.cache/huggingface/hub/" + end));
    cache_model(scratch.path("xdg/huggingface/hub"), "models--o--m");
    CHECK(find_model("o/m").name() == scratch.path("xdg/huggingface/hub/" + end));
    cache_model(scratch.path("hf/hub"), "models--o--m");
    CHECK(find_model("o/m").name() == scratch.path("hf/hub/" + end));
    cache_model(scratch.path("cache"), "models--o--m");
    CHECK(find_model("o/m").name() == scratch.path("cache/" + end));
    std::filesystem::create_directories("weights/o/m");
    CHECK(find_model("o/m").name() == "weights/o/m");
    std::filesystem::create_directories("o/m");
    CHECK(find_model("o/m").name() == "o/m");
}

TEST_CASE("what is plainly a path is looked for nowhere else") {
    const ScratchFolder scratch;
    const std::string absolute = scratch.path("x");
    CHECK_THROWS_WITH_AS(find_model(absolute),
                         ("no model '" + absolute + "': looked for " + absolute).c_str(), Error);
    CHECK_THROWS_WITH_AS(find_model("./x"), "no model './x': looked for ./x", Error);
    CHECK_THROWS_WITH_AS(find_model("/dev/null"), "/dev/null: not a regular file", Error);
    CHECK_THROWS_AS(find_model(""), Error);
    CHECK_THROWS_AS(find_model(std::string(100000, 'x')), Error);
}

TEST_CASE("a file that is there but cannot be read is not passed over") {
    const ScratchFolder scratch;
    std::filesystem::create_symlink("gone", scratch.path("tokenizer.json"));
    std::filesystem::create_directory(scratch.path("vocab.json"));
    const Folder folder = Folder::at(scratch.path());
    CHECK(folder.has("tokenizer.json"));
    CHECK_THROWS_WITH_AS(folder.open("tokenizer.json"),
                         (scratch.path("tokenizer.json") + ": no such file").c_str(), Error);
    CHECK_THROWS_WITH_AS(folder.open("vocab.json"),
                         (scratch.path("vocab.json") + ": not a regular file").c_str(), Error);
    CHECK(!folder.has("merges.txt"));
}
