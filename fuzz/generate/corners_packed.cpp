// Vectors whose elements are half a byte, or are not side by side; bytes of 6-bit elements.
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

/// float4 in registers: Tx.copy of a thread or a warp into them and out, as bytes between.
void half_registers(Draft& draft) {
  const std::string type = type_name(DType::e2m1);
  const int each = draft.dice.one_of({2, 4, 8, 16, 32});
  const std::string shape = fmt::format("{}, {}", draft.threads, each);
  const std::string in = draft.tile_input(shape, DType::e2m1, "bits"),
                    out = draft.tile_output(shape, DType::e2m1), x = draft.fresh("L");
  std::string from = in + "[bx, tx, :]";
  if (draft.dice.chance(40)) {
    const std::string s = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type);
    draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", s, in);
    cta_barrier(draft);
    from = fmt::format("{}[{} - tx, :]", s, draft.threads - 1);
  }
  draft.line("{} = T.alloc_local(({},), \"{}\")", x, each, type);
  draft.line("Tx.copy({}[:], {})", x, from);
  if (draft.dice.chance(50)) {
    const std::string bytes = draft.fresh("x");
    const int at = draft.dice.below(each / 2);
    draft.line("{} = {}.view(\"uint8\")", bytes, x);
    draft.line("{0}[{1}] = {0}[{1}] ^ T.uint8({2})", bytes, at, draft.dice.below(256));
  }
  draft.line("Tx.copy({}[bx, tx, :], {}[:])", out, x);
  draft.mark("float4 registers");
  keep_result(draft, fmt::format("T.cast({}[{}], \"float32\")", x, draft.dice.below(each)),
              DType::f32);
  cta_barrier(draft);
}

/// Bits of float4 vectors as integers and back; vectors of them that were computed.
void half_bits(Draft& draft) {
  const std::string type = type_name(DType::e2m1);
  const int lanes = draft.dice.one_of({2, 4, 8});
  const DType whole = lanes == 2 ? DType::u8 : lanes == 4 ? DType::u16 : DType::u32;
  const std::string in = draft.tile_input(fmt::format("{}, {}", draft.threads, lanes), DType::f32,
                                          draft.dice.one_of<const char*>({"normal", "bits"})),
                    out = draft.tile_output(fmt::format("{}, {}", draft.threads, 2 * lanes),
                                            DType::e2m1),
                    v = draft.fresh("v"), w = draft.fresh("v"), bits = draft.fresh("m");
  draft.line("{} = T.cast({}.vload([bx, tx, 0], \"float32x{}\"), \"{}x{}\")", v, in, lanes, type,
             lanes);
  draft.line("{}: T.let = T.reinterpret({}, \"{}\")", bits, v, type_name(whole));
  draft.line("{} = T.reinterpret({} ^ T.{}({}), \"{}x{}\")", w, bits, type_name(whole),
             draft.dice.below(256), type, lanes);
  draft.line("{}.vstore([bx, tx, 0], {})", out, v);
  draft.line("{}.vstore([bx, tx, {}], {})", out, lanes, w);
  draft.mark("bits of float4");
  keep_result(draft, fmt::format("T.cast({}, \"int32\")", bits), DType::i32);
  keep_result(draft,
              fmt::format("T.cast({}.vload([bx, tx, {}], \"{}x2\"), \"float32x2\")[{}]", out,
                          2 * draft.dice.below(lanes), type, draft.dice.below(2)),
              DType::f32);
}

/// A 6-bit element takes a byte: copies by bytes, and views as bytes.
void six_bits(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::e2m3, DType::e3m2});
  const std::string type = type_name(dtype);
  constexpr int kEach = 16;
  const std::string shape = fmt::format("{}, {}", draft.threads, kEach);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype), s = draft.fresh("S"),
                    bytes = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type);
  if (draft.dice.chance(50)) {
    draft.line("Tx.cta.copy_async({}[:, :], {}[bx, :, :])", s, in);
  } else {
    const int bytes_each = draft.dice.one_of({4, 8, 16});
    for (int at = 0; at < kEach; at += bytes_each)
      draft.line(
          "T.ptx.cp.async_.ca.shared.global_({0}.ptr_to([tx, {2}]), {1}.ptr_to([bx, tx, {2}]), "
          "{3})",
          s, in, at, bytes_each);
  }
  draft.line("T.ptx.cp.async_.wait_all()");
  cta_barrier(draft);
  draft.line("{} = {}.view(\"uint8\")", bytes, s);
  const int last = draft.threads - 1;
  const int at = draft.dice.below(kEach);
  const int code = draft.dice.below(256);
  draft.line("{0}[tx, {1}] = {0}[tx, {1}] ^ T.uint8({2})", bytes, at, code);
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", out, s);
  draft.mark("bytes of float6");
  keep_result(
      draft,
      fmt::format("T.cast({}[{} - tx, {}], \"int32\")", bytes, last, draft.dice.below(kEach)),
      DType::i32);
  keep_result(draft, fmt::format("T.cast({}[{} - tx, {}], \"float32\")", s, last, at), DType::f32);
  keep_result(draft,
              fmt::format("T.cast(T.reinterpret({}.vload([{} - tx, {}], \"{}x4\"), \"uint32\") "
                          "& T.uint32(0x3F3F3F3F), \"int32\")",
                          s, last, 4 * draft.dice.below(kEach / 4), type),
              DType::i32);
  cta_barrier(draft);
}

/// Arrays of float4 in registers, of odd lengths, too: whole bytes by vectors, elements by
/// themselves, at places that are known and not.
void odd_registers(Draft& draft) {
  const std::string type = type_name(DType::e2m1);
  const int pairs = draft.dice.between(1, 9), odd = draft.dice.below(2);
  const std::string shape = fmt::format("{}, {}", draft.threads, 32);
  const std::string in = draft.tile_input(shape, DType::e2m1, "bits"),
                    out = draft.tile_output(shape, DType::e2m1), r = draft.fresh("regs"),
                    other = draft.fresh("regs"), i = draft.fresh("i");
  draft.line("{} = T.alloc_local(({},), \"{}\")", r, 2 * pairs + odd, type);
  // In pieces that are powers of two.
  for (int at = 0; at < 2 * pairs;) {
    int lanes = draft.dice.one_of({2, 4, 8});
    while (at % lanes != 0 || at + lanes > 2 * pairs) lanes /= 2;
    draft.line("{0}.vstore([{1}], {2}.vload([bx, tx, {3}], \"{4}x{5}\"))", r, at, in,
               lanes * draft.dice.below(32 / lanes), type, lanes);
    at += lanes;
  }
  if (draft.dice.chance(50)) {
    // One of another length, by way of both.
    const int size = 2 * draft.dice.between(pairs, 12) + draft.dice.below(2);
    draft.line("{} = T.alloc_local(({},), \"{}\")", other, size, type);
    draft.line("for {} in range({}):", i, size / 2);
    {
      const Draft::Block block(draft);
      draft.line("{0}.vstore([{1} * 2], {2}.vload([({1} + lane) % {3} * 2], \"{4}x2\"))", other, i,
                 r, pairs, type);
    }
    keep_result(draft,
                fmt::format("T.cast({}[{}], \"float32\")", other, draft.dice.below(size / 2 * 2)),
                DType::f32);
  }
  for (int k = 0; k < pairs && k < 3; ++k)
    draft.line("{0}.vstore([bx, tx, {1}], {2}.vload([(lane + {3}) % {4} * 2], \"{5}x2\"))", out,
               2 * k, r, draft.dice.below(9), pairs, type);
  keep_result(
      draft,
      fmt::format("T.cast({}[(tx + {}) % {}], \"float32\")", r, draft.dice.below(9), 2 * pairs),
      DType::f32);
  draft.mark("float4 in odd registers");
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

/// One of them; as one corner, for more corners would leave less of each of the others.
void packed(Draft& draft) {
  constexpr std::array kWays{half_bytes, half_registers, odd_registers, half_bits, six_bits};
  kWays[static_cast<std::size_t>(draft.dice.below(static_cast<int>(kWays.size())))](draft);
  draft.mark("vector of float4");
}

constexpr auto kPackedCorners = std::to_array<Corner>({
    {"vector of float4", packed},
    {"vector with a step", with_a_step},
});

}  // namespace

std::span<const Corner> packed_corners() {
  return kPackedCorners;
}

}  // namespace tirx::fuzz
