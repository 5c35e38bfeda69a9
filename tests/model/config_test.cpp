#include "model/config.h"
#include <doctest/doctest.h>
#include <cmath>
#include "base/error.h"
#include "tests/model_folder.h"

namespace {

Config config_of(std::string_view json) { return read_config(file_of("config.json", json)); }

// The least that a config says, and more members.
Config config_with(const std::string& more) {
    return config_of(R"({"n_layer":2,"n_head":4,"n_embd":32)" + more + "}");
}

}  // namespace

TEST_CASE("what a config does not say has GPT-2's value, and what only tensors know is 0") {
    const Config c = config_with("");
    CHECK(c.n_layer == 2);
    CHECK(c.n_head == 4);
    CHECK(c.n_embd == 32);
    CHECK(c.head_dim() == 8);
    CHECK(c.n_inner == 128);
    CHECK(c.n_positions == 0);
    CHECK(c.vocab_size == 0);
    CHECK(c.layer_norm_epsilon == 1e-5f);
    CHECK(c.activation == Activation::gelu_new);
    CHECK(c.tie_word_embeddings);
    CHECK(c.scale_attn_weights);
    CHECK_FALSE(c.scale_attn_by_inverse_layer_idx);
    CHECK(c.eos_token_ids.empty());
}

TEST_CASE("every member is read, and null is as good as absent") {
    const Config c = config_with(
        R"(,"model_type":"gpt2","n_inner":77,"n_positions":29,"n_ctx":5,"vocab_size":131,)"
        R"("layer_norm_epsilon":1e-6,"tie_word_embeddings":false,"scale_attn_weights":false,)"
        R"("scale_attn_by_inverse_layer_idx":true,"eos_token_id":130,"resid_pdrop":0.1)");
    CHECK(c.n_inner == 77);
    CHECK(c.n_positions == 29);
    CHECK(c.vocab_size == 131);
    CHECK(c.layer_norm_epsilon == 1e-6f);
    CHECK_FALSE(c.tie_word_embeddings);
    CHECK_FALSE(c.scale_attn_weights);
    CHECK(c.scale_attn_by_inverse_layer_idx);
    CHECK(c.eos_token_ids == std::vector{130});
    CHECK(config_with(R"(,"n_inner":null)").n_inner == 128);
    CHECK(config_with(R"(,"n_ctx":29)").n_positions == 29);
    CHECK(config_with(R"(,"eos_token_id":null)").eos_token_ids.empty());
}

TEST_CASE("the tokens that end a text are one or a list, each once; -1 is none") {
    using Ids = std::vector<int>;
    for (const auto& [ends, ids] : std::initializer_list<std::pair<const char*, Ids>>{
             {"null", {}},
             {"-1", {}},
             {"[]", {}},
             {"[-1]", {}},
             {"0", {0}},
             {"[7]", {7}},
             {"[7,8]", {7, 8}},
             {"[8,7,8,-1,7,2147483647]", {8, 7, 2147483647}}}) {
        const Config c = config_with(cat(",\"eos_token_id\":", ends));
        CHECK(c.eos_token_ids == ids);
    }
    CHECK(config_with("").eos_token_ids.empty());
}

TEST_CASE("six activations are known by name") {
    for (const auto& [name, activation] : std::initializer_list<std::pair<const char*, Activation>>{
             {"gelu_new", Activation::gelu_new},
             {"gelu", Activation::gelu},
             {"relu", Activation::relu},
             {"silu", Activation::silu},
             {"tanh", Activation::tanh},
             {"gelu_pytorch_tanh", Activation::gelu_pytorch_tanh}}) {
        CHECK(config_with(cat(",\"activation_function\":\"", name, "\"")).activation == activation);
        CHECK(std::string(name_of(activation)) == name);
    }
}

TEST_CASE("attention is scaled by the head's width, by the layer, by both or not at all") {
    Config c = config_with("");
    CHECK(c.attention_scale(3) == float(1 / std::sqrt(8.0)));
    c.scale_attn_by_inverse_layer_idx = true;
    CHECK(c.attention_scale(0) == float(1 / std::sqrt(8.0)));
    CHECK(c.attention_scale(3) == float(1 / std::sqrt(8.0) / 4));
    c.scale_attn_weights = false;
    CHECK(c.attention_scale(3) == 0.25f);
    c.scale_attn_by_inverse_layer_idx = false;
    CHECK(c.attention_scale(3) == 1);
}

TEST_CASE("a config that lacks what cannot be guessed is refused") {
    CHECK_THROWS_WITH_AS(config_of(R"({"n_head":4,"n_embd":32})"), "config.json: no n_layer",
                         Error);
    CHECK_THROWS_WITH_AS(config_of(R"({"n_layer":2,"n_embd":32})"), "config.json: no n_head",
                         Error);
    CHECK_THROWS_WITH_AS(config_of(R"({"n_layer":2,"n_head":4})"), "config.json: no n_embd", Error);
    CHECK_THROWS_WITH_AS(config_of(R"({"n_layer":null,"n_head":4,"n_embd":32})"),
                         "config.json: no n_layer", Error);
}

TEST_CASE("a config that says what cannot be is refused, naming the member and what it says") {
    for (const auto& [more, message] : std::initializer_list<std::pair<const char*, const char*>>{
             {R"(,"model_type":"llama")", "model_type: expected \"gpt2\", found \"llama\""},
             {R"(,"model_type":7)", "model_type: expected a string, found a number"},
             {R"(,"n_inner":0)", "n_inner: expected a whole number from 1 to 2147483647, found 0"},
             {R"(,"n_inner":-4)",
              "n_inner: expected a whole number from 1 to 2147483647, found -4"},
             {R"(,"n_positions":1.5)",
              "n_positions: expected a whole number from 1 to 2147483647, found 1.5"},
             {R"(,"vocab_size":2147483648)",
              "vocab_size: expected a whole number from 1 to 2147483647, found 2147483648"},
             {R"(,"n_positions":9223372036854775807)",
              "n_positions: expected a whole number from 1 to 2147483647, found "
              "9223372036854775807"},
             {R"(,"vocab_size":"65")", "vocab_size: expected a number, found a string"},
             {R"(,"layer_norm_epsilon":-1e-5)",
              "layer_norm_epsilon: expected a number from 0 to 1, found -1e-05"},
             {R"(,"layer_norm_epsilon":2)",
              "layer_norm_epsilon: expected a number from 0 to 1, found 2"},
             {R"(,"activation_function":"swish\n2")",
              "activation_function: \"swish\\u000a2\" is unknown; known are gelu_new, gelu, relu, "
              "silu, tanh, gelu_pytorch_tanh"},
             {R"(,"tie_word_embeddings":1)",
              "tie_word_embeddings: expected a boolean, found a number"},
             {R"(,"eos_token_id":"<|endoftext|>")",
              "eos_token_id: expected a number, found a string"},
             {R"(,"eos_token_id":{})", "eos_token_id: expected a number, found an object"},
             {R"(,"eos_token_id":[7,"8"])", "eos_token_id: expected a number, found a string"},
             {R"(,"eos_token_id":[7,null])", "eos_token_id: expected a number, found null"},
             {R"(,"eos_token_id":[[7]])", "eos_token_id: expected a number, found an array"},
             {R"(,"eos_token_id":[7,-2])",
              "eos_token_id: expected a whole number from -1 to 2147483647, found -2"}}) {
        CHECK_THROWS_WITH_AS(config_with(more), cat("config.json: ", message).c_str(), Error);
    }
}

TEST_CASE("heads that do not divide the channels are refused with both numbers") {
    CHECK_THROWS_WITH_AS(config_of(R"({"n_layer":2,"n_head":5,"n_embd":32})"),
                         "config.json: n_embd 32 is no multiple of n_head 5", Error);
    CHECK_THROWS_AS(config_of(R"({"n_layer":2,"n_head":64,"n_embd":32})"), Error);
}

TEST_CASE("sizes whose products no int holds are refused") {
    CHECK_THROWS_WITH_AS(
        config_of(R"({"n_layer":2,"n_head":1,"n_embd":536870912})"),
        "config.json: n_embd: expected a whole number from 1 to 536870911, found 536870912", Error);
    CHECK(config_of(R"({"n_layer":2,"n_head":1,"n_embd":536870911})").n_inner == 2147483644);
}

TEST_CASE("a config that is no JSON object is refused") {
    CHECK_THROWS_WITH_AS(config_of("[]"), "config.json: not a JSON object", Error);
    CHECK_THROWS_WITH_AS(config_of("{"),
                         "config.json:1:2: expected a key in quotes, found the end "
                         "of the text",
                         Error);
    CHECK_THROWS_WITH_AS(config_of("\ufeff{}"),
                         "config.json:1:1: expected a value, found U+FEFF (a byte order mark)",
                         Error);
}
