// Tile operations element by element, on shared tiles and on register fragments.
#include "fuzz/generate/elementwise.hpp"

#include <array>
#include <string_view>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kFloats = std::to_array<DType>({DType::f32, DType::f16, DType::bf16});

std::string number(Draft& draft, DType dtype) {
  if (!num::is_float(dtype)) return fmt::format("{}", draft.dice.between(-3, 9));
  return draft.dice.one_of<const char*>({"0.5", "2.0", "-1.25", "3.0", "0.0", "-7.5"});
}

/// All of the tile gets one value.
void fill(Draft& draft,
          const std::string& scope,
          const std::string& tile,
          DType dtype,
          const std::string& lowered) {
  const char* op = draft.dice.one_of<const char*>({"zero", "fill", "memset"});
  draft.mark(fmt::format("tile {} {}", op, type_name(dtype)));
  draft.line("Tx.{}{}({}{}){}", scope, op, tile, op[0] == 'z' ? "" : ", " + number(draft, dtype),
             lowered);
}

/// What operations on a tile in memory become.
std::string in_memory(const char* variant, int threads, int rows, int columns, DType dtype) {
  const int size = rows * columns;
  return promise(variant, size % threads != 0
                              ? 1
                              : widest_vector(8 * num::bytes(dtype), columns, size / threads));
}

void on_shared(Draft& draft) {
  const DType dtype =
      draft.dice.chance(75) ? kFloats[static_cast<std::size_t>(draft.dice.below(3))] : DType::i32;
  const std::string type = type_name(dtype);
  const int rows = draft.dice.one_of({4, 8, 16}), columns = draft.dice.one_of({8, 16, 32});
  const std::string in = draft.fresh("Tin"), out = draft.fresh("Tout");
  const std::string shape = fmt::format("({}, {}, {})", draft.ctas, rows, columns);
  draft.parameter(in, shape, dtype,
                  fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"{}\")", shape, type,
                              draft.dice.below(100000),
                              !num::is_float(dtype)   ? "int"
                              : draft.dice.chance(50) ? "bits"
                                                      : "normal"));
  draft.parameter(out, shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  const std::string tile = draft.fresh("S"), row = draft.fresh("S");
  // There is one dynamic allocation in a kernel.
  const bool dynamic = !draft.pool && draft.dice.chance(15);
  draft.pool = draft.pool || dynamic;
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared{}\", layout={})", tile, rows,
             columns, type, dynamic ? ".dyn" : "", random_layout(draft, rows, columns));
  if (dynamic) draft.mark("dynamic shared memory");
  draft.line("{} = T.alloc_shared(({},), \"{}\")", row, columns, type);
  draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", tile, in);
  draft.line("if tx < {}:", columns);
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = {}", row, expression(draft, dtype, 1));
  }
  cta_barrier(draft);
  const int count = draft.dice.between(1, 4);
  for (int i = 0; i < count; ++i) {
    if (draft.dice.chance(25)) {
      draft.line("if {}:", one_warp(draft));
      {
        const Draft::Block block(draft);
        tile_operation(draft, "warp.", tile + "[:, :]", tile + "[:, :]", row, dtype,
                       in_memory("smem", 32, rows, columns, dtype));
      }
      cta_barrier(draft);
    } else if (draft.threads == 128 && draft.dice.chance(30)) {
      tile_operation(draft, "wg.", tile + "[:, :]", tile + "[:, :]", row, dtype,
                     in_memory("smem", 128, rows, columns, dtype));
      cta_barrier(draft);
      draft.mark("elementwise of a warpgroup");
    } else {
      tile_operation(draft, "cta.", tile + "[:, :]", tile + "[:, :]", row, dtype,
                     in_memory("smem", draft.threads, rows, columns, dtype));
    }
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", out, tile);
  if (draft.dice.chance(35)) {
    const DType to =
        draft.dice.one_of({DType::f32, DType::f16, DType::bf16, DType::i32, DType::e4m3});
    const std::string cast = draft.fresh("S"),
                      converted = draft.tile_output(fmt::format("{}, {}", rows, columns), to);
    draft.line("{} = T.alloc_shared(({}, {}), \"{}\")", cast, rows, columns, type_name(to));
    draft.line("Tx.cta.cast({}[:, :], {}[:, :])", cast, tile);
    draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", converted, cast);
    draft.mark(fmt::format("tile cast {} {}", type, type_name(to)));
  }
  cta_barrier(draft);
}

void on_registers(Draft& draft) {
  const DType dtype = kFloats[static_cast<std::size_t>(draft.dice.below(3))];
  const std::string type = type_name(dtype);
  const std::string in = draft.fresh("Tin"), out = draft.fresh("Tout");
  const std::string shape = fmt::format("({}, 16, 8)", draft.ctas);
  draft.parameter(in, shape, dtype,
                  fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"normal\")", shape, type,
                              draft.dice.below(100000)));
  draft.parameter(out, shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  const std::string layout = draft.fresh("layout");
  draft.host("{} = TileLayout(S[(2, 8, 4, 2):(2, 4 @ laneid, 1 @ laneid, 1)])", layout);
  const std::string a = draft.fresh("regs"), b = draft.fresh("regs");
  for (const std::string& name : {a, b})
    draft.line("{} = T.alloc_buffer((16, 8), \"{}\", scope=\"local\", layout={})", name, type,
               layout);
  draft.line("if {}:", one_warp(draft));
  const Draft::Block block(draft);
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", a, in);
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", b, in);
  const int count = draft.dice.between(2, 5);
  for (int i = 0; i < count; ++i) tile_operation(draft, "warp.", a, a, b, dtype);
  draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", out, a);
  if (draft.dice.chance(40)) {
    const DType to = draft.dice.one_of({DType::f32, DType::f16, DType::bf16, DType::i32});
    const std::string cast = draft.fresh("regs"), converted = draft.tile_output("16, 8", to);
    draft.line("{} = T.alloc_buffer((16, 8), \"{}\", scope=\"local\", layout={})", cast,
               type_name(to), layout);
    draft.line("Tx.warp.cast({}, {})", cast, a);
    draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", converted, cast);
  }
  draft.mark("elementwise registers");
}

/// In place of copies: the operations read and write global memory themselves.
void on_global(Draft& draft) {
  const DType dtype =
      draft.dice.chance(75) ? kFloats[static_cast<std::size_t>(draft.dice.below(3))] : DType::i32;
  const std::string type = type_name(dtype);
  const int rows = draft.dice.one_of({4, 8, 16}), columns = draft.dice.one_of({8, 16, 32});
  const std::string shape = fmt::format("{}, {}", rows, columns);
  const char* kind = !num::is_float(dtype) ? "int" : draft.dice.chance(50) ? "bits" : "normal";
  const std::string from = draft.tile_input(shape, dtype, kind) + "[bx, :, :]",
                    tile = draft.tile_output(shape, dtype) + "[bx, :, :]";
  std::string other = draft.tile_input(shape, dtype, kind) + "[bx, :, :]";
  if (draft.dice.chance(40)) {
    other = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({},), \"{}\")", other, columns, type);
    draft.line("if tx < {}:", columns);
    {
      const Draft::Block block(draft);
      draft.line("{}[tx] = {}", other, expression(draft, dtype, 1));
    }
    cta_barrier(draft);
  }
  const int count = draft.dice.between(2, 5);
  for (int i = 0; i < count; ++i) {
    // The first one fills the tile.
    const std::string& source = i == 0 ? from : tile;
    if (draft.dice.chance(30)) {
      draft.line("if {}:", one_warp(draft));
      {
        const Draft::Block block(draft);
        tile_operation(draft, "warp.", tile, source, other, dtype,
                       in_memory("gmem", 32, rows, columns, dtype) + std::string(kWhole));
      }
      cta_barrier(draft);
    } else {
      tile_operation(draft, "cta.", tile, source, other, dtype,
                     in_memory("gmem", draft.threads, rows, columns, dtype) + std::string(kWhole));
    }
  }
  if (draft.dice.chance(50)) {
    const DType to =
        draft.dice.one_of({DType::f32, DType::f16, DType::bf16, DType::i32, DType::e4m3});
    draft.line("Tx.cta.cast({}[bx, :, :], {})", draft.tile_output(shape, to), tile);
    draft.mark(fmt::format("tile cast {} {}", type, type_name(to)));
  }
  cta_barrier(draft);
  draft.mark("elementwise global");
}

}  // namespace

/// One operation on `from`, mostly the tile itself; `other` is a tile or a row that may be the
/// second operand.
void tile_operation(Draft& draft,
                    const std::string& scope,
                    const std::string& tile,
                    const std::string& from,
                    const std::string& other,
                    DType dtype,
                    const std::string& lowered) {
  const std::string type = type_name(dtype);
  const auto operand = [&] {
    return draft.dice.chance(50) ? other : draft.dice.chance(40) ? from : number(draft, dtype);
  };
  const int roll = draft.dice.below(100);
  if (roll < 40) {
    const char* op =
        num::is_float(dtype)
            ? draft.dice.one_of<const char*>({"add", "sub", "mul", "fdiv", "maximum", "minimum"})
            : draft.dice.one_of<const char*>({"add", "sub", "mul", "maximum", "minimum"});
    draft.mark(fmt::format("tile {} {}", op, type));
    draft.line("Tx.{}{}({}, {}, {}){}", scope, op, tile, from, operand(), lowered);
  } else if (roll < 52 && num::is_float(dtype)) {
    draft.mark("tile fma " + type);
    draft.line("Tx.{}fma({}, {}, {}, {}){}", scope, tile, from, operand(), number(draft, dtype),
               lowered);
  } else if (roll < 80 && num::is_float(dtype)) {
    const char* op =
        draft.dice.one_of<const char*>({"exp", "exp2", "log2", "sqrt", "reciprocal", "silu"});
    draft.mark(fmt::format("tile {} {}", op, type));
    const bool computed_roughly = std::string_view(op) == "exp" || std::string_view(op) == "exp2" ||
                                  std::string_view(op) == "sqrt" || op[0] == 'r';
    const bool approx = dtype == DType::f32 && computed_roughly && draft.dice.chance(35);
    const bool scaled = (op[0] == 'e' || op[0] == 'l' || op[1] == 'q') && draft.dice.chance(25);
    draft.line("Tx.{}{}({}, {}{}{}){}", scope, op, tile, from,
               scaled ? fmt::format(", {}, {}", number(draft, dtype), number(draft, dtype)) : "",
               approx ? ", approx=True" : "", lowered);
    if (approx) draft.mark("tile approximation");
  } else if (roll < 88) {
    draft.mark("tile select " + type);
    // Its predicate is about one element.
    draft.line("Tx.{}select({}, {}, {}, lambda i, j: (i * {} + j) % {} < {}){}", scope, tile, from,
               number(draft, dtype), draft.dice.between(1, 3), draft.dice.between(3, 7),
               draft.dice.between(1, 3), lowered.substr(0, lowered.find(kWhole)));
  } else {
    fill(draft, scope, tile, dtype, lowered);
  }
}

void elementwise(Draft& draft) {
  if (draft.dice.chance(30)) return register_tiles(draft);
  if (draft.dice.chance(12)) return shapes_and_scalars(draft);
  if (draft.dice.chance(30)) return on_global(draft);
  if (draft.dice.chance(45)) return on_registers(draft);
  on_shared(draft);
}

void async_pipeline(Draft& draft) {
  if (draft.dice.chance(40)) return asynchronous_copies(draft);
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32});
  const std::string type = type_name(dtype);
  const int stages = draft.dice.between(2, 4), steps = draft.dice.between(stages, 6);
  const int row = draft.threads * 4;
  const std::string in = draft.fresh("Tin"), out = draft.fresh("Tout"), ring = draft.fresh("S");
  const std::string shape = fmt::format("({}, {}, {})", draft.ctas, steps, row);
  draft.parameter(in, shape, dtype,
                  fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"bits\")", shape, type,
                              draft.dice.below(100000)));
  const std::string result = fmt::format("({}, {}, {})", draft.ctas, steps, draft.threads);
  draft.parameter(out, result, dtype, fmt::format("tirx.empty({}, \"{}\")", result, type));
  draft.line("{} = T.alloc_shared(({}, {}), \"{}\")", ring, stages, row, type);
  const bool tiles = draft.dice.chance(70);
  const auto fetch = [&](const std::string& step) {
    if (tiles) {
      draft.line("Tx.cta.copy_async({}[{} % {}, :], {}[bx, {}, :])", ring, step, stages, in, step);
    } else {
      draft.line(
          "T.ptx.cp.async_.ca.shared.global_({}.ptr_to([{} % {}, tx * 4]), {}.ptr_to([bx, {}, tx * "
          "4]), 16)",
          ring, step, stages, in, step);
    }
  };
  for (int stage = 0; stage + 1 < stages; ++stage) {
    fetch(fmt::format("{}", stage));
    draft.line("T.ptx.cp.async_.commit_group()");
  }
  const std::string i = draft.fresh("i");
  draft.line("for {} in range({}):", i, steps);
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.cp.async_.wait_group({})", stages - 2);
    draft.line("T.cuda.cta_sync()");
    draft.line("{}[bx, {}, tx] = {}[{} % {}, (tx * {} + {}) % {}]", out, i, ring, i, stages,
               draft.dice.one_of({1, 3, 5}), draft.dice.below(row), row);
    // The stage that the next copy overwrites was read before the barrier of this step.
    draft.line("if {} + {} < {}:", i, stages - 1, steps);
    {
      const Draft::Block inner(draft);
      fetch(fmt::format("({} + {})", i, stages - 1));
    }
    draft.line("T.ptx.cp.async_.commit_group()");
  }
  draft.line("T.ptx.cp.async_.wait_{}", draft.dice.chance(30) ? "all()" : "group(0)");
  cta_barrier(draft);
  draft.mark(fmt::format("cp.async pipeline, {} stages{}", stages, tiles ? ", copy_async" : ""));
  draft.mark("barrier");
}

}  // namespace tirx::fuzz
