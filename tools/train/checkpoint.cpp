#include "tools/train/checkpoint.h"
#include <algorithm>
#include "base/error.h"
#include "base/file.h"

namespace {

constexpr std::string_view kMagic = "gpt training checkpoint 1\n";

// One walk through the fields serves writing and reading, so that they cannot disagree.
template <typename Archive>
void walk(Archive& archive, Checkpoint& c) {
    archive.array(c.settings);
    archive.number(c.text_hash);
    archive.number(c.steps_done);
    archive.number(c.running_loss);
    archive.array(c.curve);
    for (auto* numbers : {&c.state.parameters, &c.state.mean, &c.state.square, &c.state.average})
        archive.array(*numbers);
}

struct Writer {
    const Append& append;

    template <typename T>
    void number(const T& value) {
        append(std::as_bytes(std::span(&value, 1)));
    }
    template <typename Array>
    void array(const Array& values) {
        number(std::uint64_t(values.size()));
        append(std::as_bytes(std::span(values)));
    }
};

struct Reader {
    std::string name;
    std::span<const std::byte> rest;

    void take(void* to, std::size_t size) {
        if (size > rest.size())
            throw Error(
                cat(name, ": ends early: ", rest.size(), " bytes left, ", size, " expected"));
        std::copy_n(rest.data(), size, static_cast<std::byte*>(to));
        rest = rest.subspan(size);
    }
    template <typename T>
    void number(T& value) {
        take(&value, sizeof value);
    }
    template <typename Array>
    void array(Array& values) {
        using Element = typename Array::value_type;
        std::uint64_t size = 0;
        number(size);
        if (size > rest.size() / sizeof(Element))
            throw Error(cat(name, ": ends early: ", size, " elements announced, ", rest.size(),
                            " bytes left"));
        values.resize(std::size_t(size));
        take(values.data(), values.size() * sizeof(Element));
    }
};

}  // namespace

std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
    write_file(path, [&](const Append& append) {
        append(std::as_bytes(std::span(kMagic)));
        Writer writer{append};
        walk(writer, const_cast<Checkpoint&>(checkpoint));
    });
}

Checkpoint read_checkpoint(const std::string& path, std::size_t parameters) {
    const File file = File::open(path);
    if (!file.text().starts_with(kMagic)) throw Error(cat(path, ": not a training checkpoint"));
    Checkpoint checkpoint;
    Reader reader{path, file.bytes().subspan(kMagic.size())};
    walk(reader, checkpoint);
    if (!reader.rest.empty())
        throw Error(cat(path, ": ", reader.rest.size(), " bytes too many at its end"));
    if (checkpoint.steps_done < 0)
        throw Error(cat(path, ": has done ", checkpoint.steps_done, " steps"));
    const OptimiserState& s = checkpoint.state;
    for (const auto* numbers : {&s.parameters, &s.mean, &s.square, &s.average})
        if (numbers->size() != parameters)
            throw Error(cat(path, ": of a model of ", numbers->size(), " parameters, expected ",
                            parameters));
    return checkpoint;
}
