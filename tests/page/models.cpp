// Makes the models that tests/page/run.sh shows: random weights, and vocabularies with all that is
// hard to print.
#include <cstdio>
#include <filesystem>
#include "formats/json.h"
#include "tests/model_folder.h"
#include "text/byte_characters.h"

namespace {

std::string make(const std::string& parent, const std::string& name, const TinyModel& model) {
    const std::string path = parent + "/" + name;
    std::filesystem::create_directories(path);
    write_table_model(path, model);
    return path;
}

// A token for every byte.
void make_bytes(const std::string& parent) {
    const std::string path = make(parent, "bytes",
                                  {.n_layer = 3,
                                   .n_head = 3,
                                   .n_embd = 24,
                                   .n_inner = 96,
                                   .n_positions = 128,
                                   .vocab_size = 256});
    std::string vocab;
    for (int byte = 0; byte < 256; ++byte)
        vocab += cat(byte ? "," : "{", json_quote(to_byte_characters(std::string(1, char(byte)))),
                     ":", byte);
    write_text(path + "/vocab.json", cat(vocab, "}"));
    write_text(path + "/merges.txt", "#version: 0.2\n");
}

// Tokens that are whole words, two of them markup.
void make_words(const std::string& parent) {
    const char* const words[] = {"<script>hacked=1</script>",
                                 "<img id=hostile src=x onerror=hacked=1>",
                                 "قرأت",
                                 " القطة",
                                 "🎈",
                                 "👩‍👩‍👧",
                                 " ",
                                 "\n",
                                 "'\"`&amp;\\"};
    const std::string path = make(parent, "words", {.vocab_size = int(std::size(words))});
    std::string vocab;
    for (int id = 0; id < int(std::size(words)); ++id)
        vocab += cat(id ? "," : "{", "\"", id, "\":", json_quote(words[id]));
    write_text(path + "/vocab.json", cat(vocab, "}"));
}

}  // namespace

int main(int, char** argv) {
    const std::string folder = argv[1];
    make_bytes(folder);
    make_words(folder);
    make(folder, "bare", {});
    make(folder, "large",
         {.n_layer = 2,
          .n_head = 4,
          .n_embd = 32,
          .n_inner = 128,
          .n_positions = 512,
          .vocab_size = 600});
    make(folder, "deep",
         {.n_layer = 24,
          .n_head = 16,
          .n_embd = 64,
          .n_inner = 256,
          .n_positions = 128,
          .vocab_size = 2000});
    const std::string text =
        "A text that fills the whole context, to the last of its positions.\nIt has two lines, and "
        "the "
        "second is cut where the context ends, so that not one more fits.\n";
    write_text(folder + "/long.txt", text.substr(0, 128));
}
