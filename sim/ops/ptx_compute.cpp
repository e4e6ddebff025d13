// Arithmetic on registers by name: the definitions of the PTX ISA, lane by lane.
#include <algorithm>
#include <bit>

#include "numerics/convert.hpp"
#include "sim/ops/context.hpp"

namespace tirx::sim::ops {

namespace {

using num::DType;

__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

/// f(lane) in each lane; any poisoned operand poisons the result.
template <typename F>
Next lanewise(Context& c, F&& f) {
  for_lanes(c.lanes, [&](int lane) {
    bool poison = false;
    for (int arg = 0; arg < static_cast<int>(c.site.args.size()) && c.has(arg); ++arg) {
      poison = poison || c.poisoned(arg, lane);
    }
    c.result(lane, f(lane), poison);
  });
  return Next::go_on;
}

std::uint32_t low(const Context& c, int arg, int lane) {
  return static_cast<std::uint32_t>(c.bits(arg, lane));
}

std::uint32_t permute(std::string_view mode, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  const auto byte = [&](std::uint32_t i) {
    return static_cast<std::uint32_t>(bytes >> 8 * i) & 0xff;
  };
  std::uint32_t d = 0;
  const std::uint32_t at = c & 3;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t value = 0;
    if (mode.empty()) {
      const std::uint32_t selector = c >> 4 * i & 0xf;
      value = byte(selector & 7);
      if ((selector & 8) != 0) value = (value & 0x80) != 0 ? 0xff : 0;
    } else if (mode == "f4e") {
      value = byte(at + i);
    } else if (mode == "b4e") {
      value = byte((at - i) & 7);
    } else if (mode == "rc8") {
      value = byte(at);
    } else if (mode == "ecl") {
      value = byte(std::max(i, at));
    } else if (mode == "ecr") {
      value = byte(std::min(i, at));
    } else {  // rc16
      value = byte((i & 1) + 2 * (at & 1));
    }
    d |= value << 8 * i;
  }
  return d;
}

std::uint64_t field(std::uint64_t a, std::uint32_t b, std::uint32_t c, int width, bool is_signed) {
  const int position = static_cast<int>(b & 0xff), length = static_cast<int>(c & 0xff);
  const int top = width - 1;
  const bool sign =
      is_signed && length != 0 && (a >> std::min(position + length - 1, top) & 1) != 0;
  std::uint64_t d = 0;
  for (int i = 0; i < width; ++i) {
    const bool bit = i < length && position + i <= top ? (a >> (position + i) & 1) != 0 : sign;
    d |= static_cast<std::uint64_t>(bit) << i;
  }
  return d;
}

std::uint64_t inserted(
    std::uint64_t a, std::uint64_t b, std::uint32_t c, std::uint32_t d, int width) {
  const int position = static_cast<int>(c & 0xff), length = static_cast<int>(d & 0xff);
  for (int i = 0; i < length && position + i < width; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (position + i);
    b = (a >> i & 1) != 0 ? b | bit : b & ~bit;
  }
  return b;
}

std::uint64_t mask_of(int width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// The product of two integers as 128 bits.
Unsigned128 product(const Context& c, int lane) {
  const DType type = c.operand(0).type.dtype;
  if (num::is_signed(type)) {
    return static_cast<Unsigned128>(static_cast<Int128>(num::to_int64(c.bits(0, lane), type)) *
                                    num::to_int64(c.bits(1, lane), type));
  }
  return static_cast<Unsigned128>(c.bits(0, lane)) * c.bits(1, lane);
}

std::uint64_t multiplied(const Context& c, int lane) {
  const std::string_view part = c.site.instruction->word(0);
  const int width = num::bits(c.operand(0).type.dtype);
  const Unsigned128 whole = product(c, lane);
  if (part == "hi") return static_cast<std::uint64_t>(whole >> width) & mask_of(width);
  if (part == "lo") return static_cast<std::uint64_t>(whole) & mask_of(width);
  return static_cast<std::uint64_t>(whole) & mask_of(2 * width);
}

num::Round rounding_of(std::string_view word) {
  if (word == "rz" || word == "rzi") return num::Round::rz;
  if (word == "rm" || word == "rmi") return num::Round::rm;
  if (word == "rp" || word == "rpi") return num::Round::rp;
  if (word == "rna") return num::Round::rna;
  return num::Round::rn;
}

DType element_of(std::string_view word) {
  if (word == "f16x2") return DType::f16;
  if (word == "bf16x2") return DType::bf16;
  if (word == "e4m3x2") return DType::e4m3;
  if (word == "e5m2x2") return DType::e5m2;
  if (word == "tf32") return DType::tf32;
  return ir::ptx::register_of(word).dtype;
}

/// An integer clamped to the range of another type.
std::uint64_t clamped(std::uint64_t bits, DType from, DType to) {
  const Int128 value = num::is_signed(from) ? static_cast<Int128>(num::to_int64(bits, from))
                                            : static_cast<Int128>(bits);
  const int width = num::bits(to);
  const Int128 one = 1;
  const Int128 least = num::is_signed(to) ? -(one << (width - 1)) : 0;
  const Int128 most = num::is_signed(to) ? (one << (width - 1)) - 1 : (one << width) - 1;
  return static_cast<std::uint64_t>(std::clamp(value, least, most)) & mask_of(width);
}

/// To an integral value of the same type.
std::uint64_t integral(std::uint64_t bits, DType type, std::string_view rounding) {
  using num::ScalarOp;
  const ScalarOp op = rounding == "rzi"   ? ScalarOp::trunc
                      : rounding == "rmi" ? ScalarOp::floor
                      : rounding == "rpi" ? ScalarOp::ceil
                                          : ScalarOp::rint;
  return num::evaluate(op, type, bits).value;
}

}  // namespace

Next eval(ir::PtxPrmt, Context& c) {
  const std::string_view mode = c.site.instruction->word(1);
  return lanewise(c, [&](int lane) {
    return permute(mode, low(c, 0, lane), low(c, 1, lane), low(c, 2, lane));
  });
}

Next eval(ir::PtxLop3, Context& c) {
  return lanewise(c, [&](int lane) {
    const std::uint32_t a = low(c, 0, lane), b = low(c, 1, lane), x = low(c, 2, lane);
    const std::uint32_t table = low(c, 3, lane);
    std::uint32_t d = 0;
    for (std::uint32_t term = 0; term < 8; ++term) {
      if ((table >> term & 1) == 0) continue;
      d |= ((term & 4) != 0 ? a : ~a) & ((term & 2) != 0 ? b : ~b) & ((term & 1) != 0 ? x : ~x);
    }
    return d;
  });
}

Next eval(ir::PtxBfe, Context& c) {
  const DType type = c.operand(0).type.dtype;
  return lanewise(c, [&](int lane) {
    return field(c.bits(0, lane), low(c, 1, lane), low(c, 2, lane), num::bits(type),
                 num::is_signed(type));
  });
}

Next eval(ir::PtxBfi, Context& c) {
  const int width = num::bits(c.operand(0).type.dtype);
  return lanewise(c, [&](int lane) {
    return inserted(c.bits(0, lane), c.bits(1, lane), low(c, 2, lane), low(c, 3, lane), width);
  });
}

Next eval(ir::PtxShf, Context& c) {
  const bool left = c.site.instruction->word(0) == "l";
  const bool clamps = c.site.instruction->word(1) == "clamp";
  return lanewise(c, [&](int lane) {
    const std::uint64_t bits = std::uint64_t{low(c, 1, lane)} << 32 | low(c, 0, lane);
    const std::uint32_t n =
        clamps ? std::min<std::uint32_t>(low(c, 2, lane), 32) : low(c, 2, lane) & 31;
    return static_cast<std::uint32_t>(left ? bits << n >> 32 : bits >> n);
  });
}

Next eval(ir::PtxMul, Context& c) {
  return lanewise(c, [&](int lane) { return multiplied(c, lane); });
}

Next eval(ir::PtxMad, Context& c) {
  const int width = num::bits(c.site.result.dtype);
  return lanewise(
      c, [&](int lane) { return (multiplied(c, lane) + c.bits(2, lane)) & mask_of(width); });
}

Next eval(ir::PtxDp4a, Context& c) {
  const bool a_signed = c.site.instruction->word(0) == "s32";
  const bool b_signed = c.site.instruction->word(1) == "s32";
  const auto byte = [](std::uint32_t word, int i, bool is_signed) {
    const auto value = static_cast<std::uint8_t>(word >> 8 * i);
    return is_signed ? std::int64_t{static_cast<std::int8_t>(value)} : std::int64_t{value};
  };
  return lanewise(c, [&](int lane) {
    std::int64_t sum = static_cast<std::int64_t>(low(c, 2, lane));
    for (int i = 0; i < 4; ++i) {
      sum += byte(low(c, 0, lane), i, a_signed) * byte(low(c, 1, lane), i, b_signed);
    }
    return static_cast<std::uint32_t>(sum);
  });
}

Next eval(ir::PtxBfind, Context& c) {
  const DType type = c.operand(0).type.dtype;
  const int width = num::bits(type);
  const bool shift = c.site.instruction->has("shiftamt");
  return lanewise(c, [&](int lane) -> std::uint32_t {
    std::uint64_t bits = c.bits(0, lane);
    if (num::is_signed(type) && num::to_int64(bits, type) < 0) bits = ~bits & mask_of(width);
    if (bits == 0) return 0xffffffffU;
    const auto position = static_cast<std::uint32_t>(63 - std::countl_zero(bits));
    return shift ? static_cast<std::uint32_t>(width - 1) - position : position;
  });
}

Next eval(ir::PtxCvt, Context& c) {
  const ir::ptx::Instruction& made = *c.site.instruction;
  const std::string_view rounding = made.word(0);
  const DType to = element_of(made.word(5)), from = element_of(made.word(6));
  num::Conversion form;
  form.round = rounding_of(rounding);
  form.ftz = made.has("ftz");
  form.sat = made.has("sat");
  form.satfinite = made.has("satfinite");
  form.relu = made.has("relu");
  const auto one = [&](std::uint64_t bits) { return num::convert(bits, from, to, form); };
  const bool pair = made.word(5).ends_with("x2");
  const int narrow = num::bits(to);
  if (pair && made.word(6) == "f32") {
    // The first source becomes the upper half.
    return lanewise(
        c, [&](int lane) { return one(c.bits(0, lane)) << narrow | one(c.bits(1, lane)); });
  }
  if (pair) {
    const int source = num::bits(from);
    return lanewise(c, [&](int lane) {
      const std::uint64_t bits = c.bits(0, lane);
      return one(bits >> source & mask_of(source)) << narrow | one(bits & mask_of(source));
    });
  }
  if (num::is_int(from) && num::is_int(to)) {
    return lanewise(c, [&](int lane) {
      const std::uint64_t bits = c.bits(0, lane);
      return form.sat ? clamped(bits, from, to) : num::from_int64(num::to_int64(bits, from), to);
    });
  }
  const bool rounds_in_place = to == from && !rounding.empty();
  return lanewise(c, [&](int lane) {
    std::uint64_t bits = c.bits(0, lane);
    if (rounds_in_place) {
      if (form.ftz) bits = num::convert(bits, from, to, {.ftz = true});
      bits = integral(bits, from, rounding);
      return form.sat ? num::convert(bits, from, to, {.sat = true}) : bits;
    }
    return one(bits);
  });
}

}  // namespace tirx::sim::ops
