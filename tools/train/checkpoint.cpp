#include "tools/train/checkpoint.h"
#include <algorithm>
#include "base/error.h"
#include "base/file.h"

namespace {

constexpr std::string_view kMagic = "gpt training checkpoint 2\n";

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
    std::uint64_t checksum = kHashOfNothing;  // of all that was written

    void bytes(std::span<const std::byte> bytes) {
        checksum = hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, checksum);
        append(bytes);
    }
    template <typename T>
    void number(const T& value) {
        bytes(std::as_bytes(std::span(&value, 1)));
    }
    template <typename Array>
    void array(const Array& values) {
        number(std::uint64_t(values.size()));
        bytes(std::as_bytes(std::span(values)));
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

std::uint64_t hash(std::string_view text, std::uint64_t before) {
    std::uint64_t h = before;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
}

// The last field is the hash of all before it.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
    write_file(path, [&](const Append& append) {
        Writer writer{append};
        writer.bytes(std::as_bytes(std::span(kMagic)));
        walk(writer, const_cast<Checkpoint&>(checkpoint));
        writer.number(std::uint64_t(writer.checksum));
    });
}

Checkpoint read_checkpoint(const std::string& path, std::size_t parameters) {
    const File file = File::open(path);
    if (!file.text().starts_with(kMagic))
        throw Error(cat(path, ": not a training checkpoint of this version"));
    Checkpoint checkpoint;
    Reader reader{path, file.bytes().subspan(kMagic.size())};
    walk(reader, checkpoint);
    const std::uint64_t found =
        hash(file.text().substr(0, file.text().size() - reader.rest.size()));
    std::uint64_t expected = 0;
    reader.number(expected);
    if (found != expected)
        throw Error(
            cat(path, ": damaged: its checksum is ", std::hex, found, ", expected ", expected));
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
