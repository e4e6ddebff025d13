// Operands that change what another operand reads, results of atomics that are converted, and lanes
// that match by values with the same integer part.
#include <array>
#include <vector>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// One expression reads an element, changes it and reads it again: from left to right.  Each thread
/// has an element of its own.
void effects_in_order(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::u32, DType::u64});
  const std::string type = type_name(dtype), s = draft.fresh("S"), m = draft.fresh("m");
  const bool global = draft.dice.chance(40);
  std::string at = fmt::format("{} - tx", draft.threads - 1);
  if (global) {
    const std::string shape = fmt::format("({}, {})", draft.ctas, draft.threads);
    draft.parameter(s, shape, dtype,
                    fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"int\")", shape, type,
                                draft.dice.below(100000)));
    at = "bx, " + at;
  } else {
    draft.line("{} = T.alloc_shared(({},), \"{}\")", s, draft.threads, type);
    draft.line("{}[tx] = {}", s, expression(draft, dtype, 1));
    cta_barrier(draft);
  }
  const auto update = [&] {
    return fmt::format("T.cuda.atomic_{}({}.ptr_to([{}]), {})",
                       draft.dice.one_of<const char*>({"add", "exch", "max", "xor"}), s, at,
                       fmt::format("T.{}({})", type, draft.dice.between(1, 99)));
  };
  const std::string read = fmt::format("{}[{}]", s, at);
  const auto times = [&](int factor) { return fmt::format(" * T.{}({})", type, factor); };
  draft.line("{}: T.{} = 0", m, type);
  switch (draft.dice.below(6)) {
    case 0:
      draft.line("{} = {}{} + {}{} + {}", m, read, times(3), update(), times(100), read);
      break;
    case 1:
      draft.line("{} = {} - {}{}", m, update(), update(), times(7));
      break;
    case 2:
      draft.line("{} = T.if_then_else({} > T.{}(5), {}, {})", m, read, type, update(), read);
      break;
    case 3:
      draft.line("if {0} > T.{1}({2}) and {3} < T.{1}({4}):", read, type, draft.dice.below(50),
                 update(), draft.dice.between(50, 99));
      {
        const Draft::Block block(draft);
        draft.line("{} = {}", m, read);
      }
      break;
    case 4:
      draft.line("{0} = T.max({1}, {2}) + T.min({2}, {1}){3}", m, read, update(), times(5));
      break;
    default:
      // The store's place is the element itself.
      draft.line("{} = {} + {}", read, read, update());
      draft.line("{} = {}", m, read);
  }
  draft.mark("operands in order");
  keep_result(draft, m, dtype);
  cta_barrier(draft);
}

/// What an atomic returns, converted at once: integers to any type, floats by the bit forms.
void converted_results(Draft& draft) {
  const bool is_float = draft.dice.chance(40);
  const DType dtype = is_float ? draft.dice.one_of({DType::f32, DType::f64})
                               : draft.dice.one_of({DType::i32, DType::u32, DType::u64});
  const DType to =
      draft.dice.pick(std::vector<DType>(arithmetic_types().begin(), arithmetic_types().end()));
  const std::string type = type_name(dtype), s = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({},), \"{}\")", s, draft.threads, type);
  const std::string start =
      is_float ? fmt::format("T.cast(tx * {} - {}, \"{}\") * T.{}(0.25)", draft.dice.between(1, 3),
                             draft.dice.below(99), type, type)
               : expression(draft, dtype, 1);
  draft.line("{}[tx] = {}", s, start);
  cta_barrier(draft);
  const std::string element =
      fmt::format("{}.ptr_to([(tx + {}) % {}])", s, draft.dice.below(draft.threads), draft.threads);
  const std::string value = fmt::format("T.{}({})", type, is_float ? "-1.75" : "77");
  const char* op = is_float ? draft.dice.one_of<const char*>({"add", "exch"})
                            : draft.dice.one_of<const char*>({"add", "exch", "min", "or"});
  draft.mark("result of an atomic, converted");
  keep_result(
      draft,
      fmt::format("T.cast(T.cuda.atomic_{}({}, {}), \"{}\")", op, element, value, type_name(to)),
      to);
  cta_barrier(draft);
}

/// Lanes that hold the same bits; values differ in their fraction, their sign of zero, or not.
void matching_floats(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::f64});
  const std::string type = type_name(dtype);
  const std::string part = fmt::format(
      "T.cast(({} * {} + {}) & {}, \"{}\")",
      draft.dice.one_of<const char*>({"lane", "tx", "(lane // 3)"}), draft.dice.one_of({1, 3, 5}),
      draft.dice.below(9), draft.dice.one_of({1, 3, 7}), type);
  const std::string value =
      fmt::format("{} * T.{}({})", part, type,
                  draft.dice.one_of<const char*>({"0.125", "0.25", "-0.125", "0.0", "1e-20"}));
  draft.mark("match of floats");
  keep_result(draft, fmt::format("T.cuda.__match_any_sync(T.uint32(0xFFFFFFFF), {})", value),
              DType::u32);
}

/// A barrier of all threads by its id alone, and one with its count, by their PTX names.
void barriers_by_name(Draft& draft) {
  const std::string s = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({},), \"int32\")", s, draft.threads);
  draft.line("{}[tx] = {}", s, expression(draft, DType::i32, 1));
  const int id = draft.dice.between(1, 15);
  if (draft.dice.chance(60)) {
    draft.line("T.ptx.bar.sync({})", id);
  } else {
    draft.line("T.ptx.bar.sync({}, {})", id, draft.threads);
  }
  draft.mark("bar.sync by name");
  keep_result(draft, fmt::format("{}[{} - tx]", s, draft.threads - 1), DType::i32);
  cta_barrier(draft);
}

constexpr auto kOperandsCorners = std::to_array<Corner>({
    {"operands in order", effects_in_order},
    {"result of an atomic, converted", converted_results},
    {"match of floats", matching_floats},
    {"bar.sync by name", barriers_by_name},
});

}  // namespace

std::span<const Corner> operand_corners() {
  return kOperandsCorners;
}

}  // namespace tirx::fuzz
