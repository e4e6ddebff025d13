// What does the campaign on the GPU compute, so that a CPU can compute any part of it again?
// A block is 2^20 outputs of one row: 64 tiles of 64 x 256.  Every input is a pure function of
// (seed, row, block, tile, step, operand, position): the same integer code on host and device.
// The digest of a block does not depend on the order of the outputs, nor on how the tile was cut
// into instructions, so it is a property of the row alone.
// Define TIRX_DEVICE before the inclusion, as for numerics/mma/fused_dot.inl.
#pragma once

#include <cstdint>

#include "numerics/mma/fused_dot.inl"

namespace tirx::num::campaign {

inline constexpr int kTileRows = 64, kTileColumns = 256, kTilesPerBlock = 64;
inline constexpr int kOutputsPerTile = kTileRows * kTileColumns;
inline constexpr int kDistributions = 8;

/// The eight distributions of inputs.
enum Distribution : int {
  kUniformBits,
  kCancelling,    // narrow exponents; odd k nearly cancels even k
  kLowExponents,  // around the smallest exponent the accumulator keeps
  kNearOverflow,
  kSparse,    // few non-zero products, C mostly zero
  kSpecials,  // a quarter of the rows and columns is rich in NaN, infinities, zeros
  kWideC,     // C above or below the products by up to 2^30
  kOrdinary,  // bell-shaped values, a scale per row
};

/// How block `b` of a row is run.  The digest depends on k, chain, read_c and the signs only.
struct Plan {
  int distribution;
  int n;               // columns of one wgmma: 8, 16, 32, 64, 128, 256
  bool a_shared;       // wgmma's A from shared memory, otherwise from registers
  int swizzle;         // bytes of wgmma's swizzle in shared memory: 0 (none), 32, 64, 128
  int k_choice;        // 0..7: which of the instruction's k (modulo their number)
  int chain;           // instructions chained over k
  bool read_c;         // false: scale-d = 0, or a zero C
  bool minus_a, minus_b;  // wgmma's imm-scale of -1, for floating operands
};

TIRX_DEVICE inline Plan plan_of(int block) {
  const int group = block / kDistributions, variant = group % 8, kind = group / 8 % 16;
  Plan p{block % kDistributions, 8, (variant & 4) != 0, 0, variant, 1, true, false, false};
  const int cut = variant & 3;
  if (cut > 0) p.n = 32 << cut;
  if (kind == 3) p.n = 16 << (cut & 1);
  if (kind % 4 != 0) p.swizzle = 16 << kind % 4;
  if (kind >= 9 && kind <= 11) {
    p.n = 64;
    p.minus_a = kind != 10;
    p.minus_b = kind != 9;
  }
  if (kind == 12 || kind == 13) p.read_c = false;
  if (kind == 14) p.chain = 4;
  if (kind == 15) p.chain = 64;
  return p;
}

/// Finaliser of a counter-based generator (multiply-xorshift, full avalanche).
TIRX_DEVICE inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// The numbers behind one element type.
struct Type {
  dot::Format format;  // f64: {11, 52, 0, ieee}
  bool integer;
  int bytes;
};

TIRX_DEVICE inline std::uint64_t tile_key(std::uint64_t seed,
                                          std::uint32_t row,
                                          int block,
                                          int tile) {
  const auto where =
      static_cast<std::uint64_t>(block) * kTilesPerBlock + static_cast<unsigned>(tile);
  return mix(mix(seed + row * 0x9E3779B97F4A7C15ull) ^ where);
}

enum Operand : int { kA, kB, kC };

/// Random bits for element (line, k) of an operand: line is the row of A, the column of B, the flat
/// position of C.
TIRX_DEVICE inline std::uint64_t random_bits(
    std::uint64_t key, Operand operand, int step, int line, int k) {
  const auto position = (static_cast<std::uint64_t>(line) << 20) + static_cast<unsigned>(k);
  return mix(key + mix((static_cast<std::uint64_t>(operand) << 60) +
                       (static_cast<std::uint64_t>(step) << 44) + position));
}

TIRX_DEVICE inline int bias_of(dot::Format f) {
  return (1 << (f.exponent - 1)) - 1;
}

TIRX_DEVICE inline int largest_exponent(dot::Format f) {
  const int ones = (1 << f.exponent) - 1;
  return (f.specials == dot::Specials::ieee ? ones - 1 : ones) - bias_of(f);
}

/// sign, 1.fraction * 2^e, clamped to the largest finite and truncated into the subnormals.
TIRX_DEVICE inline std::uint64_t compose(dot::Format f, bool negative, int e, std::uint64_t r) {
  const std::uint64_t mask = (1ull << f.fraction) - 1;
  std::uint64_t fraction = r & mask;
  const int top = largest_exponent(f);
  if (e > top) e = top;
  int field = e + bias_of(f);
  if (field <= 0) {
    const int down = 1 - field;
    fraction = down > f.fraction ? 0 : (fraction | (1ull << f.fraction)) >> down;
    field = 0;
  } else if (f.specials == dot::Specials::nan_only && e == top && fraction == mask) {
    fraction = mask - 1;
  }
  std::uint64_t bits = (static_cast<std::uint64_t>(field) << f.fraction) | fraction;
  if (negative) bits |= 1ull << (f.exponent + f.fraction);
  return bits << f.dropped | (r >> 40 & ((1ull << f.dropped) - 1));
}

TIRX_DEVICE inline std::uint64_t special_value(dot::Format f, std::uint64_t r) {
  const std::uint64_t sign = (r & 1) << (f.exponent + f.fraction);
  const std::uint64_t ones = ((1ull << f.exponent) - 1) << f.fraction;
  const std::uint64_t payload = (r >> 8) & ((1ull << f.fraction) - 1);
  std::uint64_t bits = 0;
  switch (r >> 1 & 7) {
    case 0:
    case 1:
      bits = ones | payload;
      break;  // NaN, mostly
    case 2:
      bits = ones | ((1ull << f.fraction) - 1);
      break;  // NaN
    case 3:
    case 4:
      bits = ones;
      break;  // infinity
    case 5:
      bits = 0;
      break;
    case 6:
      bits = 1;
      break;  // smallest subnormal
    default:
      bits = ones - 1;
      break;  // largest finite
  }
  return (sign | bits) << f.dropped | (r >> 40 & ((1ull << f.dropped) - 1));
}

TIRX_DEVICE inline std::uint64_t integer_element(int bytes,
                                                 Operand operand,
                                                 int distribution,
                                                 std::uint64_t r) {
  const std::uint64_t mask = bytes == 1 ? 0xFF : 0xFFFFFFFF;
  const bool c = operand == kC;
  switch (distribution) {
    case kNearOverflow:
      if (c) return ((r & 1 ? 0x7FFFFFFF : 0x80000000ull) + (r >> 8 & 0x3FFFF) - 0x20000) & mask;
      return r & 6 ? (r & 1 ? 0x7F : 0x80) : (r >> 8 & mask);
    case kSparse:
      return (r & 7) != 0 ? 0 : r >> 8 & mask;
    case kOrdinary:
      return ((r >> 8 & 31) + (r >> 16 & 31) - 32) & mask;
    default:
      return r >> 8 & mask;
  }
}

/// Raw bits of one element.  `acc` is the format of C, which decides where "low" and "high" are.
TIRX_DEVICE inline std::uint64_t element(const Type& type,
                                         dot::Format acc,
                                         Operand operand,
                                         int distribution,
                                         std::uint64_t key,
                                         int step,
                                         int line,
                                         int k) {
  const bool c = operand == kC;
  const bool paired = distribution == kCancelling && !c;  // odd k repeats even k
  std::uint64_t r = random_bits(key, operand, step, line, paired ? k & ~1 : k);
  if (type.integer) return integer_element(type.bytes, operand, distribution, r);
  const dot::Format f = type.format;
  const std::uint64_t s = mix(r ^ 0x6A09E667F3BCC909ull);
  const bool negative = (s & 1) != 0;
  const int smallest = 1 - bias_of(f), smallest_acc = 1 - bias_of(acc);
  const auto below = [&](int n) {
    return static_cast<int>((s >> 8 & 0xFFFFFF) % static_cast<unsigned>(n));
  };
  switch (distribution) {
    case kUniformBits:
      return type.bytes == 8 ? r : r & ((1ull << 8 * type.bytes) - 1);
    case kCancelling: {
      if (c) return compose(f, negative, below(24) - 20, r);
      bool flip = false;
      if (operand == kA && k % 2 == 1) {
        const std::uint64_t noise = random_bits(key, operand, step, line, k);
        flip = true;
        if ((noise & 3) == 0) r ^= 1;
      }
      return compose(f, negative != flip, below(7) - 3, r);
    }
    case kLowExponents: {
      if (c) {
        if ((s >> 40 & 3) != 0) return (s & 1) << (f.exponent + f.fraction);
        return compose(f, negative, smallest_acc - f.fraction + below(f.fraction + 10), r);
      }
      // Half of the lines hold few powers of two, whose sums often sit on a rounding boundary; the
      // others are dense, a little above or below the floor.
      const std::uint64_t style = mix(key ^ static_cast<unsigned>(line * 5 + operand + 64));
      const int wanted = (smallest_acc - 7) / 2, lowest = smallest - 2;
      if ((style & 1) != 0) {
        const int center = wanted - 8 > lowest ? wanted - 8 : lowest;
        const std::uint64_t power = r & ~((1ull << f.fraction) - 1);
        if ((s >> 40 & 3) != 0) return compose(f, negative, smallest - f.fraction - 4, power);
        return compose(f, negative, center + below(17) - 8, power);
      }
      const int shift = static_cast<int>(style >> 8 & 3) * 2;
      const int center = wanted - shift > lowest ? wanted - shift : lowest;
      return compose(f, negative, center + below(9) - 4, r);
    }
    case kNearOverflow: {
      const bool sign = (s >> 40 & 7) == 0;
      if (c) return compose(f, sign, bias_of(acc) - below(6), r);
      const int wanted = bias_of(acc) / 2, top = largest_exponent(f);
      return compose(f, sign, (wanted < top ? wanted : top) - below(5) + 2, r);
    }
    case kSparse: {
      const int odds = operand == kB ? 2 : 8;  // of 8: how often an element is zero
      const int draw = static_cast<int>(s >> 40 & 7);
      const bool zero = operand == kB ? draw < odds : operand == kA ? draw != 0 : draw < 6;
      if (zero) return compose(f, negative, smallest - f.fraction - 4, r);
      const int span = largest_exponent(f) - smallest + f.fraction + 1;  // subnormals too
      return compose(f, negative, smallest - f.fraction + below(span), r);
    }
    case kSpecials: {
      const bool rich = c || (mix(key ^ static_cast<unsigned>(line * 3 + operand)) & 3) == 0;
      if (rich && (s >> 40 & 15) == 0) {
        const std::uint64_t v = special_value(f, r);
        return type.bytes == 8 ? v : v & ((1ull << 8 * type.bytes) - 1);
      }
      return compose(f, negative, below(17) - 8, r);
    }
    case kWideC:
      return compose(f, negative, c ? below(61) - 30 : below(5) - 2, r);
    default: {  // kOrdinary: a sum of four uniforms, about bell-shaped
      const int sum = static_cast<int>(s & 0xFFFF) + static_cast<int>(s >> 16 & 0xFFFF) +
                      static_cast<int>(s >> 32 & 0xFFFF) + static_cast<int>(s >> 48);
      const int centred = sum - 2 * 0xFFFF;
      const auto size = static_cast<std::uint64_t>(centred < 0 ? -centred : centred);
      if (size == 0) return 0;
      const int top = dot::leading_bit(size);
      const int scale = static_cast<int>(mix(key + static_cast<unsigned>(line)) % 5) - 2;
      std::uint64_t fraction = r;
      if (f.fraction > 0 && top > 0) {  // leading bits from the sum, the rest random
        const int have = top < f.fraction ? top : f.fraction;
        const std::uint64_t lead = (size >> (top - have)) & ((1ull << have) - 1);
        const std::uint64_t low_mask = (1ull << (f.fraction - have)) - 1;
        fraction =
            (lead << (f.fraction - have)) | (r & low_mask) | (r & ~((1ull << f.fraction) - 1));
      }
      return compose(f, centred < 0, top - 15 + scale + (c ? 3 : 0), fraction);
    }
  }
}

/// An element behind imm-scale: its sign bit is the highest one of the container.
TIRX_DEVICE inline std::uint64_t scaled_element(const Type& type, bool minus, std::uint64_t bits) {
  return minus ? bits ^ 1ull << (8 * type.bytes - 1) : bits;
}

/// NaNs of f64 results are compared as a class: payloads of several NaN operands are not specified.
TIRX_DEVICE inline std::uint64_t comparable(std::uint64_t bits, bool f64) {
  return f64 && (bits & ~(1ull << 63)) > 0x7FF0000000000000ull ? 0x7FF8000000000000ull : bits;
}

/// What one output adds to its block's digest.  `position` is its index in the block.
TIRX_DEVICE inline std::uint64_t digest_term(int position, std::uint64_t bits) {
  return mix(bits + static_cast<std::uint64_t>(position + 1) * 0x9E3779B97F4A7C15ull);
}

/// The recorded form of a digest.
TIRX_DEVICE inline std::uint32_t folded(std::uint64_t digest) {
  return static_cast<std::uint32_t>(digest ^ (digest >> 32));
}

}  // namespace tirx::num::campaign
