// Forms of statements and calls that the other phases write in one way only: arms with effects and
// arms that must not be evaluated, registers as vectors, tensors under another type, atomics of
// every type, loops over other types than int32, parts of a warp that meet, 4-bit locals.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/ends.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

std::string own_elements(Draft& draft, DType dtype, const char* prefix) {
  std::string name = draft.fresh(prefix);
  const std::string shape = fmt::format("({}, {})", draft.ctas, draft.threads);
  draft.parameter(name, shape, dtype,
                  fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"int\")", shape,
                              type_name(dtype), draft.dice.below(100000)));
  return name;
}

/// Both arms of a Select are evaluated, of a conditional expression one; lanes choose differently.
void arms(Draft& draft) {
  constexpr int kCount = 5;
  Shown shown(draft, DType::i32, kCount);
  const std::string own = own_elements(draft, DType::i32, "Own"),
                    element = fmt::format("{}.ptr_to([bx, tx])", own),
                    read = fmt::format("{}[bx, tx]", own), in = draft.input(DType::i32);
  const auto holds = [&] {
    return fmt::format("{} % {} {} 0", draft.dice.one_of<const char*>({"tx", "(lane + bx)"}),
                       draft.dice.between(2, 5), draft.dice.one_of<const char*>({"==", "!="}));
  };
  const auto update = [&] {
    return fmt::format("T.cuda.atomic_{}({}, {})",
                       draft.dice.one_of<const char*>({"add", "xor", "exch"}), element,
                       draft.dice.between(1, 90));
  };
  const auto plain = [&] { return expression(draft, DType::i32, draft.dice.below(2)); };
  switch (draft.dice.below(3)) {
    case 0:
      shown.show(fmt::format("T.Select({}, {}, {})", holds(), update(), plain()));
      break;
    case 1:
      shown.show(fmt::format("T.Select({}, {}, {})", holds(), plain(), update()));
      break;
    default:
      shown.show(fmt::format("T.Select({}, {}, {})", holds(), update(), update()));
  }
  shown.show(read);
  // Far outside in the lanes that do not read it.
  const std::string c = draft.fresh("v"), far = draft.fresh("v");
  draft.line("{}: T.let = {}", c, holds());
  draft.line("{}: T.let = T.if_then_else({}, tx % {}, {})", far, c, Draft::kInputs,
             draft.dice.one_of({100000000, -100000000, 1000000000}));
  const std::string outside = fmt::format("{}[{}]", in, far);
  switch (draft.dice.below(4)) {
    case 0:
      shown.show(fmt::format("T.if_then_else({}, {}, {})", c, outside, plain()));
      break;
    case 1:
      shown.show(fmt::format("({} if not {} else {} + 1)", plain(), c, outside));
      break;
    case 2:
      shown.show(fmt::format("T.if_then_else({} and {} > 0, 5, {})", c, outside, plain()));
      break;
    default:
      shown.show(fmt::format("T.if_then_else((not {}) or {} > 0, 5, {})", c, outside, plain()));
  }
  // The order of two conditions, of which one has an effect.
  draft.line("if {} and {} % 2 == 0:", holds(), update());
  {
    const Draft::Block block(draft);
    shown.show(fmt::format("{} + 1000", read));
  }
  draft.line("else:");
  {
    const Draft::Block block(draft);
    shown.show(read);
  }
  draft.mark("arms with effects");
}

/// Registers as vectors of something else, and back.
void registers(Draft& draft) {
  struct Form {
    DType lane;
    int lanes;
    const char* whole;
    DType dtype;
  };

  static constexpr auto kForms = std::to_array<Form>({
      {DType::f16, 2, "int32", DType::i32},
      {DType::f16, 2, "uint32", DType::u32},
      {DType::bf16, 2, "float32", DType::f32},
      {DType::u8, 4, "int32", DType::i32},
      {DType::i8, 4, "float32", DType::f32},
      {DType::i16, 4, "int64", DType::i64},
      {DType::u8, 8, "float64", DType::f64},
      {DType::i32, 2, "uint64", DType::u64},
      {DType::f32, 2, "float64", DType::f64},
      {DType::u8, 2, "int16", DType::i16},
      {DType::i8, 2, "float16", DType::f16},
  });
  const Form& form = draft.dice.pick(kForms);
  const std::string shape = fmt::format("{}, {}", draft.threads, form.lanes);
  const std::string in = draft.tile_input(shape, form.lane,
                                          num::is_float(form.lane) ? "normal" : "int"),
                    out = draft.tile_output(shape, form.lane), w = draft.fresh("v");
  const std::string type = fmt::format("{}x{}", type_name(form.lane), form.lanes);
  draft.line("{}: T.let = T.reinterpret(\"{}\", {}.vload([bx, tx, 0], \"{}\"))", w, form.whole, in,
             type);
  std::string x = w;
  if (!num::is_float(form.dtype))
    x = fmt::format("({} ^ T.{}({}))", w, form.whole, draft.dice.between(1, 120));
  draft.line("{}.vstore([bx, tx, 0], T.reinterpret(\"{}\", {}))", out, type, x);
  draft.mark("register as a vector");
  if (num::is_float(form.dtype)) {
    // Any bits: those, not the number.
    const char* bits = num::bits(form.dtype) == 64   ? "int64"
                       : num::bits(form.dtype) == 32 ? "int32"
                                                     : "int16";
    const DType dtype = num::bits(form.dtype) == 64   ? DType::i64
                        : num::bits(form.dtype) == 32 ? DType::i32
                                                      : DType::i16;
    return keep_result(draft, fmt::format("T.reinterpret(\"{}\", {})", bits, w), dtype);
  }
  keep_result(draft, w, form.dtype);
}

/// A tensor whose elements are read as another type's, and one that is written so.
void other_types(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::u32, DType::f32, DType::i64});
  const bool wide = dtype == DType::i64;
  const DType other = wide ? draft.dice.one_of({DType::u64, DType::f64})
                           : draft.dice.one_of({DType::i32, DType::u32, DType::f32});
  const std::string shape = fmt::format("{}, 2", draft.threads);
  const std::string in = draft.tile_input(shape, dtype, "int"),
                    out = draft.tile_output(shape, dtype), from = draft.fresh("x"),
                    to = draft.fresh("x");
  draft.line("{} = {}.view(\"{}\")", from, in, type_name(other));
  draft.line("{} = {}.view(\"{}\")", to, out, type_name(other));
  draft.line("{0}[bx, tx, 0] = {1}[bx, {2} - tx, 1]", to, from, draft.threads - 1);
  draft.line("{0}[bx, tx, 1] = {1}[bx, tx, 0]", draft.dice.chance(50) ? to : out,
             draft.dice.chance(50) ? from : from);
  draft.mark("tensor under another type");
  keep_result(draft, fmt::format("{}[bx, tx, {}]", in, draft.dice.below(2)), dtype);
}

/// Atomics of each type on values at its ends: of one thread, and of all in any order.
void atomics_at_the_ends(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::i32, DType::u32, DType::i64, DType::u64, DType::i64, DType::u32,
                         DType::f16, DType::bf16, DType::f32, DType::f64});
  const bool is_float = num::is_float(dtype);
  const std::string type = type_name(dtype), array = ends(draft, dtype), s = draft.fresh("S");
  const bool shared = draft.dice.chance(50);
  constexpr int kCount = 6;
  const char* how = draft.dice.one_of<const char*>(
      {"", "", ", sem=\"acquire\"", ", sem=\"release\", scope=\"cta\"",
       ", sem=\"acq_rel\", scope=\"sys\"", ", scope=\"cluster\""});
  Shown shown(draft, dtype, kCount);
  std::string own, at = "tx";
  if (shared) {
    own = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({},), \"{}\")", own, draft.threads, type);
  } else {
    own = own_elements(draft, dtype, "Own");
    at = "bx, tx";
  }
  draft.line("{}[{}] = {}", own, at,
             is_float ? fmt::format("T.cast(tx * 3 - 40, \"{}\")", type) : end_of(draft, array));
  draft.mark("atomic at the ends of " + type);
  draft.mark("atomic at the ends of a type");
  for (int i = 0; i + 2 < kCount; i += 2) {
    const char* op = is_float ? "add"
                              : draft.dice.one_of<const char*>({"add", "min", "max", "min", "max",
                                                                "and", "or", "xor", "exch"});
    const std::string value = is_float ? fmt::format("T.cast(lane - {}, \"{}\") * T.{}(0.25)",
                                                     draft.dice.below(40), type, type)
                                       : end_of(draft, array);
    shown.show(fmt::format("T.cuda.atomic_{}({}.ptr_to([{}]), {}{})", op, own, at, value, how));
    shown.show(fmt::format("{}[{}]", own, at));
  }
  if (is_float) return;
  // All of the CTA at one element.
  draft.line("{} = T.alloc_shared((2,), \"{}\")", s, type);
  draft.line("if tx < 2:");
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = {}[(tx * 7 + {}) % {}]", s, array, draft.dice.below(kEnds), kEnds);
  }
  cta_barrier(draft);
  draft.line("T.cuda.atomic_{}({}.ptr_to([0]), {})", draft.dice.one_of<const char*>({"min", "max"}),
             s, end_of(draft, array));
  draft.line("T.cuda.atomic_{}({}.ptr_to([1]), {})",
             draft.dice.one_of<const char*>({"add", "xor", "or", "and"}), s, end_of(draft, array));
  cta_barrier(draft);
  shown.show(fmt::format("{}[0]", s));
  shown.show(fmt::format("{}[1]", s));
  cta_barrier(draft);
}

/// Loops over unsigned and long numbers, to bounds that data give, by steps that a word does not
/// hold; and next to the ends of int32.
void other_loops(Draft& draft) {
  const std::string sum = draft.fresh("m"), i = draft.fresh("i"), bound = draft.fresh("v");
  const int begin = draft.dice.below(4), step = draft.dice.between(1, 5);
  draft.line("{}: T.int32 = {}", sum, draft.dice.below(9));
  std::string term = fmt::format("T.cast({}, \"int32\")", i);
  const std::string few = fmt::format("({}[(tx + {}) % {}] & 15)", draft.input(DType::i32),
                                      draft.dice.below(9), Draft::kInputs);
  switch (draft.dice.below(8)) {
    case 0: {
      const std::int64_t by =
          draft.dice.one_of<std::int64_t>({3, 1LL << 31, (1LL << 31) + 5, 1LL << 33});
      draft.line("{}: T.let = T.cast({}, \"int64\") * T.int64({})", bound, few, by);
      draft.line("for {} in range(T.int64({}), {}, T.int64({})):", i, begin, bound, by);
      term = fmt::format("T.cast({0} + ({0} >> T.int64(31)), \"int32\")", i);
      break;
    }
    case 1: {
      const std::int64_t by = draft.dice.one_of<std::int64_t>({2, 1LL << 32});
      // Of the negation of a multiple of 2^32 ptxas loses the sign (docs/fidelity.md).
      draft.line("{}: T.let = T.cast({} - 16, \"int64\") * T.int64({})", bound, few, by);
      draft.line("for {} in range(T.int64({}), {}, T.int64({})):", i, begin, bound, -by);
      term = fmt::format("T.cast({0} - ({0} >> T.int64(30)), \"int32\")", i);
      break;
    }
    case 2:
      draft.line("{}: T.let = T.cast({} + {}, \"uint32\")", bound, few, draft.dice.below(9));
      draft.line("for {} in T.serial(T.uint32({}), {}, {}, dtype=\"uint32\"):", i, begin, bound,
                 step);
      break;
    case 3:
      draft.line("{}: T.let = {}", bound, few);
      draft.line("for {} in range({}, {}, {}):", i, begin, bound, step);
      term = i;
      break;
    case 4:
      draft.line("{}: T.let = {} | 2147483632", bound, few);
      draft.line("for {} in range({}, {}, {}):", i, 2147483620 + begin, bound, step + 1);
      term = fmt::format("({} & 1023)", i);
      break;
    case 5:
      draft.line("{}: T.let = {} - 2147483647", bound, few);
      draft.line("for {} in range({}, {}, {}):", i, -2147483600 + begin, bound, -step - 6);
      term = fmt::format("({} & 1023)", i);
      break;
    case 6:
      draft.line("{}: T.let = {} - 4", bound, few);
      draft.line("for {} in range({} * 2 + 1, {} * 5 - 3, {}):", i, bound, bound, step);
      term = i;
      break;
    default:
      draft.line("{}: T.let = {}", bound, few);
      draft.line("for {} in T.serial({}, {}, {}, unroll={}):", i, begin, bound, step,
                 draft.dice.one_of<const char*>({"2", "4", "False", "True"}));
      term = i;
  }
  {
    const Draft::Block block(draft);
    draft.line("{0} = {0} * 5 + {1}", sum, term);
  }
  draft.mark("loop over another type");
  keep_result(draft, sum, DType::i32);
}

/// Lanes of a mask exchange through memory; the others are elsewhere.
void some_lanes(Draft& draft) {
  const std::string s = draft.fresh("S"), m = draft.fresh("m");
  const int lanes = draft.dice.one_of({4, 8, 16, 32});
  const std::uint32_t mask = lanes == 32 ? 0xffffffffU : (1U << static_cast<unsigned>(lanes)) - 1;
  draft.line("{} = T.alloc_shared(({},), \"int32\")", s, draft.threads);
  draft.line("{}: T.int32 = 0", m);
  draft.line("if lane < {}:", lanes);
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = {}", s, expression(draft, DType::i32, 1));
    if (draft.dice.chance(60)) {
      draft.line("T.cuda.warp_sync(T.uint32({}))", mask);
    } else {
      draft.line("T.cuda.warp_sync((T.uint32({}) | T.cast(bx * 0, \"uint32\")))", mask);
    }
    draft.line("{} = {}[warp * 32 + {} - lane]", m, s, lanes - 1);
  }
  draft.mark("part of a warp meets");
  keep_result(draft, m, DType::i32);
  cta_barrier(draft);
}

/// Two elements in a byte, of a thread's own memory.
void small_locals(Draft& draft) {
  const std::string l = draft.fresh("L"), bytes = draft.fresh("x"), i = draft.fresh("i");
  const int size = 2 * draft.dice.between(1, 9);
  draft.line("{} = T.alloc_local(({},), \"float4_e2m1fn\")", l, size);
  draft.line("{} = {}.view(\"uint8\")", bytes, l);
  draft.line("for {} in range({}):", i, size / 2);
  {
    const Draft::Block block(draft);
    draft.line("{}[{}] = T.cast(tx * {} + {} * 37, \"uint8\")", bytes, i, draft.dice.between(1, 9),
               i);
  }
  draft.mark("4-bit local array");
  keep_result(draft, fmt::format("T.cast({}[(tx + bx) % {}], \"float32\")", l, size), DType::f32);
  keep_result(draft, fmt::format("T.cast({}[{}], \"float32\")", l, size - 1), DType::f32);
}

/// Through the read-only path, of every type.
void read_only(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::boolean, DType::i8, DType::u16, DType::f16, DType::bf16, DType::i64,
                         DType::f64, DType::u32, DType::boolean});
  const std::string in = draft.fresh("Read"), shape = fmt::format("({},)", draft.threads);
  draft.parameter(in, shape, dtype,
                  dtype == DType::boolean ? fmt::format("tirx.random({}, \"int32\", seed={}) > 0",
                                                        shape, draft.dice.below(999))
                                          : fmt::format("tirx.random({}, \"{}\", seed={})", shape,
                                                        type_name(dtype), draft.dice.below(999)));
  draft.mark("read-only path");
  keep_result(draft, fmt::format("T.cuda.ldg({}.ptr_to([{} - tx]))", in, draft.threads - 1), dtype);
}

constexpr auto kFormsCorners = std::to_array<Corner>({
    {"arms with effects", arms},
    {"register as a vector", registers},
    {"tensor under another type", other_types},
    {"atomic at the ends of a type", atomics_at_the_ends},
    {"loop over another type", other_loops},
    {"part of a warp meets", some_lanes},
    {"4-bit local array", small_locals},
    {"read-only path", read_only},
});

}  // namespace

std::span<const Corner> form_corners() {
  return kFormsCorners;
}

}  // namespace tirx::fuzz
