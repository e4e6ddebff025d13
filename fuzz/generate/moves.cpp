// Copies that are instructions of their own: ldmatrix and stmatrix by every scope, cp.async with
// everything that can be said about it (docs/language/tile_matrix.md).
#include <algorithm>
#include <array>
#include <bit>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/spread.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kAsync =
    std::to_array<DType>({DType::f32, DType::f16, DType::bf16, DType::i32, DType::u8, DType::f64,
                          DType::i16, DType::e4m3, DType::i64});

int log2_of(int value) {
  return std::bit_width(static_cast<unsigned>(value)) - 1;
}

/// A shared layout that keeps `run` neighbours together.
std::string layout_with_runs(Draft& draft, int rows, int columns, int run) {
  const std::string name = draft.fresh("layout");
  const int element = log2_of(run), length = draft.dice.between(1, 3),
            atom = draft.dice.between(length, 3);
  const int roll = draft.dice.below(3);
  if (roll == 0 && rows * columns % (1 << (element + length + atom)) == 0) {
    draft.host("{} = ComposeLayout({}, {}, {}, TileLayout(S[{}, {}]))", name, element, length, atom,
               rows, columns);
  } else if (roll == 1) {
    draft.host("{} = TileLayout(S[({}, {}):({}, 1)])", name, rows, columns,
               columns + run * draft.dice.between(1, 2));
  } else {
    draft.host("{} = TileLayout(S[{}, {}])", name, rows, columns);
  }
  return name;
}

}  // namespace

void matrix_rows(Draft& draft) {
  const Team team = any_team(draft, true);
  const DType dtype = draft.dice.one_of({DType::f16, DType::bf16, DType::u16, DType::i16});
  const bool crossed = draft.dice.chance(45);
  Spread spread;
  spread.dims.resize(2);
  const auto lanes = [&](int extent, int step) {
    return Digit{extent, fmt::format("{} @ {}", step, team.lanes), true, 0};
  };
  const Digit pair{2, {}, false, 0};
  // Rows of 16 bytes and what lies across them; pairs last, so that they are neighbours.
  std::vector<Digit>&rows = spread.dims[0], &columns = spread.dims[1];
  for (auto* dim : {&rows, &columns}) {
    const int blocks = draft.dice.one_of({1, 1, 2, 2, 3, 4});
    if (blocks > 1) dim->push_back({blocks, {}, false, 0});
  }
  if (team.by_groups) {
    rows.insert(rows.begin(), {2, team.warp_step(4), false, 0});
    columns.insert(columns.begin(), {4, team.warp_step(1), false, 0});
  } else if (team.warps > 1) {
    auto& dim = spread.dims[draft.dice.chance(65) ? 0 : 1];
    dim.insert(dim.begin() + draft.dice.below(static_cast<int>(dim.size()) + 1),
               {team.warps, team.warp_step(1), false, 0});
  }
  if (crossed) std::swap(rows, columns);
  rows.push_back(lanes(8, 4));
  columns.push_back(lanes(4, 1));
  columns.push_back(pair);
  deal_registers(draft, spread, 2);
  if (crossed) std::swap(rows, columns);
  const int height = spread.extent(0), width = spread.extent(1);
  const int below = draft.dice.below(3), right = 8 * draft.dice.below(3);
  const int down = draft.dice.below(below + 1), aside = 8 * draft.dice.below(right / 8 + 1);
  const int all = height * team.instances + below;
  const std::string shape = fmt::format("{}, {}", all, width + right);
  if (all * (width + right) * 4 > 16384) return matrix_rows(draft);
  const std::string in = draft.tile_input(shape, dtype, "bits"), s = draft.fresh("S"),
                    t = draft.fresh("S");
  for (const std::string& name : {s, t})
    draft.line("{} = T.alloc_buffer(({}), \"{}\", scope=\"shared\", layout={})", name, shape,
               type_name(dtype), layout_with_runs(draft, all, width + right, 8));
  draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", s, in);
  cta_barrier(draft);
  const std::string begin = team.instances == 1
                                ? fmt::format("{}", down)
                                : fmt::format("{} * {} + {}", team.mine, height, down);
  const std::string part =
      fmt::format("[{0}:{0} + {1}, {2}:{3}]", begin, height, aside, aside + width);
  // Threads counted through may be joined across warps, which ldmatrix does not take.
  const char* how =
      team.lanes == "laneid" && draft.dice.chance(60) ? ", dispatch=\"ldstmatrix\"" : "";
  {
    std::optional<Draft::Block> block;
    enter(draft, team, block);
    const std::string regs = spread_tile(draft, spread, dtype);
    // Words of a power of two: four matrices an instruction, or all there are.
    const int words = spread.registers() / 2;
    const bool sure = how[0] != '\0' && (words & (words - 1)) == 0;
    const std::string lowered = sure ? promise("ldstmatrix", std::min(words, 4)) : "";
    draft.line("Tx.{}copy({}[:, :], {}{}{}){}", team.scope, regs, s, part, how, lowered);
    if (draft.dice.chance(40)) show_registers(draft, spread, regs, dtype);
    draft.line("Tx.{}copy({}{}, {}[:, :]{}){}", team.scope, t, part, regs, how, lowered);
  }
  cta_barrier(draft);
  const int moved = height * team.instances;
  const std::string out = draft.tile_output(fmt::format("{}, {}", moved, width), dtype);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[{}:{}, {}:{}])", out, t, down, down + moved, aside,
             aside + width);
  cta_barrier(draft);
  draft.mark(fmt::format("matrix rows {} by a {}", crossed ? "crossed" : "straight",
                         team.scope.substr(0, team.scope.size() - 1)));
}

void asynchronous_copies(Draft& draft) {
  const Team team = any_team(draft, false);
  const DType dtype = draft.dice.pick(kAsync);
  const int bytes = num::bytes(dtype);
  const int run = std::max(draft.dice.one_of({4, 8, 16, 16}) / bytes, 1);  // one thread's
  const bool direct = team.scope.empty() && draft.dice.chance(50);
  const int rounds = direct ? 1 : draft.dice.between(1, 2);
  const int count = team.threads() * run * rounds;  // of one instance
  // Rows that the threads divide.
  int width = run * rounds;
  for (const int some : {2, 4, 8}) {
    if (count % (run * some) == 0 && draft.dice.chance(50)) width = run * some;
  }
  if (direct) width = count;
  const int height = count / width;
  if (team.instances * count * bytes > 8192) return asynchronous_copies(draft);
  const int edge = draft.dice.below(3);  // 0: rows and columns end early, 1: elements, in one row
  const std::string all = edge == 1 && !direct
                              ? fmt::format("{}", team.instances * count)
                              : fmt::format("{}, {}", team.instances * height, width);
  const bool flat = edge == 1 && !direct;
  const std::string s = draft.fresh("S"), out = draft.tile_output(all, dtype);
  if (flat) {
    draft.line("{} = T.alloc_shared(({},), \"{}\")", s, all, type_name(dtype));
  } else {
    draft.line("{} = T.alloc_buffer(({}), \"{}\", scope=\"shared\", layout={})", s, all,
               type_name(dtype),
               layout_with_runs(draft, team.instances * height, width, std::max(16 / bytes, 1)));
  }
  std::string options, from, to;
  const std::string number = team.instances == 1 ? "0" : team.mine;
  if (flat) {
    // One line of elements, some of which are not there.
    const int missing = draft.dice.below(std::min(count, 20));
    const int before = draft.dice.chance(30) ? std::max(16 / bytes, 1) : 0;
    const int size = draft.ctas * team.instances * count - missing;
    const std::string in = draft.fresh("Tin");
    draft.parameter(in, fmt::format("({},)", size), dtype,
                    fmt::format("tirx.random(({},), \"{}\", seed={}, kind=\"bits\")", size,
                                type_name(dtype), draft.dice.below(100000)));
    from = fmt::format("{0}[(bx * {1} + {2}) * {3} - {4}:(bx * {1} + {2}) * {3} - {4} + {3}]", in,
                       team.instances, number, count, before);
    to = fmt::format("{0}[{1} * {2}:{1} * {2} + {2}]", s, number, count);
    options = ", fill_mode=\"zero\"";
    draft.mark("copy_async of a line that ends early");
  } else {
    const int whole = std::max(4 / bytes, 1);
    const int short_by = edge == 0 ? draft.dice.below(std::min(height, 3)) : 0,
              narrow_by = edge == 0 && !direct && width > whole ? whole * draft.dice.below(2) : 0;
    const std::string in = draft.tile_input(
        fmt::format("{}, {}", team.instances * height - short_by, width - narrow_by), dtype,
        "bits");
    const int before = short_by > 0 && draft.dice.chance(40) ? draft.dice.between(1, 2) : 0;
    from = fmt::format("{0}[bx, {1} * {2} - {4}:{1} * {2} - {4} + {2}, 0:{3}]", in, number, height,
                       width, before);
    to = fmt::format("{0}[{1} * {2}:{1} * {2} + {2}, :]", s, number, height);
    if (short_by > 0 || narrow_by > 0) {
      options = ", fill_mode=\"zero\"";
      draft.mark("copy_async of a tile that ends early");
    } else if (draft.dice.chance(50)) {
      const bool zeros = draft.dice.chance(50);
      options = fmt::format(
          ", predicate={}{}",
          draft.dice.one_of<std::string>(
              {fmt::format("{} > 2",
                           draft.scalar(DType::i32, draft.dice.one_of<const char*>({"1", "5"}))),
               fmt::format("bx % 2 == {}", draft.dice.below(2)), "True", "False",
               fmt::format("{}[0] > {}", draft.input(DType::i32), draft.dice.below(3))}),
          zeros ? ", fill_mode=\"zero\"" : "");
      draft.mark(fmt::format("copy_async with a predicate{}", zeros ? ", zeros otherwise" : ""));
    }
  }
  if (draft.dice.chance(30)) {
    options += fmt::format(", prefetch_size={}", draft.dice.one_of({64, 128, 256}));
    draft.mark("copy_async with a prefetch");
  }
  if (direct) options += ", direct=True";
  // The widest of 16, 8 and 4 bytes that divide what is one thread's.
  std::string lowered;
  if (!flat && edge != 0 && (team.warps & (team.warps - 1)) == 0) {
    int widest = 16;
    while (run * rounds * bytes % widest != 0) widest /= 2;
    lowered = promise("ldgsts", widest / bytes);
  }
  // What no copy reaches.
  draft.line("Tx.cta.fill({}{}, {})", s, flat ? "[:]" : "[:, :]",
             num::is_float(dtype) && bytes == 1 ? 0 : draft.dice.between(0, 5));
  cta_barrier(draft);
  {
    std::optional<Draft::Block> block;
    enter(draft, team, block);
    draft.line("Tx.{}copy_async({}, {}{}){}", team.scope, to, from, options, lowered);
    draft.line("T.ptx.cp.async_.commit_group()");
    draft.line("T.ptx.cp.async_.wait_group(0)");
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, {}], {}{})", out, flat ? ":" : ":, :", s, flat ? "[:]" : "[:, :]");
  cta_barrier(draft);
  draft.mark(fmt::format("copy_async by a {}", direct ? "thread, direct"
                                               : team.scope.empty()
                                                   ? "thread"
                                                   : team.scope.substr(0, team.scope.size() - 1)));
}

}  // namespace tirx::fuzz
