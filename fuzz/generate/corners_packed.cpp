// Vectors whose elements are half a byte, or are not side by side.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// float4 moves as whole bytes: vectors of 2 to 32 elements, and views as bytes.
void half_bytes(Draft& draft) {
  const std::string type = type_name(DType::e2m1);
  const int lanes = draft.dice.one_of({2, 4, 8, 16, 32});
  const int each = lanes * draft.dice.one_of({1, 2});
  const std::string shape = fmt::format("{}, {}", draft.threads, each);
  const std::string in = draft.tile_input(shape, DType::e2m1, "bits"),
                    out = draft.tile_output(shape, DType::e2m1), s = draft.fresh("S"),
                    bytes = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type);
  const int last = draft.threads - 1;
  for (int at = 0; at < each; at += lanes)
    draft.line("{0}.vstore([tx, {1}], {2}.vload([bx, tx, {1}], \"{3}x{4}\"))", s, at, in, type,
               lanes);
  cta_barrier(draft);
  draft.line("{} = {}.view(\"uint8\")", bytes, s);
  if (draft.dice.chance(50)) {
    const int at = draft.dice.below(each / 2);
    draft.line("{0}[tx, {1}] = {0}[tx, {1}] ^ T.uint8({2})", bytes, at, draft.dice.below(256));
    cta_barrier(draft);
  }
  const int narrow = draft.dice.chance(50) ? 2 : lanes;
  for (int at = 0; at < each; at += narrow)
    draft.line("{0}.vstore([bx, tx, {1}], {2}.vload([{3} - tx, {1}], \"{4}x{5}\"))", out, at, s,
               last, type, narrow);
  draft.mark("vector of float4");
  keep_result(
      draft,
      fmt::format("T.cast({}[{} - tx, {}], \"int32\")", bytes, last, draft.dice.below(each / 2)),
      DType::i32);
  keep_result(draft,
              fmt::format("T.cast({}[{} - tx, {}], \"float32\")", s, last, draft.dice.below(each)),
              DType::f32);
  cta_barrier(draft);
}

/// Slices with a step: loads, stores, and one into the other.
void with_a_step(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::f16, DType::u8});
  const std::string type = type_name(dtype);
  constexpr int kWidth = 24;
  const bool shared = draft.dice.chance(40);
  const std::string shape = fmt::format("{}, {}", draft.threads, kWidth);
  const std::string in = draft.tile_input(shape, dtype, "bits");
  std::string out = draft.fresh("Tout"), place;
  const std::string full = fmt::format("({}, {})", draft.ctas, shape);
  draft.parameter(out, full, dtype, fmt::format("tirx.zeros({}, \"{}\")", full, type));
  place = out + "[bx, tx, ";
  std::string s;
  if (shared) {
    s = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type);
    draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", s, in);
    cta_barrier(draft);
    place = s + "[tx, ";
  }
  const int count = draft.dice.between(1, 3);
  for (int i = 0; i < count; ++i) {
    const int lanes = draft.dice.one_of({2, 4, 8});
    const auto slice = [&](int step) {
      const int begin = draft.dice.below(kWidth - (lanes - 1) * step);
      return step == 1 ? std::string()
                       : fmt::format("{}:{}:{}", begin, begin + (lanes - 1) * step + 1, step);
    };
    const std::string to = slice(draft.dice.one_of({2, 3})), from = slice(draft.dice.between(2, 3));
    const std::string value = fmt::format("{}[bx, tx, {}]", in, from);
    if (dtype == DType::u8 || dtype == DType::f16 || draft.dice.chance(50)) {
      draft.line("{}{}] = {}", place, to, value);
    } else {
      const std::string x = draft.fresh("x");
      draft.line("{} = {}", x, value);
      draft.line("{}{}] = {} {} {}", place, to, x, draft.dice.one_of<const char*>({"+", "*", "-"}),
                 dtype == DType::f32 ? draft.dice.one_of<const char*>({"2.0", "-0.5"})
                                     : draft.dice.one_of<const char*>({"3", "-7"}));
    }
  }
  if (shared) {
    cta_barrier(draft);
    draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", out, s);
    cta_barrier(draft);
  }
  draft.mark("vector with a step");
}

constexpr auto kCorners = std::to_array<Corner>({
    {"vector of float4", half_bytes},
    {"vector with a step", with_a_step},
});

}  // namespace

std::span<const Corner> packed_corners() {
  return kCorners;
}

}  // namespace tirx::fuzz
