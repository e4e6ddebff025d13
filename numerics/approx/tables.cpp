// Unpacks the gzip files that the build embeds (numerics/layer.cmake).
#include "numerics/approx/tables.hpp"

#include <cstddef>
#include <cstdlib>
#include <vector>

#include <zlib.h>

namespace tirx::num {

// Big-endian words, and the number of bytes in them.
extern const std::uint64_t approx_ex2_words[];
extern const std::size_t approx_ex2_size;
extern const std::uint64_t approx_rcp_words[];
extern const std::size_t approx_rcp_size;
extern const std::uint64_t approx_rsqrt_words[];
extern const std::size_t approx_rsqrt_size;
extern const std::uint64_t approx_sqrt_words[];
extern const std::size_t approx_sqrt_size;

namespace {

constexpr std::size_t kOneBinade = std::size_t{1} << 23;

std::vector<std::int8_t> unpack(const std::uint64_t* words, std::size_t size, std::size_t count) {
  if (size == 0) return {};
  std::vector<Bytef> packed(size);
  for (std::size_t i = 0; i < size; ++i) {
    packed[i] = static_cast<Bytef>(words[i / 8] >> (56 - 8 * (i % 8)));
  }
  std::vector<std::int8_t> out(count);
  z_stream stream{};
  stream.next_in = packed.data();
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(count);
  constexpr int kGzip = 15 + 16;
  const bool good = inflateInit2(&stream, kGzip) == Z_OK &&
                    inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!good) std::abort();  // the data is part of this binary
  return out;
}

}  // namespace

std::span<const std::int8_t> ex2_deltas() {
  static const auto table = unpack(approx_ex2_words, approx_ex2_size, kOneBinade);
  return table;
}

std::span<const std::int8_t> rcp_deltas() {
  static const auto table = unpack(approx_rcp_words, approx_rcp_size, kOneBinade);
  return table;
}

std::span<const std::int8_t> rsqrt_deltas() {
  static const auto table = unpack(approx_rsqrt_words, approx_rsqrt_size, 2 * kOneBinade);
  return table;
}

std::span<const std::int8_t> sqrt_deltas() {
  static const auto table = unpack(approx_sqrt_words, approx_sqrt_size, 2 * kOneBinade);
  return table;
}

}  // namespace tirx::num
