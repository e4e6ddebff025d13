// Instructions on registers by their PTX names, with results that are known: this file computes
// them itself, by the tables and the pseudocode of the PTX ISA (9.7.1, 9.7.4, 9.7.8, 9.7.9), for
// simulator and tile-level evaluator take one function for them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/instruction.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;
using Word = std::uint64_t;

__extension__ using Wide = __int128;

/// One instruction: its words, the types of its operands, and of its result.
struct Form {
  std::string text;
  DType to = DType::u32;
  std::vector<DType> from;
  std::string last;  // an operand that is fixed
};

/// Operands in one half of the lanes, and what comes of them.
struct Case {
  std::vector<Word> in;
  Word out = 0;
};

Word low_bits(int count) {
  return count >= 64 ? ~Word{0} : (Word{1} << count) - 1;
}

Wide number(Word bits, DType dtype) {
  const int width = num::bits(dtype);
  const Wide value = bits & low_bits(width);
  const bool negative = num::is_signed(dtype) && (bits >> (width - 1) & 1) != 0;
  return negative ? value - (Wide{1} << width) : value;
}

/// Bits that are often at an edge.
Word any_word(Draft& draft, DType dtype) {
  const int width = num::bits(dtype);
  const Word random = static_cast<Word>(draft.dice.below(1 << 30)) << 34 ^
                      static_cast<Word>(draft.dice.below(1 << 30)) << 17 ^
                      static_cast<Word>(draft.dice.below(1 << 30));
  switch (draft.dice.below(6)) {
    case 0:
      return low_bits(width);
    case 1:
      return Word{1} << draft.dice.below(width);
    case 2:
      return random & low_bits(draft.dice.between(1, width));
    default:
      return random & low_bits(width);
  }
}

std::string literal(Word bits, DType dtype) {
  if (num::is_float(dtype)) {
    const DType raw = num::bits(dtype) == 16   ? DType::u16
                      : num::bits(dtype) == 64 ? DType::u64
                                               : DType::u32;
    return fmt::format("T.reinterpret(\"{}\", {})", type_name(dtype), literal(bits, raw));
  }
  // A literal has 64 bits with a sign.
  if (bits >> 63 != 0 && dtype == DType::u64)
    return fmt::format("T.cast({}, \"uint64\")", literal(bits, DType::i64));
  if (!num::is_signed(dtype)) return fmt::format("T.{}({})", type_name(dtype), bits);
  return fmt::format("T.{}({})", type_name(dtype), static_cast<std::int64_t>(number(bits, dtype)));
}

/// The instruction in two halves of the lanes, and that its results are as they must be.
void check(Draft& draft, const Form& form, const Case& one, const Case& other) {
  const std::string to = result(draft, form.to);
  const int half = draft.dice.between(1, 31);
  const auto chosen = [&](const std::string& a, const std::string& b) {
    return a == b ? a : fmt::format("T.if_then_else(lane < {}, {}, {})", half, a, b);
  };
  std::string inputs;
  for (std::size_t i = 0; i < form.from.size(); ++i)
    inputs += ", " + chosen(literal(one.in[i], form.from[i]), literal(other.in[i], form.from[i]));
  draft.line("T.ptx.{}({}{}{})", form.text, to, inputs, form.last);
  const DType raw = num::bits(form.to) == 16   ? DType::u16
                    : num::bits(form.to) == 64 ? DType::u64
                                               : DType::u32;
  const bool whole = !num::is_float(form.to);
  const std::string got = whole ? to : fmt::format("T.reinterpret(\"{}\", {})", type_name(raw), to);
  const DType dtype = whole ? form.to : raw;
  draft.line("assert {} == {}", got,
             chosen(literal(one.out & low_bits(num::bits(dtype)), dtype),
                    literal(other.out & low_bits(num::bits(dtype)), dtype)));
}

template <typename Compute>
void check_both(Draft& draft, const Form& form, Compute&& compute) {
  Case both[2];
  for (Case& one : both) {
    for (const DType dtype : form.from) one.in.push_back(any_word(draft, dtype));
    one.out = compute(one.in);
  }
  check(draft, form, both[0], both[1]);
}

void prmt(Draft& draft) {
  struct Mode {
    const char* name;
    std::array<std::uint32_t, 4> picks;
  };

  // PTX ISA, table of prmt's modes: the bytes picked, by the two low bits of c.
  static constexpr auto kModes = std::to_array<Mode>({
      {".f4e", {0x3210, 0x4321, 0x5432, 0x6543}},
      {".b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {".rc8", {0x0000, 0x1111, 0x2222, 0x3333}},
      {".ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {".ecr", {0x0000, 0x1110, 0x2210, 0x3210}},
      {".rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
      {"", {}},
      {"", {}},
  });
  const Mode& mode = draft.dice.pick(kModes);
  check_both(
      draft,
      {fmt::format("prmt.b32{}", mode.name), DType::u32, {DType::u32, DType::u32, DType::u32}, ""},
      [&](const std::vector<Word>& in) {
        const std::uint32_t picks =
            mode.name[0] != 0 ? mode.picks[in[2] % 4] : static_cast<std::uint32_t>(in[2]);
        Word out = 0;
        for (int i = 3; i >= 0; --i) {
          const std::uint32_t pick = picks / (1U << 4 * i) % 16;
          Word byte = (pick % 8 < 4 ? in[0] : in[1]) / (Word{1} << 8 * (pick % 4)) % 256;
          if (pick >= 8) byte = byte >= 128 ? 255 : 0;
          out = out * 256 + byte;
        }
        return out;
      });
}

void lop3(Draft& draft) {
  const int table = draft.dice.below(256);
  check_both(
      draft,
      {"lop3.b32", DType::u32, {DType::u32, DType::u32, DType::u32}, fmt::format(", {}", table)},
      [&](const std::vector<Word>& in) {
        Word out = 0;
        for (int i = 31; i >= 0; --i) {
          const Word row = (in[0] >> i) % 2 * 4 + (in[1] >> i) % 2 * 2 + (in[2] >> i) % 2;
          out = out * 2 + (static_cast<Word>(table) >> row) % 2;
        }
        return out;
      });
}

void extract(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::u32, DType::i32, DType::u64, DType::i64});
  const char* word = dtype == DType::u32   ? "u32"
                     : dtype == DType::i32 ? "s32"
                     : dtype == DType::u64 ? "u64"
                                           : "s64";
  const int width = num::bits(dtype);
  Case both[2];
  for (Case& one : both) {
    const int at = draft.dice.below(width + 4), count = draft.dice.below(width + 4);
    const Word a = any_word(draft, dtype);
    one.in = {a, static_cast<Word>(at), static_cast<Word>(count)};
    // Sign or zeros stand above the field, and above the value.
    const Wide value = number(a, dtype);
    const Wide shifted = at >= width ? (value < 0 ? Wide{-1} : Wide{0}) : value >> at;
    one.out = static_cast<Word>(shifted) & low_bits(count);
    const int top = std::min(at + count - 1, width - 1);
    const bool sign = num::is_signed(dtype) && count > 0 && (a >> top & 1) != 0;
    if (sign && count < 64) one.out |= ~low_bits(std::min(count, std::max(width - at, 0)));
  }
  check(draft, {fmt::format("bfe.{}", word), dtype, {dtype, DType::u32, DType::u32}, ""}, both[0],
        both[1]);
}

void insert(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::u32, DType::u64});
  const int width = num::bits(dtype);
  Case both[2];
  for (Case& one : both) {
    const int at = draft.dice.below(width + 3), count = draft.dice.below(width + 3);
    const Word a = any_word(draft, dtype), b = any_word(draft, dtype);
    one.in = {a, b, static_cast<Word>(at), static_cast<Word>(count)};
    const Word field = at >= width ? 0 : low_bits(std::min(count, width - at)) << at;
    one.out = at >= width ? b : (b & ~field) | (a << at & field);
  }
  check(draft, {fmt::format("bfi.b{}", width), dtype, {dtype, dtype, DType::u32, DType::u32}, ""},
        both[0], both[1]);
}

void funnel(Draft& draft) {
  const bool left = draft.dice.chance(50), clamps = draft.dice.chance(50);
  Case both[2];
  for (Case& one : both) {
    const Word a = any_word(draft, DType::u32), b = any_word(draft, DType::u32);
    const int by = draft.dice.below(70);
    one.in = {a, b, static_cast<Word>(by)};
    const int n = clamps ? std::min(by, 32) : by % 32;
    one.out = left ? (b << n | (n == 0 ? 0 : a >> (32 - n))) : (a >> n | b << (32 - n));
    if (n == 32) one.out = left ? a : b;
  }
  check(draft,
        {fmt::format("shf.{}.{}.b32", left ? "l" : "r", clamps ? "clamp" : "wrap"),
         DType::u32,
         {DType::u32, DType::u32, DType::u32},
         ""},
        both[0], both[1]);
}

struct Integer {
  DType dtype, twice;
  const char* word;
};

constexpr auto kIntegers = std::to_array<Integer>({
    {DType::u16, DType::u32, "u16"},
    {DType::i16, DType::i32, "s16"},
    {DType::u32, DType::u64, "u32"},
    {DType::i32, DType::i64, "s32"},
    {DType::u64, DType::u64, "u64"},
    {DType::i64, DType::i64, "s64"},
});

void product(Draft& draft) {
  const Integer& of = draft.dice.pick(kIntegers);
  const int width = num::bits(of.dtype);
  const char* part = draft.dice.one_of<const char*>({"hi", "lo", "wide"});
  if (part[0] == 'w' && width == 64) part = "hi";
  const bool adds = draft.dice.chance(50);
  const DType to = part[0] == 'w' ? of.twice : of.dtype;
  Form form{
      fmt::format("{}.{}.{}", adds ? "mad" : "mul", part, of.word), to, {of.dtype, of.dtype}, ""};
  if (adds) form.from.push_back(to);
  check_both(draft, form, [&](const std::vector<Word>& in) {
    __extension__ using Unsigned = unsigned __int128;
    const auto whole = static_cast<Unsigned>(number(in[0], of.dtype)) *
                       static_cast<Unsigned>(number(in[1], of.dtype));
    return static_cast<Word>(part[0] == 'h' ? whole >> width : whole) + (adds ? in[2] : 0);
  });
}

void dot(Draft& draft) {
  const bool first = draft.dice.chance(50), second = draft.dice.chance(50);
  const DType sum = first || second ? DType::i32 : DType::u32;
  check_both(draft,
             {fmt::format("dp4a.{}.{}", first ? "s32" : "u32", second ? "s32" : "u32"),
              sum,
              {DType::u32, DType::u32, sum},
              ""},
             [&](const std::vector<Word>& in) {
               Word out = in[2];
               for (int i = 0; i < 32; i += 8) {
                 const Wide a = number(in[0] >> i, first ? DType::i8 : DType::u8);
                 const Wide b = number(in[1] >> i, second ? DType::i8 : DType::u8);
                 out += static_cast<Word>(a * b);
               }
               return out;
             });
}

void find_bit(Draft& draft) {
  const Integer& of = kIntegers[static_cast<std::size_t>(draft.dice.between(2, 5))];
  const bool shift = draft.dice.chance(50);
  const int width = num::bits(of.dtype);
  check_both(
      draft,
      {fmt::format("bfind{}.{}", shift ? ".shiftamt" : "", of.word), DType::u32, {of.dtype}, ""},
      [&](const std::vector<Word>& in) -> Word {
        const Wide value = number(in[0], of.dtype);
        for (int i = width - 1; i >= 0; --i) {
          if ((in[0] >> i & 1) == (value < 0 ? 0 : 1))
            return static_cast<Word>(shift ? width - 1 - i : i);
        }
        return 0xffffffffU;
      });
}

/// A number that both types of 16 bits have.
Word float16_bits(double value, DType dtype) {
  if (value == 0) return std::signbit(value) ? 0x8000U : 0U;
  const int mantissa = dtype == DType::f16 ? 10 : 7, bias = dtype == DType::f16 ? 15 : 127;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1)
  const auto digits = static_cast<Word>(std::ldexp(fraction, mantissa + 1));
  return (value < 0 ? 0x8000U : 0U) | static_cast<Word>(exponent - 1 + bias) << mantissa |
         (digits & low_bits(mantissa));
}

void pair(Draft& draft) {
  const DType half = draft.dice.one_of({DType::f16, DType::bf16});
  const char* op = draft.dice.one_of<const char*>(
      {"add", "add.rn", "sub", "mul.rn", "fma.rn", "min", "max", "min.NaN", "max.NaN"});
  const std::string_view name(op);
  const std::size_t inputs = name == "fma.rn" ? 3 : 2;
  Case both[2];
  for (Case& one : both) {
    one.in.assign(inputs, 0);
    for (int shift = 16; shift >= 0; shift -= 16) {
      std::array<double, 3> v{};
      for (std::size_t i = 0; i < inputs; ++i) {
        v[i] = draft.dice.between(-6, 6) + draft.dice.below(2) * 0.5;
        one.in[i] |= float16_bits(v[i], half) << shift;
      }
      one.out |= float16_bits(name.starts_with("add")   ? v[0] + v[1]
                              : name.starts_with("sub") ? v[0] - v[1]
                              : name.starts_with("mul") ? v[0] * v[1]
                              : name.starts_with("fma") ? v[0] * v[1] + v[2]
                              : name.starts_with("min") ? std::min(v[0], v[1])
                                                        : std::max(v[0], v[1]),
                              half)
                 << shift;
    }
  }
  check(draft,
        {fmt::format("{}.{}", op, half == DType::f16 ? "f16x2" : "bf16x2"), DType::u32,
         std::vector<DType>(inputs, DType::u32), ""},
        both[0], both[1]);
}

void integers(Draft& draft, int count) {
  static constexpr auto kAll = std::to_array<void (*)(Draft&)>(
      {prmt, prmt, lop3, extract, extract, insert, funnel, product, product, dot, find_bit, pair});
  for (int i = 0; i < count; ++i) draft.dice.pick(kAll)(draft);
  draft.mark("known results of integers");
}

/// Values that tell the modifiers of cvt apart, as bits (IEEE 754; OCP 8-bit floats).
struct Conversion {
  const char* text;
  DType to, from;
  std::array<Word, 2> in;
  Word out;
};

constexpr Word kDenormal = 1;                     // of float32
constexpr Word kAboveTie16 = 0x3f801400;          // 1 + 2^-11 + 2^-13
constexpr Word kAboveTieB16 = 0x3f80a000;         // 1 + 2^-8 + 2^-10
constexpr Word kAboveTie32 = 0x3ff0000010400000;  // 1 + 2^-24 + 2^-30, as float64
constexpr Word kDenormal64 = 0x36a0000000000000;  // 2^-149
constexpr Word kMinusFive = 0xfffffffb;
constexpr Word kOneTwo = 0x3c004000;  // a pair of float16

constexpr auto kConversions = std::to_array<Conversion>({
    {"cvt.rni.s32.f32", DType::i32, DType::f32, {0x40200000}, 2},
    {"cvt.rni.s32.f32", DType::i32, DType::f32, {0x40600000}, 4},
    {"cvt.rzi.s32.f32", DType::i32, DType::f32, {0xc0300000}, 0xfffffffe},
    {"cvt.rmi.s32.f32", DType::i32, DType::f32, {0xc0100000}, 0xfffffffd},
    {"cvt.rpi.s32.f32", DType::i32, DType::f32, {0x40100000}, 3},
    {"cvt.rpi.ftz.s32.f32", DType::i32, DType::f32, {kDenormal}, 0},
    {"cvt.rpi.s32.f32", DType::i32, DType::f32, {kDenormal}, 1},
    {"cvt.rzi.u32.f32", DType::u32, DType::f32, {0xc0300000}, 0},
    {"cvt.rzi.s64.f32", DType::i64, DType::f32, {0xc0300000}, 0xfffffffffffffffe},
    {"cvt.rni.s32.f64", DType::i32, DType::f64, {0x4004000000000000}, 2},
    {"cvt.rni.s32.f16", DType::i32, DType::f16, {0x4100}, 2},
    {"cvt.rn.f32.s32", DType::f32, DType::i32, {16777219}, 0x4b800002},
    {"cvt.rz.f32.s32", DType::f32, DType::i32, {16777219}, 0x4b800001},
    {"cvt.rm.f32.s32", DType::f32, DType::i32, {0xfeffffff}, 0xcb800001},
    {"cvt.rp.f32.s32", DType::f32, DType::i32, {0xfeffffff}, 0xcb800000},
    {"cvt.rn.f32.u32", DType::f32, DType::u32, {0xffffffff}, 0x4f800000},
    {"cvt.rz.f32.u32", DType::f32, DType::u32, {0xffffffff}, 0x4f7fffff},
    {"cvt.rn.f16.s32", DType::f16, DType::i32, {kMinusFive}, 0xc500},
    {"cvt.rn.f64.s32", DType::f64, DType::i32, {kMinusFive}, 0xc014000000000000},
    {"cvt.rni.f32.f32", DType::f32, DType::f32, {0x40200000}, 0x40000000},
    {"cvt.rzi.f32.f32", DType::f32, DType::f32, {0xc0300000}, 0xc0000000},
    {"cvt.rmi.f32.f32", DType::f32, DType::f32, {0xc0100000}, 0xc0400000},
    {"cvt.rpi.f32.f32", DType::f32, DType::f32, {0x40100000}, 0x40400000},
    {"cvt.rpi.sat.f32.f32", DType::f32, DType::f32, {0x40100000}, 0x3f800000},
    {"cvt.rpi.ftz.f32.f32", DType::f32, DType::f32, {kDenormal}, 0},
    {"cvt.rpi.f32.f32", DType::f32, DType::f32, {kDenormal}, 0x3f800000},
    {"cvt.rmi.f16.f16", DType::f16, DType::f16, {0xc080}, 0xc200},
    {"cvt.rpi.f64.f64", DType::f64, DType::f64, {0x4002000000000000}, 0x4008000000000000},
    {"cvt.sat.f32.f32", DType::f32, DType::f32, {0x40200000}, 0x3f800000},
    {"cvt.sat.f32.f32", DType::f32, DType::f32, {0xbf800000}, 0},
    {"cvt.rn.f16.f32", DType::f16, DType::f32, {kAboveTie16}, 0x3c01},
    {"cvt.rz.f16.f32", DType::f16, DType::f32, {kAboveTie16}, 0x3c00},
    {"cvt.rm.f16.f32", DType::f16, DType::f32, {kAboveTie16 | 0x80000000}, 0xbc01},
    {"cvt.rp.f16.f32", DType::f16, DType::f32, {kAboveTie16}, 0x3c01},
    {"cvt.rp.f16.f32", DType::f16, DType::f32, {kAboveTie16 | 0x80000000}, 0xbc00},
    {"cvt.rn.sat.f16.f32", DType::f16, DType::f32, {0x40200000}, 0x3c00},
    {"cvt.rn.relu.f16.f32", DType::f16, DType::f32, {0xbf800000}, 0},
    {"cvt.rn.bf16.f32", DType::bf16, DType::f32, {kAboveTieB16}, 0x3f81},
    {"cvt.rz.bf16.f32", DType::bf16, DType::f32, {kAboveTieB16}, 0x3f80},
    {"cvt.rn.relu.bf16.f32", DType::bf16, DType::f32, {0xbf800000}, 0},
    {"cvt.f32.f16", DType::f32, DType::f16, {0x3c01}, 0x3f802000},
    {"cvt.f32.bf16", DType::f32, DType::bf16, {0x3f81}, 0x3f810000},
    {"cvt.f64.f32", DType::f64, DType::f32, {0x3fc00000}, 0x3ff8000000000000},
    {"cvt.f64.f32", DType::f64, DType::f32, {kDenormal}, kDenormal64},
    {"cvt.ftz.f64.f32", DType::f64, DType::f32, {kDenormal}, 0},
    {"cvt.rn.f32.f64", DType::f32, DType::f64, {kAboveTie32}, 0x3f800001},
    {"cvt.rz.f32.f64", DType::f32, DType::f64, {kAboveTie32}, 0x3f800000},
    {"cvt.rn.f32.f64", DType::f32, DType::f64, {kDenormal64}, 1},
    {"cvt.rn.ftz.f32.f64", DType::f32, DType::f64, {kDenormal64}, 0},
    {"cvt.u16.u32", DType::u16, DType::u32, {70000}, 4464},
    {"cvt.s16.s32", DType::i16, DType::i32, {70000}, 4464},
    {"cvt.sat.s16.s32", DType::i16, DType::i32, {70000}, 32767},
    {"cvt.sat.s16.s32", DType::i16, DType::i32, {0xfffeee90}, 0x8000},
    {"cvt.sat.u16.s32", DType::u16, DType::i32, {kMinusFive}, 0},
    {"cvt.sat.s32.u32", DType::i32, DType::u32, {0xffffffff}, 0x7fffffff},
    {"cvt.sat.u32.s64", DType::u32, DType::i64, {0x100000005}, 0xffffffff},
    {"cvt.sat.u64.s32", DType::u64, DType::i32, {kMinusFive}, 0},
    {"cvt.s64.s32", DType::i64, DType::i32, {kMinusFive}, 0xfffffffffffffffb},
    {"cvt.u64.s32", DType::u64, DType::i32, {kMinusFive}, 0xfffffffffffffffb},
    {"cvt.u64.u32", DType::u64, DType::u32, {kMinusFive}, kMinusFive},
    {"cvt.rn.f16x2.f32", DType::u32, DType::f32, {kAboveTie16, 0x40200000}, 0x3c014100},
    {"cvt.rz.f16x2.f32", DType::u32, DType::f32, {kAboveTie16, 0x40200000}, 0x3c004100},
    {"cvt.rn.relu.f16x2.f32", DType::u32, DType::f32, {0xbf800000, 0x40000000}, 0x4000},
    {"cvt.rn.bf16x2.f32", DType::u32, DType::f32, {kAboveTieB16, 0x40200000}, 0x3f814020},
    {"cvt.rz.bf16x2.f32", DType::u32, DType::f32, {kAboveTieB16, 0x40200000}, 0x3f804020},
    {"cvt.rn.satfinite.e4m3x2.f32", DType::u16, DType::f32, {0x3f800000, 0x447a0000}, 0x387e},
    {"cvt.rn.satfinite.e5m2x2.f32", DType::u16, DType::f32, {0x3f800000, 0x49742400}, 0x3c7b},
    {"cvt.rn.satfinite.relu.e4m3x2.f32", DType::u16, DType::f32, {0xbf800000, 0x40000000}, 0x40},
    {"cvt.rn.f16x2.e4m3x2", DType::u32, DType::u16, {0x3840}, kOneTwo},
    {"cvt.rn.f16x2.e5m2x2", DType::u32, DType::u16, {0x3c40}, kOneTwo},
    {"cvt.rn.relu.f16x2.e4m3x2", DType::u32, DType::u16, {0xb840}, 0x4000},
    {"cvt.rn.satfinite.e4m3x2.f16x2", DType::u16, DType::u32, {kOneTwo}, 0x3840},
    {"cvt.rn.satfinite.e5m2x2.f16x2", DType::u16, DType::u32, {kOneTwo}, 0x3c40},
    {"cvt.rna.tf32.f32", DType::u32, DType::f32, {0x3f801000}, 0x3f802000},
    {"cvt.rn.tf32.f32", DType::u32, DType::f32, {0x3f801000}, 0x3f800000},
    {"cvt.rz.tf32.f32", DType::u32, DType::f32, {kAboveTie16}, 0x3f800000},
    {"cvt.rn.relu.tf32.f32", DType::u32, DType::f32, {0xbf800000}, 0},
});

void conversions(Draft& draft, int count) {
  for (int i = 0; i < count; ++i) {
    const Conversion& row = draft.dice.pick(kConversions);
    const bool two = row.in[1] != 0;
    const Case one{{row.in.begin(), row.in.begin() + (two ? 2 : 1)}, row.out};
    check(draft, {row.text, row.to, std::vector<DType>(two ? 2 : 1, row.from), ""}, one, one);
  }
  draft.mark("known results of conversions");
}

void known(Draft& draft) {
  draft.dice.chance(60) ? integers(draft, 6) : conversions(draft, 8);
  // Many more, for there are many forms; what follows is drawn as if there were none.
  const Dice before = draft.dice;
  integers(draft, 10);
  conversions(draft, 12);
  draft.dice = before;
  draft.mark("known results");
}

constexpr auto kKnownCorners = std::to_array<Corner>({
    {"known results", known},
});

}  // namespace

std::span<const Corner> known_corners() {
  return kKnownCorners;
}

}  // namespace tirx::fuzz
