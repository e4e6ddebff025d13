// Values that the GPU's compiler would compute in another way if it saw through them
// (docs/fidelity.md, "Random programs"): approximations of what is known, negations beside minima
// and of narrow integers, zeros of both signs that are chosen, bits that are taken for numbers.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/ends.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr int kCount = 6;

void approximations(Draft& draft) {
  Shown shown(draft, DType::f32, kCount);
  const std::string local = draft.fresh("m"), array = draft.fresh("L");
  const char* constant = draft.dice.one_of<const char*>({"1.0", "0.7", "2.5", "0.3", "3.0"});
  draft.line("{}: T.float32 = {}", local, constant);
  draft.line("{} = T.alloc_local((2,), \"float32\")", array);
  draft.line("{}[0] = T.float32({})", array, draft.dice.one_of<const char*>({"0.9", "1.1", "5.0"}));
  draft.line("{}[1] = T.cast(warp + {}, \"float32\")", array, draft.dice.between(1, 5));
  const std::string in = draft.input(DType::f32);
  for (int i = 0; i < kCount; ++i) {
    const std::string number = fmt::format(
        "T.float32({})", draft.dice.one_of<const char*>(
                             {"1.0", "0.1", "0.7", "2.5", "3.3", "10.0", "0.003", "77.0"}));
    std::string known;
    switch (draft.dice.below(10)) {
      case 0:
        known = local;
        break;
      case 1:
        known = fmt::format("{}[{}]", array, draft.dice.below(2));
        break;
      case 2:
        known = fmt::format("({} + {})", number, local);
        break;
      case 3:
        known = fmt::format("T.Select({}[lane] > T.float32(0.0), {}, {})", in, number, local);
        break;
      case 4:
        known = fmt::format("T.cast(T.float16({}), \"float32\")", constant);
        break;
      case 5:
        // A constant, whatever the data are.
        known = fmt::format("T.{}(T.max({}[lane], T.float32(4.0)), T.float32(3.5))", "min", in);
        break;
      case 6:
        known = fmt::format("T.cast((tx & 3) + {}, \"float32\")", draft.dice.between(1, 4));
        break;
      case 7:
        known = fmt::format("T.reinterpret(\"float32\", T.uint32({}))",
                            draft.dice.one_of({0x3f800000, 0x40490fdb, 0x3dcccccd}));
        break;
      default:
        known = number;
    }
    shown.show(fmt::format(
        "T.{}({})",
        draft.dice.one_of<const char*>(
            {"sin_approx", "cos_approx", "lg2_approx", "ex2_approx", "rcp_approx", "rsqrt_approx",
             "sqrt_approx", "sin_approx_ftz", "cos_approx_ftz", "lg2_approx_ftz", "ex2_approx_ftz",
             "sin_approx", "cos_approx", "lg2_approx"}),
        known));
  }
  draft.mark("approximation of what is known");
}

/// Of x, in one of its spellings.
std::string negation(Draft& draft, const std::string& x, DType dtype, const std::string& minus) {
  const std::string type = type_name(dtype);
  switch (draft.dice.below(num::is_signed(dtype) ? 9 : 5)) {
    case 0:
      return fmt::format("T.{}(0) - {}", type, x);
    case 1:
      return fmt::format("(~{}) + T.{}(1)", x, type);
    case 2:
      return fmt::format("T.{}(1) + (~{})", type, x);
    case 5:
      return fmt::format("{} * T.{}(-1)", x, type);
    case 6:
      return fmt::format("T.{}(-1) * {}", type, x);
    case 7:
      return draft.dice.chance(50) ? fmt::format("{} // T.{}(-1)", x, type)
                                   : fmt::format("T.truncdiv({}, T.{}(-1))", x, type);
    case 8:
      return num::bits(dtype) <= 16 ? fmt::format("{} * {}", x, minus) : fmt::format("(-{})", x);
    default:
      return fmt::format("(-{})", x);
  }
}

void nested_minima(Draft& draft) {
  const DType dtype = draft.dice.one_of(
      {DType::i32, DType::i32, DType::i32, DType::u32, DType::i16, DType::u16, DType::i8});
  const std::string type = type_name(dtype);
  Shown shown(draft, dtype, kCount);
  const std::string array = ends(draft, dtype), minus = draft.fresh("m");
  draft.line("{}: T.{} = {}", minus, type, num::is_signed(dtype) ? -1 : 1);
  const auto end = [&] {
    return fmt::format("{}[(tx {} + {}) % {}]", array,
                       draft.dice.one_of<const char*>({"", "* 3", "* 5", "// 2", "* 7"}),
                       draft.dice.below(kEnds), kEnds);
  };
  for (int i = 0; i + 1 < kCount; ++i) {
    const char* op = draft.dice.one_of<const char*>({"min", "max"});
    const char* inner = draft.dice.chance(80) ? op : draft.dice.one_of<const char*>({"min", "max"});
    const std::string negated = negation(draft, end(), dtype, minus);
    std::string one = draft.dice.chance(75) ? fmt::format("T.{}({}, {})", inner, end(), negated)
                                            : fmt::format("T.{}({}, {})", inner, negated, end());
    if (draft.dice.chance(30)) {
      const std::string v = draft.fresh("v");
      draft.line("{}: T.let = {}", v, one);
      one = v;
    }
    shown.show(draft.dice.chance(75) ? fmt::format("T.{}({}, {})", op, end(), one)
                                     : fmt::format("T.{}({}, {})", op, one, end()));
  }
  // Every other one is negated.
  const std::string m = draft.fresh("m"), i = draft.fresh("i");
  draft.line("{}: T.{} = {}", m, type, end());
  draft.line("for {} in T.unroll(4):", i);
  {
    const Draft::Block block(draft);
    draft.line("{0} = T.{1}({0}, {2})", m, draft.dice.one_of<const char*>({"min", "max"}),
               negation(draft, fmt::format("{}[({} + tx) % {}]", array, i, kEnds), dtype, minus));
  }
  shown.show(m);
  draft.mark("negation beside minima");
}

/// -32768 in 16 bits, from narrow values and from wide ones that are cut.
void narrow_negations(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i16, DType::i16, DType::i8, DType::u16, DType::u8});
  const bool cut = draft.dice.chance(50);  // from 32 bits or 64
  const DType wide =
      cut ? draft.dice.one_of({DType::i32, DType::i32, DType::i64, DType::u32}) : dtype;
  const std::string array = ends(draft, dtype), minus = draft.fresh("m"), type = type_name(dtype);
  const DType out = draft.dice.one_of({DType::i32, DType::i64, DType::u16, DType::f32});
  Shown shown(draft, out, kCount);
  draft.line("{}: T.{} = {}", minus, type_name(wide), num::is_signed(wide) ? -1 : 1);
  for (int i = 0; i < kCount; ++i) {
    std::string x = end_of(draft, array);
    if (cut) x = fmt::format("T.cast({}, \"{}\")", x, type_name(wide));
    std::string value;
    if (draft.dice.chance(25) && num::is_signed(wide)) {
      // By a power of two: a shift and a negation.
      value = fmt::format("{} * T.{}({})", x, type_name(wide), draft.dice.one_of({-2, -8, -64}));
    } else {
      value = negation(draft, x, wide, minus);
    }
    switch (draft.dice.below(4)) {
      case 0: {
        const std::string v = draft.fresh("v");
        draft.line("{}: T.let = {}", v, value);
        value = v;
        break;
      }
      case 1: {
        const std::string m = draft.fresh("m");
        draft.line("{}: T.{} = {}", m, type_name(wide), value);
        value = m;
        break;
      }
      default:
        break;
    }
    if (cut && wide != DType::u32 && draft.dice.chance(30))
      value = fmt::format("T.cast({}, \"{}\")", value, wide == DType::i64 ? "int32" : "int64");
    if (cut) value = fmt::format("T.cast({}, \"{}\")", value, type);
    switch (draft.dice.below(4)) {
      case 0:
        value = fmt::format("({}) >> T.{}({})", value, type, draft.dice.between(1, 3));
        break;
      case 1:
        value = fmt::format("T.Select(({}) < T.{}(0), T.{}(1), T.{}(2))", value, type, type, type);
        if (num::is_signed(dtype)) break;
        value = fmt::format("T.Select(({}) > T.{}(9), T.{}(1), T.{}(2))", end_of(draft, array),
                            type, type, type);
        break;
      default:
        break;
    }
    shown.show(fmt::format("T.cast({}, \"{}\")", value, type_name(out)));
  }
  draft.mark("negation of narrow integers");
}

/// A zero whose sign is chosen, and comparisons' 0 and 1 as numbers and as bits.
void chosen(Draft& draft) {
  Shown shown(draft, DType::f32, kCount);
  const std::string array = ends(draft, DType::i32), m = draft.fresh("m"), v = draft.fresh("v");
  const auto holds = [&] {
    return fmt::format("{} {} T.int32({})", end_of(draft, array),
                       draft.dice.one_of<const char*>({">", "<=", "==", "!="}),
                       draft.dice.one_of({0, 1, 7, -1}));
  };
  const auto select = [&](const char* a, const char* b) {
    return fmt::format("T.{}({}, T.float32({}), T.float32({}))",
                       draft.dice.one_of<const char*>({"Select", "if_then_else"}), holds(), a, b);
  };
  draft.line("{}: T.float32 = T.cast({}, \"float32\")", m, holds());
  draft.line("{}: T.let = {}", v, select("0.0", "1.0"));
  if (draft.dice.chance(50)) {
    draft.line("if {}:", holds());
    const Draft::Block block(draft);
    draft.line("{} = T.float32({})", m, draft.dice.one_of<const char*>({"0.0", "1.0"}));
  }
  const std::string choices[] = {m,
                                 v,
                                 fmt::format("T.cast({}, \"float32\")", holds()),
                                 fmt::format("T.abs({})", m),
                                 fmt::format("T.max({}, {})", m, v),
                                 fmt::format("T.min({}, {})", v, m),
                                 select("0.0", "1.0"),
                                 select("1.0", "0.0")};
  for (int i = 0; i < kCount; ++i) {
    switch (draft.dice.below(7)) {
      case 0:
        shown.show(select("-0.0", "-1.0"));
        break;
      case 1:
        shown.show(select("-1.0", "-0.0"));
        break;
      case 2: {
        // 2^-24, not 1.
        const std::string tiny = draft.fresh("v");
        const char* bits = draft.dice.one_of<const char*>({"uint16", "int16"});
        draft.line("{}: T.let = T.reinterpret(\"float16\", T.cast({}, \"{}\"))", tiny, holds(),
                   bits);
        shown.show(fmt::format(
            "T.{}(T.cast({}, \"float32\"))",
            draft.dice.one_of<const char*>({"sin", "cos", "exp", "sqrt", "log1p"}), tiny));
        break;
      }
      case 3: {
        const std::string n = draft.fresh("m");
        draft.line(
            "{}: T.float32 = -{}", n,
            draft.dice.pick(std::vector<std::string>(std::begin(choices), std::end(choices))));
        shown.show(n);
        break;
      }
      default:
        shown.show(fmt::format("(-{})", draft.dice.pick(std::vector<std::string>(
                                            std::begin(choices), std::end(choices)))));
    }
  }
  draft.mark("zero that is chosen");
}

constexpr auto kHiddenCorners = std::to_array<Corner>({
    {"approximation of what is known", approximations},
    {"negation beside minima", nested_minima},
    {"negation of narrow integers", narrow_negations},
    {"zero that is chosen", chosen},
});

}  // namespace

std::span<const Corner> hidden_corners() {
  return kHiddenCorners;
}

}  // namespace tirx::fuzz
