// Copies that the wide variants do not take: over the end of a buffer (clip, fill), by one thread
// in one access, by part of the threads.
#include <array>

#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kMoved = std::to_array<DType>({DType::f32, DType::f16, DType::bf16, DType::i8,
                                              DType::u8, DType::i32, DType::i64, DType::e4m3});

/// A tile at the edge of a tensor: what is outside reads as a value, and is not written.
void ragged(Draft& draft) {
  const DType dtype = draft.dice.pick(kMoved);
  const std::string type = type_name(dtype);
  const int rows = draft.dice.one_of({8, 16}), columns = draft.dice.one_of({16, 32});
  const int height = rows - draft.dice.below(4), width = columns - draft.dice.below(7);
  const std::string shape = fmt::format("{}, {}", height, width);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype), s = draft.fresh("S");
  if (draft.dice.chance(20)) {
    // Both sides end there.
    draft.line("Tx.cta.copy({0}[bx, 0:{2}, 0:{3}], {1}[bx, 0:{2}, 0:{3}], clip=True)", out, in,
               rows, columns);
    draft.mark("copy at the edge of both");
    return;
  }
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, rows, columns,
             type, random_layout(draft, rows, columns));
  const bool fill = draft.dice.chance(50);
  draft.line("Tx.cta.copy({0}[:, :], {1}[bx, 0:{2}, 0:{3}], {4})", s, in, rows, columns,
             fill ? "fill=0" : "clip=True");
  cta_barrier(draft);
  draft.line("Tx.cta.copy({0}[bx, 0:{1}, 0:{2}], {3}[:, :], clip=True)", out, rows, columns, s);
  cta_barrier(draft);
  draft.mark(fmt::format("copy at the edge, {}", fill ? "fill" : "clip"));
}

/// One access of a fixed width by each thread.
void one_access(Draft& draft) {
  const int width = draft.dice.one_of({16, 32, 64, 128});
  const DType dtype = width == 16 ? draft.dice.one_of({DType::f16, DType::i8, DType::u16})
                                  : draft.dice.one_of({DType::f32, DType::f16, DType::i8});
  const std::string type = type_name(dtype);
  const int elements = width / num::bits(dtype);
  const std::string shape = fmt::format("{}, {}", draft.threads, elements);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype), regs = draft.fresh("regs");
  draft.line("{} = T.alloc_local(({},), \"{}\")", regs, elements, type);
  draft.line("Tx.copy({}[:], {}[bx, tx, :], dispatch=\"vec_{}b\")", regs, in, width);
  draft.line("Tx.copy({}[bx, tx, :], {}[:], dispatch=\"vec_{}b\")", out, regs, width);
  draft.mark(fmt::format("copy in one access, {} bits", width));
}

/// cp.async at the edge of a tensor: zeros where there is nothing to copy.
void ragged_async(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::f16, DType::i32});
  const std::string type = type_name(dtype);
  const int columns = draft.dice.one_of({16, 32}), rows = draft.threads * 4 / columns * 2;
  const int height = rows - draft.dice.below(3);
  const std::string in = draft.tile_input(fmt::format("{}, {}", height, columns), dtype, "bits");
  const std::string out = draft.tile_output(fmt::format("{}, {}", rows, columns), dtype),
                    s = draft.fresh("S");
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, rows, columns,
             type, fmt::format("TileLayout(S[{}, {}])", rows, columns));
  draft.line("Tx.cta.copy_async({}[:, :], {}[bx, 0:{}, 0:{}], fill_mode=\"zero\")", s, in, rows,
             columns);
  draft.line("T.ptx.cp.async_.commit_group()");
  draft.line("T.ptx.cp.async_.wait_group(0)");
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", out, s);
  cta_barrier(draft);
  draft.mark("copy_async at the edge");
}

/// Element by element, by one thread: slow, and always possible.
void by_one_thread(Draft& draft) {
  const DType dtype = draft.dice.pick(kMoved);
  const int rows = draft.dice.between(1, 5), columns = draft.dice.between(1, 9);
  const std::string shape = fmt::format("{}, {}", rows, columns);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype), s = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type_name(dtype));
  const char* scope = draft.dice.one_of<const char*>({"cta", "warp"});
  const bool warp = scope[0] == 'w';
  const int which = draft.dice.below(draft.warps());
  const auto copy = [&](const std::string& to, const std::string& from) {
    const std::string call =
        fmt::format("Tx.{}.copy({}, {}, dispatch=\"fallback\")", scope, to, from);
    if (!warp) return draft.line("{}", call);
    draft.line("if warp == {}:", which);
    const Draft::Block block(draft);
    draft.line("{}", call);
  };
  copy(s + "[:, :]", in + "[bx, :, :]");
  cta_barrier(draft);
  copy(out + "[bx, :, :]", s + "[:, :]");
  cta_barrier(draft);
  draft.mark("copy by one thread");
}

}  // namespace

void edge_copies(Draft& draft) {
  if (draft.dice.chance(45))
    return draft.dice.chance(50) ? pieces(draft) : asynchronous_copies(draft);
  const int roll = draft.dice.below(10);
  if (roll < 3) return ragged(draft);
  if (roll < 6) return one_access(draft);
  if (roll < 8) return by_one_thread(draft);
  ragged_async(draft);
}

}  // namespace tirx::fuzz
