#include "model/config.h"
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include "base/in_file.h"
#include "formats/json.h"

namespace {

constexpr int kMost = std::numeric_limits<int>::max();

struct NamedActivation {
    const char* name;
    Activation activation;
};
constexpr NamedActivation kActivations[] = {
    {"gelu_new", Activation::gelu_new}, {"gelu", Activation::gelu},
    {"relu", Activation::relu},         {"silu", Activation::silu},
    {"tanh", Activation::tanh},         {"gelu_pytorch_tanh", Activation::gelu_pytorch_tanh}};

Activation read_activation(const Json& json) {
    std::string known;
    for (const auto& [name, activation] : kActivations) {
        if (json.string() == name) return activation;
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw Error(cat(json_quote(json.string()), " is unknown; known are ", known));
}

float read_epsilon(const Json& json) {
    const double value = json.number();
    if (value < 0 || value > 1)
        throw Error(cat("expected a number from 0 to 1, found ", json_number(value)));
    return float(value);
}

// One id or a list of them, each once; -1 stands for none.
std::vector<int> read_token_ids(const Json& json) {
    std::vector<int> ids;
    std::set<int> seen = {-1};
    const auto add = [&](const Json& one) {
        const int id = int(one.integer(-1, kMost));
        if (seen.insert(id).second) ids.push_back(id);
    };
    if (json.is(Json::Kind::array))
        for (const Json& one : json.array()) add(one);
    else
        add(json);
    return ids;
}

// The members of a config; null is as good as absent.
class Members {
public:
    Members(const Json& json, const std::string& file) : json_(json), file_(file) {}

    // Sets `value` to read(member), and says whether there is that member.
    template <typename Value, typename Read>
    bool get(const char* key, Value& value, Read read) const {
        const Json* const member = json_.find(key);
        if (!member || member->is(Json::Kind::null)) return false;
        value = in_file(cat(file_, ": ", key), [&] { return read(*member); });
        return true;
    }
    bool get(const char* key, bool& value) const {
        return get(key, value, [](const Json& json) { return json.boolean(); });
    }
    bool get_size(const char* key, int& value, int most = kMost) const {
        return get(key, value, [=](const Json& json) { return int(json.integer(1, most)); });
    }
    void require_size(const char* key, int& value, int most = kMost) const {
        if (!get_size(key, value, most)) throw Error(cat(file_, ": no ", key));
    }

private:
    const Json& json_;
    const std::string& file_;
};

}  // namespace

float Config::attention_scale(int layer) const {
    double scale = 1;
    if (scale_attn_weights) scale /= std::sqrt(double(head_dim()));
    if (scale_attn_by_inverse_layer_idx) scale /= layer + 1.0;
    return float(scale);
}

void Config::check_ids(std::span<const int> ids) const {
    for (const int id : ids)
        if (id < 0 || id >= vocab_size)
            throw Error(cat("token id ", id, " is outside the vocabulary, 0 to ", vocab_size - 1));
}

const char* name_of(Activation activation) {
    for (const auto& [name, known] : kActivations)
        if (known == activation) return name;
    throw std::logic_error("an activation without a name");
}

Config read_config(const File& file) {
    const Json json = parse_json(file.text(), file.name());
    if (!json.is(Json::Kind::object)) throw Error(cat(file.name(), ": not a JSON object"));
    const Members members(json, file.name());
    Config config;
    std::string model_type = "gpt2";
    members.get("model_type", model_type, [](const Json& type) { return type.string(); });
    if (model_type != "gpt2")
        throw Error(
            cat(file.name(), ": model_type: expected \"gpt2\", found ", json_quote(model_type)));
    members.require_size("n_layer", config.n_layer);
    members.require_size("n_head", config.n_head);
    members.require_size("n_embd", config.n_embd, kMost / 4);  // so that 4 n_embd is an int
    if (config.n_embd % config.n_head != 0)
        throw Error(cat(file.name(), ": n_embd ", config.n_embd, " is no multiple of n_head ",
                        config.n_head));
    config.n_inner = 4 * config.n_embd;
    members.get_size("n_inner", config.n_inner);
    if (!members.get_size("n_positions", config.n_positions))
        members.get_size("n_ctx", config.n_positions);
    members.get_size("vocab_size", config.vocab_size);
    members.get("layer_norm_epsilon", config.layer_norm_epsilon, read_epsilon);
    members.get("activation_function", config.activation, read_activation);
    members.get("tie_word_embeddings", config.tie_word_embeddings);
    members.get("scale_attn_weights", config.scale_attn_weights);
    members.get("scale_attn_by_inverse_layer_idx", config.scale_attn_by_inverse_layer_idx);
    members.get("eos_token_id", config.eos_token_ids, read_token_ids);
    return config;
}
