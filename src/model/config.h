// What a config.json says of a GPT-2-shaped model, checked.
#pragma once
#include <span>
#include <string>
#include <vector>
#include "base/file.h"
#include "kernels/reference.h"

struct Config {
    int n_layer = 0, n_head = 0, n_embd = 0;  // L, H, C
    int n_inner = 0;                          // width of the MLP, 4 C where the file is silent
    int n_positions = 0;                      // 0 where the file is silent: wpe's rows then say
    int vocab_size = 0;                       // V; 0 where the file is silent: wte's rows then say
    float layer_norm_epsilon = 1e-5f;
    Activation activation = Activation::gelu_new;
    bool tie_word_embeddings = true;
    bool scale_attn_weights = true;                // scores / sqrt(D)
    bool scale_attn_by_inverse_layer_idx = false;  // and / (layer + 1)
    std::vector<int> eos_token_ids;                // each ends a text; none where it is silent

    int head_dim() const { return n_embd / n_head; }  // D
    // What layer l multiplies q kT by.
    float attention_scale(int layer) const;
    // Refuses ids outside the vocabulary.
    void check_ids(std::span<const int> ids) const;
};

// Reads and checks a config.json. Refuses, by name, with what was found and what was expected: a
// missing n_layer, n_head or n_embd, sizes that are not positive whole numbers, n_embd that n_head
// does not divide, another model_type, an unknown activation_function.
Config read_config(const File& file);

// The name of an activation in config.json.
const char* name_of(Activation activation);
