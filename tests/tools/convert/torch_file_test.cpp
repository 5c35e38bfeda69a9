#include "tools/convert/torch_file.h"
#include <doctest/doctest.h>
#include "tests/tools/convert/foreign.h"

using namespace foreign;
using convert::TorchFile;

namespace {

const std::vector<float> kNumbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

// An archive of one storage of twelve numbers and one value.
std::string archive_of(const std::string& value, NumberType type = NumberType::f32) {
    return torch_archive(value, {{"ckpt/data/0", number_bytes(type, kNumbers)}});
}
std::string archive_of(std::int64_t first, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& stride, std::size_t count = 12) {
    return archive_of(
        pickle::tensor(pickle::storage("FloatStorage", "0", count), first, shape, stride));
}

convert::StoredTensor tensor_of(const std::string& bytes) {
    const File file = file_of("a.pt", bytes);
    const TorchFile torch(file);
    return torch.tensor(torch.root());
}

std::string error_of(const std::string& bytes) {
    try {
        tensor_of(bytes);
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a tensor is read wherever its strides say") {
    const auto values = [](std::int64_t first, const std::vector<std::int64_t>& shape,
                           const std::vector<std::int64_t>& stride) {
        const std::string bytes = archive_of(first, shape, stride);
        const auto tensor = tensor_of(bytes);
        CHECK(tensor.shape == shape);
        return tensor.values();
    };
    CHECK(values(0, {3, 4}, {4, 1}) == kNumbers);
    CHECK(values(0, {4, 3}, {1, 4}) == std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(values(5, {2, 2}, {4, 2}) == std::vector<float>{5, 7, 9, 11});
    CHECK(values(1, {2, 1, 2, 2}, {6, 6, 3, 1}) == std::vector<float>{1, 2, 4, 5, 7, 8, 10, 11});
    CHECK(values(11, {}, {}) == std::vector<float>{11});
    CHECK(values(3, {1, 1}, {INT64_MAX, INT64_MAX}) == std::vector<float>{3});
    CHECK(values(3, {3}, {0}) == std::vector<float>{3, 3, 3});
}

TEST_CASE("16-bit numbers are widened, and other types are named") {
    for (const NumberType type : {NumberType::f16, NumberType::bf16}) {
        const std::string bytes = archive_of(
            pickle::tensor(pickle::storage(storage_type(type), "0", 12), 0, {12}, {1}), type);
        CHECK(tensor_of(bytes).kept_as == type);
        CHECK(tensor_of(bytes).values() == kNumbers);
    }
    const std::string bytes =
        archive_of(pickle::tensor(pickle::storage("BoolStorage", "0", 48), 0, {12}, {1}));
    CHECK_FALSE(tensor_of(bytes).kept_as);
    CHECK(tensor_of(bytes).type == "torch.BoolStorage");
}

TEST_CASE("a parameter is its tensor") {
    const std::string parameter =
        pickle::global("torch._utils", "_rebuild_parameter") +
        pickle::tuple(
            {pickle::tensor(pickle::storage("FloatStorage", "0", 12), 0, {12}, {1}), "\x88", "}"}) +
        "R";
    const std::string bytes = archive_of(parameter);
    CHECK(tensor_of(bytes).values() == kNumbers);
}

TEST_CASE("a tensor beyond its storage is refused, whatever wraps") {
    constexpr std::int64_t kFar = 0x7fffffff;
    CHECK(error_of(archive_of(0, {3, 4}, {5, 1})) ==
          "with the shape [3,4] and the strides [5,1] from number 0 on goes beyond its storage of "
          "12 numbers");
    CHECK(error_of(archive_of(12, {1}, {1})) != "none");
    CHECK(error_of(archive_of(-1, {1}, {1})) != "none");
    CHECK(error_of(archive_of(0, {13}, {0})) != "none");
    CHECK(error_of(archive_of(0, {kFar, kFar, kFar, kFar}, {0, 0, 0, 0})) != "none");
    CHECK(error_of(archive_of(0, {2, 2}, {kFar, kFar})) != "none");
    CHECK(error_of(archive_of(0, {-1}, {1})) == "has the shape [-1] and the strides [1]");
    CHECK(error_of(archive_of(0, {2}, {-1})) != "none");
    CHECK(error_of(archive_of(0, {2, 2}, {1})) != "none");
    CHECK(error_of(archive_of(0, {0, 2}, {2, 1})) == "is empty");
    CHECK(error_of(archive_of(0, {12}, {1}, 13)) ==
          "its storage 0 has 48 bytes, expected 13 numbers of 4");
}

TEST_CASE("what is no tensor is refused") {
    CHECK(error_of(archive_of("N")) == "is no tensor");
    CHECK(error_of(archive_of(pickle::tensor("NQ", 0, {1}, {1}))) != "none");
    CHECK(error_of(archive_of(pickle::tensor(pickle::storage("FloatStorage", "1", 12), 0, {1},
                                             {1}))) == "holds no 'ckpt/data/1'");
    CHECK(error_of(zip({{"ckpt/data.pkl", pickle::whole_pickle("N")},
                        {"ckpt/byteorder", "big"}})) == "was written on a big-endian machine");
}

TEST_CASE("the stream of before the zip archive is read, and refused where it is cut") {
    using namespace pickle;
    const std::string pickles[] = {
        std::string("\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", 15), whole_pickle(whole(1001)),
        whole_pickle(
            dict({{text("protocol_version"), whole(1001)}, {text("little_endian"), "\x88"}})),
        whole_pickle(tensor(storage("FloatStorage", "77", 12), 4, {2, 2}, {2, 1})),
        whole_pickle("](" + text("77") + "e")};
    std::string bytes;
    for (const std::string& part : pickles) bytes += part;
    bytes += u64(12) + number_bytes(NumberType::f32, kNumbers);
    CHECK(TorchFile::is_one(bytes));
    CHECK(tensor_of(bytes).values() == std::vector<float>{4, 5, 6, 7});
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK(error_of(bytes.substr(0, size)) != "none");
}
