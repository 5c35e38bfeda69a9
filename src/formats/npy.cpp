#include "formats/npy.h"
#include "formats/numbers.h"

void write_npy(const std::string& path, const Shape& shape, std::span<const float> values) {
    std::string dims;
    for (int i = 0; i < shape.rank; ++i) dims += cat(i ? ", " : "", shape[i]);
    if (shape.rank == 1) dims += ",";  // a tuple of one, as Python writes it
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + dims + "), }";
    // Magic, version, and the header's length take 10 bytes; the numbers start at a multiple of 64.
    constexpr std::size_t kBefore = 10, kAlign = 64;
    while ((kBefore + header.size() + 1) % kAlign != 0) header += ' ';
    header += '\n';
    std::string start = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
    store_little_endian(&start[8], std::uint16_t(header.size()));
    start += header;
    write_file(path, [&](const Append& append) {
        append(std::as_bytes(std::span(start)));
        append_numbers(append, NumberType::f32, values);
    });
}
