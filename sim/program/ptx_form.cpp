// See ptx_form.hpp; arithmetic on registers is as the PTX ISA defines it (9.7.1, 9.7.8, 9.7.9).
#include "sim/program/ptx_form.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>

#include "ir/all_ops.hpp"
#include "numerics/scalar.hpp"
#include "sim/machine/mbarrier.hpp"

namespace tirx::sim {

namespace {

using ir::ptx::Instruction;
using num::DType;

__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

using Args = const std::uint64_t*;

std::uint32_t low(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits);
}

std::uint64_t mask_of(int width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

enum Permute : int { f4e, b4e, rc8, ecl, ecr, rc16 };

std::uint64_t lane_of(ir::PtxPrmt, const PtxForm& form, Args v) {
  const std::uint64_t bytes = std::uint64_t{low(v[1])} << 32 | low(v[0]);
  const auto byte = [&](std::uint32_t i) {
    return static_cast<std::uint32_t>(bytes >> 8 * i) & 0xff;
  };
  const std::uint32_t c = low(v[2]), at = c & 3;
  std::uint32_t d = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t value = 0;
    switch (form.mode) {
      case f4e:
        value = byte(at + i);
        break;
      case b4e:
        value = byte((at - i) & 7);
        break;
      case rc8:
        value = byte(at);
        break;
      case ecl:
        value = byte(std::max(i, at));
        break;
      case ecr:
        value = byte(std::min(i, at));
        break;
      case rc16:
        value = byte((i & 1) + 2 * (at & 1));
        break;
      default: {
        const std::uint32_t selector = c >> 4 * i & 0xf;
        value = byte(selector & 7);
        if ((selector & 8) != 0) value = (value & 0x80) != 0 ? 0xff : 0;
      }
    }
    d |= value << 8 * i;
  }
  return d;
}

std::uint64_t lane_of(ir::PtxLop3, const PtxForm&, Args v) {
  const std::uint32_t a = low(v[0]), b = low(v[1]), c = low(v[2]), table = low(v[3]);
  std::uint32_t d = 0;
  for (std::uint32_t term = 0; term < 8; ++term) {
    if ((table >> term & 1) == 0) continue;
    d |= ((term & 4) != 0 ? a : ~a) & ((term & 2) != 0 ? b : ~b) & ((term & 1) != 0 ? c : ~c);
  }
  return d;
}

std::uint64_t lane_of(ir::PtxBfe, const PtxForm& form, Args v) {
  const int position = static_cast<int>(v[1] & 0xff), length = static_cast<int>(v[2] & 0xff);
  const int top = form.from_bits - 1;
  const bool sign = num::is_signed(form.from) && length != 0 &&
                    (v[0] >> std::min(position + length - 1, top) & 1) != 0;
  std::uint64_t d = 0;
  for (int i = 0; i <= top; ++i) {
    const bool bit = i < length && position + i <= top ? (v[0] >> (position + i) & 1) != 0 : sign;
    d |= static_cast<std::uint64_t>(bit) << i;
  }
  return d;
}

std::uint64_t lane_of(ir::PtxBfi, const PtxForm& form, Args v) {
  const int position = static_cast<int>(v[2] & 0xff), length = static_cast<int>(v[3] & 0xff);
  std::uint64_t d = v[1];
  for (int i = 0; i < length && position + i < form.from_bits; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (position + i);
    d = (v[0] >> i & 1) != 0 ? d | bit : d & ~bit;
  }
  return d;
}

enum Shift : int { left, right };

std::uint64_t lane_of(ir::PtxShf, const PtxForm& form, Args v) {
  const std::uint64_t bits = std::uint64_t{low(v[1])} << 32 | low(v[0]);
  const bool clamps = form.first;
  const std::uint32_t n = clamps ? std::min<std::uint32_t>(low(v[2]), 32) : low(v[2]) & 31;
  return low(form.mode == left ? bits << n >> 32 : bits >> n);
}

enum Product : int { hi, lo, wide };

std::uint64_t multiplied(const PtxForm& form, Args v) {
  const Unsigned128 whole =
      num::is_signed(form.from)
          ? static_cast<Unsigned128>(static_cast<Int128>(num::to_int64(v[0], form.from)) *
                                     num::to_int64(v[1], form.from))
          : static_cast<Unsigned128>(v[0]) * v[1];
  const Unsigned128 part = form.mode == hi ? whole >> form.from_bits : whole;
  return static_cast<std::uint64_t>(part) & mask_of(form.to_bits);
}

std::uint64_t lane_of(ir::PtxMul, const PtxForm& form, Args v) {
  return multiplied(form, v);
}

std::uint64_t lane_of(ir::PtxMad, const PtxForm& form, Args v) {
  return (multiplied(form, v) + v[2]) & mask_of(form.to_bits);
}

std::uint64_t lane_of(ir::PtxDp4a, const PtxForm& form, Args v) {
  const auto byte = [](std::uint64_t word, int i, bool is_signed) {
    const auto value = static_cast<std::uint8_t>(word >> 8 * i);
    return is_signed ? std::int64_t{static_cast<std::int8_t>(value)} : std::int64_t{value};
  };
  auto sum = static_cast<std::int64_t>(low(v[2]));
  for (int i = 0; i < 4; ++i) sum += byte(v[0], i, form.first) * byte(v[1], i, form.second);
  return static_cast<std::uint32_t>(sum);
}

std::uint64_t lane_of(ir::PtxBfind, const PtxForm& form, Args v) {
  std::uint64_t bits = v[0];
  if (num::is_signed(form.from) && num::to_int64(bits, form.from) < 0) {
    bits = ~bits & mask_of(form.from_bits);
  }
  if (bits == 0) return 0xffffffffU;
  const int position = 63 - std::countl_zero(bits);
  const bool shift = form.first;
  return static_cast<std::uint32_t>(shift ? form.from_bits - 1 - position : position);
}

enum Rounding : int { rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

num::Round rounding_of(int mode) {
  switch (mode) {
    case rz:
    case rzi:
      return num::Round::rz;
    case rm:
    case rmi:
      return num::Round::rm;
    case rp:
    case rpi:
      return num::Round::rp;
    case rna:
      return num::Round::rna;
    default:
      return num::Round::rn;
  }
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

std::uint64_t converted(const PtxForm& form, std::uint64_t bits) {
  return num::convert(bits, form.from, form.to, form.conversion);
}

// The forms of cvt.

std::uint64_t one(const PtxForm& form, Args v) {
  return converted(form, v[0]);
}

/// Two float32; the first source becomes the upper half.
std::uint64_t two_into_pair(const PtxForm& form, Args v) {
  return converted(form, v[0]) << form.to_bits | converted(form, v[1]);
}

std::uint64_t pair_into_pair(const PtxForm& form, Args v) {
  return converted(form, v[0] >> form.from_bits & mask_of(form.from_bits)) << form.to_bits |
         converted(form, v[0] & mask_of(form.from_bits));
}

std::uint64_t integer(const PtxForm& form, Args v) {
  return form.conversion.sat ? clamped(v[0], form.from, form.to)
                             : num::from_int64(num::to_int64(v[0], form.from), form.to);
}

/// To an integral value of the same type.
std::uint64_t integral(const PtxForm& form, Args v) {
  using num::ScalarOp;
  const ScalarOp op = form.mode == rzi   ? ScalarOp::trunc
                      : form.mode == rmi ? ScalarOp::floor
                      : form.mode == rpi ? ScalarOp::ceil
                                         : ScalarOp::rint;
  std::uint64_t bits = v[0];
  if (form.conversion.ftz) bits = num::convert(bits, form.from, form.to, {.ftz = true});
  bits = num::evaluate(op, form.from, bits).value;
  return form.conversion.sat ? num::convert(bits, form.from, form.to, {.sat = true}) : bits;
}

PtxForm::Lane conversion(const PtxForm& form, const Instruction& made) {
  if (made.word(5).ends_with("x2")) return made.word(6) == "f32" ? two_into_pair : pair_into_pair;
  if (num::is_int(form.from) && num::is_int(form.to)) return integer;
  return form.to == form.from && form.mode >= 0 ? integral : one;
}

std::uint64_t lane_of(ir::PtxCvt, const PtxForm&, Args) {
  TIRX_CHECK(!"cvt is one of its forms");
  return 0;
}

/// Both halves of a 32-bit register.
std::uint64_t halves(const PtxForm& form, Args v) {
  std::uint64_t d = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto half = [&](int i) { return v[i] >> shift & 0xffff; };
    d |= num::evaluate(form.op, form.from, half(0), half(1), half(2)).value << shift;
  }
  return d;
}

std::uint64_t lane_of(ir::PtxMbarrierPendingCount, const PtxForm&, Args v) {
  return Mbarrier::pending_of(v[0]);
}

/// The type of the elements of a word ("f16x2": float16).
DType element_of(std::string_view word) {
  if (word == "f16x2") return DType::f16;
  if (word == "bf16x2") return DType::bf16;
  if (word == "e4m3x2") return DType::e4m3;
  if (word == "e5m2x2") return DType::e5m2;
  if (word == "tf32") return DType::tf32;
  return ir::ptx::register_of(word).dtype;
}

template <typename Op>
concept ComputesHalves = std::is_same_v<Op, ir::PtxAddPair> || std::is_same_v<Op, ir::PtxSubPair> ||
    std::is_same_v<Op, ir::PtxMulPair> || std::is_same_v<Op, ir::PtxFmaPair> ||
    std::is_same_v<Op, ir::PtxMinPair> || std::is_same_v<Op, ir::PtxMaxPair>;

template <ComputesHalves Op>
std::uint64_t lane_of(Op, const PtxForm& form, Args v) {
  return halves(form, v);
}

/// Every instruction of the list that computes from its own lane's registers.
template <typename Op>
constexpr PtxForm::Lane lane_function() {
  constexpr ir::OpSpec kSpec = Op::kSpec;
  // The name tells those with a row, as in the emitter.
  // No value, or none that is known.
  constexpr bool kNoValue = std::is_same_v<Op, ir::PtxPrefetch> ||
                            std::is_same_v<Op, ir::PtxEx2Half> ||
                            std::is_same_v<Op, ir::PtxTanhHalf>;
  if constexpr (kSpec.name.starts_with("ptx.") && kSpec.effect == ir::Effect::pure && !kNoValue) {
    return [](const PtxForm& form, Args args) { return lane_of(Op{}, form, args); };
  } else {
    return nullptr;
  }
}

template <typename... Ops>
bool is(const Instruction& made) {
  return ((made.op == ir::AllOps::id_of<Ops>()) || ...);
}

/// The operation on each half of a pair.
std::optional<num::ScalarOp> pair_op(const Instruction& made) {
  using num::ScalarOp;
  if (is<ir::PtxAddPair>(made)) return ScalarOp::add;
  if (is<ir::PtxSubPair>(made)) return ScalarOp::sub;
  if (is<ir::PtxMulPair>(made)) return ScalarOp::mul;
  if (is<ir::PtxFmaPair>(made)) return ScalarOp::fma;
  const bool nan = made.has("NaN");
  if (is<ir::PtxMinPair>(made)) return nan ? ScalarOp::min_nan : ScalarOp::min;
  if (is<ir::PtxMaxPair>(made)) return nan ? ScalarOp::max_nan : ScalarOp::max;
  return std::nullopt;
}

num::ScalarOp fold_of(std::string_view word) {
  using num::ScalarOp;
  return word == "add"   ? ScalarOp::add
         : word == "min" ? ScalarOp::min
         : word == "max" ? ScalarOp::max
         : word == "and" ? ScalarOp::bit_and
         : word == "or"  ? ScalarOp::bit_or
                         : ScalarOp::bit_xor;
}

}  // namespace

PtxForm resolve(const Instruction& made) {
  PtxForm form;
  form.lane = ir::AllOps::visit(made.op, [](auto op) { return lane_function<decltype(op)>(); });
  for (const ir::ptx::Operand& operand : made.operands) {
    if (operand.at != 0 || operand.optional) continue;
    const bool output = operand.kind == ir::ptx::Operand::Kind::output;
    (output ? form.to : form.from) = operand.type.dtype;
  }
  if (is<ir::PtxCvt>(made)) {
    form.mode = made.choice(0);
    form.to = element_of(made.word(5));
    form.from = element_of(made.word(6));
    form.conversion.round = rounding_of(form.mode);
    form.conversion.ftz = made.has("ftz");
    form.conversion.sat = made.has("sat");
    form.conversion.satfinite = made.has("satfinite");
    form.conversion.relu = made.has("relu");
    form.lane = conversion(form, made);
  } else if (is<ir::PtxDp4a>(made)) {
    form.first = made.word(0) == "s32";
    form.second = made.word(1) == "s32";
  } else if (is<ir::PtxShf>(made)) {
    form.mode = made.choice(0);
    form.first = made.word(1) == "clamp";
  } else if (is<ir::PtxBfind>(made)) {
    form.first = made.has("shiftamt");
  } else if (const auto op = pair_op(made)) {
    form.op = *op;
    form.from = element_of(made.word(1));
  } else if (is<ir::PtxMul, ir::PtxMad>(made)) {
    form.mode = made.choice(0);
  } else if (is<ir::PtxPrmt, ir::PtxShfl, ir::PtxVote>(made)) {
    form.mode = made.choice(1);
  } else if (is<ir::PtxBarRed>(made)) {
    form.mode = made.choice(0);
  } else if (is<ir::PtxRedux>(made)) {
    form.op = fold_of(made.word(1));
  } else if (is<ir::PtxMma>(made)) {
    form.matrix = ir::ptx::matrix_shape(made);
  }
  form.from_bits = num::bits(form.from);
  form.to_bits = num::bits(form.to);
  return form;
}

}  // namespace tirx::sim
