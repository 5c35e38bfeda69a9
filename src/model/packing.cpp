#include "model/packing.h"
#include <algorithm>
#include <functional>
#include <utility>

namespace {

PackedType as_stored(NumberType type) {
    switch (type) {
        case NumberType::f32: return PackedType::f32;
        case NumberType::f16: return PackedType::f16;
        case NumberType::bf16: return PackedType::bf16;
    }
    throw std::logic_error("as_stored: no such type");
}

// What `stored`, which is [out,in] where transposed, will be once it is packed.
PackedMatrix unpacked(const StoredMatrix& stored, bool transposed,
                      std::optional<PackedType> wanted) {
    const auto [in, out] =
        transposed ? std::pair(stored.cols, stored.rows) : std::pair(stored.rows, stored.cols);
    PackedType type = wanted.value_or(as_stored(stored.type));
    // Embeddings and the head, which come transposed, are what 4 bits hurt most.
    if (transposed && type == PackedType::q4) type = PackedType::q8;
    return {in, out, type, nullptr};
}

// Collects what is to be packed, then packs all of it into one room, so that large pages hold the
// small matrices too.
class Packing {
public:
    Packing(std::optional<PackedType> type, const std::vector<File>& files)
        : type_(type), files_(files) {}

    // Packs `stored` to a place that will not move.
    void add(PackedMatrix& packed, const StoredMatrix& stored, bool transposed) {
        packed = unpacked(stored, transposed, type_);
        steps_.push_back({&packed, stored, transposed});
        elements_ += std::size_t(packed.in()) * std::size_t(packed.out());
    }
    std::size_t elements() const { return elements_; }

    // Returns the room that the packed matrices lie in.
    Buffer<std::byte> run(int threads) const {
        const auto padded = [](const Step& step) { return (step.packed->bytes() + 63) / 64 * 64; };
        std::size_t size = 0;
        for (const Step& step : steps_) size += padded(step);
        Buffer<std::byte> room(size);
        std::byte* at = room.data();
        for (const Step& step : steps_) {
            const PackedMatrix& p = *step.packed;
            *step.packed = PackedMatrix(p.in(), p.out(), p.type(), at);
            at += padded(step);
        }
        const Done done = [this](const std::byte* first, std::size_t count) {
            for (const File& file : files_)
                if (!std::less<>()(first, file.bytes().data()) &&
                    std::less<>()(first, file.bytes().data() + file.bytes().size()))
                    file.give_back(first, count);
        };
#pragma omp parallel num_threads(threads)
        for (const Step& step : steps_) pack(*step.packed, step.stored, step.transposed, done);
        for (const Step& step : steps_)  // once more as a whole, for pages that two strips share
            done(step.stored.data,
                 std::size_t(step.stored.address(step.stored.rows, 0) - step.stored.data));
        return room;
    }

private:
    struct Step {
        PackedMatrix* packed;
        StoredMatrix stored;
        bool transposed;
    };
    std::optional<PackedType> type_;
    const std::vector<File>& files_;
    std::vector<Step> steps_;
    std::size_t elements_ = 0;
};

}  // namespace

PackedWeights pack_weights(Weights&& weights, std::optional<PackedType> type, int threads) {
    PackedWeights packed;
    Packing packing(type, weights.files);
    packing.add(packed.wte, weights.wte, true);
    if (!weights.tied()) packing.add(packed.lm_head.emplace(), weights.lm_head, true);
    const auto take = [&](Linear<PackedMatrix>& to, Linear<StoredMatrix>& from) {
        packing.add(to.w, from.w, false);
        to.b = std::move(from.b);
    };
    packed.h.resize(weights.h.size());  // once, as places must not move
    for (std::size_t l = 0; l < packed.h.size(); ++l) {
        Block<PackedMatrix>& to = packed.h[l];
        Block<StoredMatrix>& from = weights.h[l];
        for_each_linear(take, to, from);
        to.ln_1 = std::move(from.ln_1);
        to.ln_2 = std::move(from.ln_2);
    }
    packed.elements = packing.elements();
    constexpr std::size_t kWorth = 1 << 22;  // elements that one thread packs before two could
    packed.room = packing.run(
        int(std::clamp(packed.elements / kWorth, std::size_t(1), std::size_t(threads))));
    for (const File& file : weights.files) file.check_unchanged();
    return packed;
}

std::size_t packed_bytes(const Weights& weights, std::optional<PackedType> type) {
    std::size_t bytes = unpacked(weights.wte, true, type).bytes();
    if (!weights.tied()) bytes += unpacked(weights.lm_head, true, type).bytes();
    const auto add = [&](const auto& linear) { bytes += unpacked(linear.w, false, type).bytes(); };
    for (const Block<StoredMatrix>& h : weights.h) for_each_linear(add, h);
    return bytes;
}
