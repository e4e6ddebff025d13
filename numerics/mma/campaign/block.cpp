// The host side of the campaign: the same generator, the tile path instead of the instruction.
#include "numerics/mma/campaign/block.hpp"

#include <cstdio>
#include <cstring>

#include "numerics/mma/dot.hpp"

namespace tirx::num::campaign {

namespace {

using Bytes = std::vector<unsigned char>;

void put(Bytes& to, std::size_t index, int bytes, std::uint64_t bits) {
  std::memcpy(to.data() + index * static_cast<std::size_t>(bytes), &bits,
              static_cast<std::size_t>(bytes));
}

std::uint64_t get(const Bytes& from, std::size_t index, int bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from.data() + index * static_cast<std::size_t>(bytes),
              static_cast<std::size_t>(bytes));
  return bits;
}

struct Shape {
  Type a, b, c;
  Plan plan;
  int k;  // of one instruction
};

Shape shape_of(const MmaRow& row, int block) {
  const Plan plan = plan_of(block);
  Shape s{type_of(row.a), type_of(row.b), type_of(row.c), plan, k_of(row, plan)};
  if (!has_scales(row)) s.plan.minus_a = s.plan.minus_b = false;
  return s;
}

}  // namespace

std::uint32_t row_id(const MmaRow& row) {
  std::uint64_t h = 0;
  for (const char c : describe(row)) h = mix(h ^ static_cast<unsigned char>(c));
  return folded(h);
}

Type type_of(DType type) {
  const int bytes = container_bytes(type);
  switch (type) {
    case DType::f16:
      return {dot::kF16, false, bytes};
    case DType::bf16:
      return {dot::kBf16, false, bytes};
    case DType::tf32:
      return {dot::kTf32, false, bytes};
    case DType::e4m3:
      return {dot::kE4m3, false, bytes};
    case DType::e5m2:
      return {dot::kE5m2, false, bytes};
    case DType::f32:
      return {dot::kF32, false, bytes};
    case DType::f64:
      return {dot::Format{11, 52, 0, dot::Specials::ieee}, false, bytes};
    default:
      return {dot::kF32, true, bytes};
  }
}

bool has_scales(const MmaRow& row) {
  return row.family == MmaFamily::wgmma && row.arithmetic != MmaArithmetic::integer;
}

int k_of(const MmaRow& row, const Plan& plan) {
  int count = 1;
  while (count < 3 && row.shape.k[count] != 0) ++count;
  return row.shape.k[plan.k_choice % count];
}

std::uint64_t block_digest(const MmaRow& row, std::uint64_t seed, int block, TilePath path) {
  const Shape s = shape_of(row, block);
  const std::uint32_t id = row_id(row);
  const auto k = static_cast<std::size_t>(s.k);
  Bytes a(kTileRows * k * static_cast<std::size_t>(s.a.bytes));
  Bytes b(kTileColumns * k * static_cast<std::size_t>(s.b.bytes));
  Bytes d(static_cast<std::size_t>(kOutputsPerTile * s.c.bytes));
  TileOptions options;
  options.step = s.k;
  options.path = path;
  std::uint64_t digest = 0;
  for (int tile = 0; tile < kTilesPerBlock; ++tile) {
    const std::uint64_t key = tile_key(seed, id, block, tile);
    const auto make = [&](const Type& type, Operand operand, int step, int line, int at) {
      return element(type, s.c.format, operand, s.plan.distribution, key, step, line, at);
    };
    for (int i = 0; i < kOutputsPerTile; ++i) {
      const std::uint64_t c = s.plan.read_c ? make(s.c, kC, 0, i, 0) : 0;
      put(d, static_cast<std::size_t>(i), s.c.bytes, c);
    }
    for (int step = 0; step < s.plan.chain; ++step) {
      for (int i = 0; i < kTileRows; ++i) {
        for (int at = 0; at < s.k; ++at) {
          put(a, static_cast<std::size_t>(i * s.k + at), s.a.bytes,
              scaled_element(s.a, s.plan.minus_a, make(s.a, kA, step, i, at)));
        }
      }
      for (int j = 0; j < kTileColumns; ++j) {
        for (int at = 0; at < s.k; ++at) {  // row-major (k, n), the tile path's fastest form
          put(b, static_cast<std::size_t>(at * kTileColumns + j), s.b.bytes,
              scaled_element(s.b, s.plan.minus_b, make(s.b, kB, step, j, at)));
        }
      }
      mma_tile(row, kTileRows, kTileColumns, s.k, {a.data(), s.k, 1}, {b.data(), kTileColumns, 1},
               {d.data(), kTileColumns, 1}, {d.data(), kTileColumns, 1}, options);
    }
    for (int i = 0; i < kOutputsPerTile; ++i) {
      const std::uint64_t bits = get(d, static_cast<std::size_t>(i), s.c.bytes);
      digest += digest_term(tile * kOutputsPerTile + i, comparable(bits, row.c == DType::f64));
    }
  }
  return digest;
}

std::string output_text(const MmaRow& row, std::uint64_t seed, int block, int tile, int position) {
  const Shape s = shape_of(row, block);
  const std::uint64_t key = tile_key(seed, row_id(row), block, tile);
  const int i = position / kTileColumns, j = position % kTileColumns;
  const auto make = [&](const Type& type, Operand operand, int step, int line, int at) {
    return element(type, s.c.format, operand, s.plan.distribution, key, step, line, at);
  };
  char word[32];
  const auto hex = [&](std::uint64_t bits, int bytes) {
    std::snprintf(word, sizeof word, " %0*llx", 2 * bytes, static_cast<unsigned long long>(bits));
    return std::string(word);
  };
  std::uint64_t c = s.plan.read_c ? make(s.c, kC, 0, position, 0) : 0;
  std::string text = "  c" + hex(c, s.c.bytes) + "\n";
  Bytes a(static_cast<std::size_t>(s.k * s.a.bytes)), b(static_cast<std::size_t>(s.k * s.b.bytes));
  for (int step = 0; step < s.plan.chain; ++step) {
    std::string a_text = "  a", b_text = "  b";
    for (int at = 0; at < s.k; ++at) {
      const std::uint64_t x = scaled_element(s.a, s.plan.minus_a, make(s.a, kA, step, i, at));
      const std::uint64_t y = scaled_element(s.b, s.plan.minus_b, make(s.b, kB, step, j, at));
      put(a, static_cast<std::size_t>(at), s.a.bytes, x);
      put(b, static_cast<std::size_t>(at), s.b.bytes, y);
      a_text += hex(x, s.a.bytes);
      b_text += hex(y, s.b.bytes);
    }
    c = mma_dot(row, s.k, s.k, {a.data(), 1}, {b.data(), 1}, c);
    if (step < 4) text += a_text + "\n" + b_text + "\n  d" + hex(c, s.c.bytes) + "\n";
  }
  return text + "  model" + hex(c, s.c.bytes) + "\n";
}

}  // namespace tirx::num::campaign
