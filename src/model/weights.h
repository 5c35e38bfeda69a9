// A model's weights under GPT-2's own names, as the files store them, every shape checked against
// the config.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/file.h"
#include "base/tensor.h"
#include "model/config.h"

// One projection, y = x w + b: w [in,out] in whatever form a forward pass wants it, b [out] (zero
// where the file has none).
template <typename Matrix>
struct Linear {
    Matrix w;
    Tensor b;
};

struct Norm {
    Tensor g, b;  // [C] each; b is zero where the file has none
};

template <typename Matrix>
struct Block {
    Norm ln_1;
    Linear<Matrix> c_attn;       // [C,3C]
    Linear<Matrix> attn_c_proj;  // [C,C]
    Norm ln_2;
    Linear<Matrix> c_fc;        // [C,n_inner]
    Linear<Matrix> mlp_c_proj;  // [n_inner,C]
};

// Calls f with each projection of a block; of several blocks, with theirs side by side.
template <typename F, typename... Blocks>
void for_each_linear(F f, Blocks&... blocks) {
    f(blocks.c_attn...);
    f(blocks.attn_c_proj...);
    f(blocks.c_fc...);
    f(blocks.mlp_c_proj...);
}

struct Weights {
    Config config;     // complete: n_positions and vocab_size are those of the tensors
    StoredMatrix wte;  // [V,C]
    StoredMatrix wpe;  // [n_positions,C]
    std::vector<Block<StoredMatrix>> h;
    Norm ln_f;
    StoredMatrix lm_head;        // [V,C]; the same bytes as wte where the head is tied
    std::size_t parameters = 0;  // the numbers above that the files hold: a tied head counts once
    std::vector<std::string> warnings;

    std::vector<File> files;  // what the matrices above point into

    bool tied() const { return lm_head.data == wte.data; }
};

// A folder of model files on disk, or the one inside the program.
class Folder;
Weights load_weights(const Folder& folder);

// A tensor's name in GPT-2, without what programs put before it ("_orig_mod.", "module.",
// "transformer."); a norm's gamma and beta are its weight and bias.
std::string plain_name(std::string_view name);

// Whether a tensor that its file names so is a causal mask, which some programs store beside the
// weights.
bool is_mask(std::string_view name);

// The whole matrix as floats, [rows,cols].
Tensor widen(const StoredMatrix& matrix);
