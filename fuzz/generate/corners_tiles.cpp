// Who carries out a tile operation and where it begins: parts of a scope, conditions on warps of
// every form, calls that nobody reaches, regions that move while they are written; vectors by steps
// over layouts of several digits.
#include <algorithm>
#include <array>
#include <vector>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// A tile in shared memory, one in global memory for the results.
struct Pair {
  std::string in, shared, out;
  int rows = 4, columns = 8;
};

Pair tiles(Draft& draft, DType dtype) {
  Pair made;
  made.rows = draft.dice.between(2, 5);
  made.columns = draft.dice.one_of({4, 6, 8});
  const std::string shape = fmt::format("{}, {}", made.rows, made.columns);
  made.in = draft.tile_input(shape, dtype, "bits");
  made.out = draft.tile_output(shape, dtype);
  made.shared = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}), \"{}\")", made.shared, shape, type_name(dtype));
  draft.line("Tx.cta.fill({}[:, :], {})", made.shared, draft.dice.between(0, 7));
  cta_barrier(draft);
  return made;
}

/// A copy that a part of its scope reaches: the first thread of that part carries it out.
void by_part_of_a_scope(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::u8, DType::i32, DType::f16});
  const Pair pair = tiles(draft, dtype);
  const int warp = draft.dice.below(draft.warps()), lane = draft.dice.between(1, 31);
  const bool groups = draft.threads % 128 == 0;
  const std::string of_lanes = draft.dice.one_of<std::string>(
      {fmt::format("lane >= {}", lane), fmt::format("lane == {}", lane),
       fmt::format("lane < {}", lane), fmt::format("lane > {} and lane < {}", lane / 2, lane + 1),
       "lane % 2 == 1"});
  const std::string scope =
      draft.dice.one_of<const char*>({"cta", "cta", groups ? "wg" : "warp", "warp"});
  const bool lanes = scope == "warp" || draft.warps() == 1 || draft.dice.chance(30);
  draft.line("if {}:", draft.dice.one_of<std::string>(
                           {fmt::format("warp == {}", warp), fmt::format("tx // 32 == {}", warp)}));
  {
    const Draft::Block block(draft);
    if (lanes) draft.line("if {}:", of_lanes);
    std::optional<Draft::Block> inner;
    if (lanes) inner.emplace(draft);
    draft.line("Tx.{}.copy({}[:, :], {}[bx, :, :]){}{}", scope, pair.shared, pair.in,
               promise("fallback", 1), kWarns);
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", pair.out, pair.shared);
  cta_barrier(draft);
  draft.mark("copy by a part of its scope");
}

/// Calls under conditions that hold for no thread.
void reached_by_nobody(Draft& draft) {
  const Pair pair = tiles(draft, DType::f32);
  draft.line("if {}:", draft.dice.one_of<std::string>(
                           {fmt::format("warp == {}", draft.warps()),
                            fmt::format("warp > {}", draft.warps() - 1), "warp < 0", "lane == 32",
                            "lane > 31", fmt::format("tx >= {}", draft.threads), "tx < 0"}));
  {
    const Draft::Block block(draft);
    draft.line("Tx.{}.{}", draft.dice.one_of<const char*>({"warp", "cta"}),
               draft.dice.one_of<std::string>(
                   {fmt::format("fill({}[:, :], 9.0)", pair.shared),
                    fmt::format("copy({}[:, :], {}[bx, :, :])", pair.shared, pair.in),
                    fmt::format("add({0}[:, :], {0}[:, :], 1.0)", pair.shared)}));
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", pair.out, pair.shared);
  cta_barrier(draft);
  draft.mark("tile operation that nobody reaches");
}

/// One lane of a warp, of the hardware's choice, carries out what a warp or a thread is asked for.
void by_the_elected_lane(Draft& draft) {
  const Pair pair = tiles(draft, draft.dice.one_of({DType::f32, DType::u8, DType::i32}));
  draft.line("if {}:", one_warp(draft));
  {
    const Draft::Block block(draft);
    draft.line("if {}:",
               draft.dice.one_of<const char*>({"T.cuda.elect_sync()", "T.cuda.elect_sync() != 0",
                                               "T.cast(T.cuda.elect_sync(), \"int32\") != 0"}));
    const Draft::Block inner(draft);
    draft.line("Tx.{}copy({}[:, :], {}[bx, :, :]){}{}",
               draft.dice.one_of<const char*>({"warp.", "cta."}), pair.shared, pair.in,
               promise("fallback", 1), kWarns);
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", pair.out, pair.shared);
  cta_barrier(draft);
  draft.mark("copy by the elected lane");
}

/// A condition on the number of the warp, in one of its many forms.
class Condition {
 public:
  Condition(Draft& draft, int warps) : warps_(warps) {
    static constexpr std::array kWords{"<", "<=", ">", ">=", "==", "!="};
    relation_ = draft.dice.below(6);
    moved_ = draft.dice.chance(50) ? draft.dice.between(-2, 3) : 0;
    divisor_ = draft.dice.chance(40) ? draft.dice.between(2, 3) : 1;
    remainder_ = divisor_ > 1 && draft.dice.chance(40);
    if (remainder_) relation_ = 4 + draft.dice.below(2);
    limit_ = remainder_ ? draft.dice.below(divisor_) : draft.dice.between(-1, warps);
    minus_ = !remainder_ && divisor_ == 1 && draft.dice.chance(25);
    negated_ = draft.dice.chance(25);
    // One thread is no warp.
    const bool threads = draft.dice.chance(30) && (relation_ < 4 || divisor_ > 1);
    std::string id = threads ? "tx" : draft.dice.chance(20) ? "(tx // 32)" : "warp";
    const int unit = threads ? 32 : 1;
    if (draft.dice.chance(25)) {
      const std::string name = draft.fresh("w");
      draft.line("{}: T.let = {}", name, id);
      id = name;
    }
    std::string value = moved_ > 0   ? fmt::format("({} + {})", id, moved_ * unit)
                        : moved_ < 0 ? fmt::format("({} - {})", id, -moved_ * unit)
                                     : id;
    if (minus_) value = fmt::format("({} - {})", moved_ * unit, id);
    int limit = limit_ * unit;
    if (divisor_ > 1 || (remainder_ && threads)) {
      if (threads && remainder_) value = fmt::format("({} // 32)", value);
      value = fmt::format("{} {} {}", value, remainder_ ? "%" : "//",
                          threads && !remainder_ ? divisor_ * 32 : divisor_);
      limit = limit_;
    }
    // Threads count in whole warps: one less than the next is the last of this one.
    if (threads && divisor_ == 1 && (relation_ == 1 || relation_ == 2)) limit += minus_ ? 0 : 31;
    if (threads && divisor_ == 1 && minus_ && (relation_ == 0 || relation_ == 3)) limit -= 31;
    const bool turned = draft.dice.chance(25);
    static constexpr std::array kTurned{">", ">=", "<", "<=", "==", "!="};
    const auto at = static_cast<std::size_t>(relation_);
    text_ = turned ? fmt::format("{} {} {}", limit, kTurned[at], value)
                   : fmt::format("{} {} {}", value, kWords[at], limit);
    if (negated_) text_ = fmt::format("not ({})", text_);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

  /// By the first thread of each warp; all of them decide alike.
  [[nodiscard]] bool holds(int warp) const {
    const int value = minus_ ? moved_ - warp : warp + moved_;
    const int floored = value >= 0 ? value / divisor_ : -((divisor_ - 1 - value) / divisor_);
    const int left = remainder_ ? value - floored * divisor_ : floored;
    const std::array<bool, 6> all{left<limit_, left <= limit_, left> limit_, left >= limit_,
                                  left == limit_, left != limit_};
    return all[static_cast<std::size_t>(relation_)] != negated_;
  }

  /// Whether the warps that pass are neighbours: a CTA's call may stand there.
  [[nodiscard]] bool in_a_row() const {
    int changes = 0;
    for (int w = 1; w < warps_; ++w) changes += holds(w) != holds(w - 1) ? 1 : 0;
    return changes <= 1 || (changes == 2 && !holds(0));
  }

  [[nodiscard]] int passing() const {
    int count = 0;
    for (int w = 0; w < warps_; ++w) count += holds(w) ? 1 : 0;
    return count;
  }

 private:
  int warps_, relation_, moved_, divisor_, limit_;
  bool remainder_, minus_, negated_;
  std::string text_;
};

/// Copies of the warps for which a condition holds: each one a row, or all of them one tile.
void some_warps(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u8});
  const Condition condition(draft, draft.warps());
  const bool exact = condition.in_a_row() && condition.passing() > 0 &&
                     condition.passing() < draft.warps() &&
                     condition.text().find('%') == std::string::npos && draft.dice.chance(40);
  if (exact) {
    const Pair pair = tiles(draft, dtype);
    draft.line("if {}:", condition.text());
    {
      const Draft::Block block(draft);
      draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :]){}{}", pair.shared, pair.in,
                 promise("fallback", 1), kWarns);
    }
    cta_barrier(draft);
    draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", pair.out, pair.shared);
  } else {
    const std::string shape = fmt::format("{}, 64", draft.warps());
    const std::string in = draft.tile_input(shape, dtype, "bits"),
                      out = draft.tile_output(shape, dtype);
    draft.line("if {}:", condition.text());
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({}[bx, warp, :], {}[bx, warp, :])", out, in);
  }
  cta_barrier(draft);
  draft.mark("tile operation under a condition on warps");
}

/// The place of a region is where it was when the call began, though the call writes over it.
void moving_region(Draft& draft) {
  const int begin = draft.dice.between(0, 6), width = draft.dice.between(2, 5),
            at = begin + draft.dice.below(width);
  const std::string l = draft.fresh("L"), m = draft.fresh("L"), i = draft.fresh("i");
  draft.line("{} = T.alloc_local((12,), \"int32\")", l);
  draft.line("{} = T.alloc_local(({},), \"int32\")", m, width);
  draft.line("for {} in range(12):", i);
  {
    const Draft::Block block(draft);
    draft.line("{0}[{1}] = {1} * 3 + lane", l, i);
  }
  draft.line("for {} in range({}):", i, width);
  {
    const Draft::Block block(draft);
    draft.line("{0}[{1}] = 100 - {1} * {2}", m, i, draft.dice.between(1, 5));
  }
  draft.line("{}[{}] = {}", l, at, begin);
  const std::string region = fmt::format("{0}[{0}[{1}]:{0}[{1}] + {2}]", l, at, width);
  draft.line("Tx.{}", draft.dice.one_of<std::string>(
                          {fmt::format("copy({}, {}[:])", region, m),
                           fmt::format("fill({}, {})", region, draft.dice.between(20, 90)),
                           fmt::format("add({0}, {1}[:], {1}[:])", region, m),
                           fmt::format("copy({}, {}[:])", region, m)}));
  std::string sum;
  for (int k = 0; k < 12; ++k) sum += fmt::format("{}{}[{}] * {}", k > 0 ? " + " : "", l, k, k + 1);
  draft.mark("region that moves while it is written");
  keep_result(draft, sum, DType::i32);
}

/// Lanes at steps of one, two or three, in rows whose layout has several digits.
void steps_across_digits(Draft& draft) {
  static constexpr std::array kRows{
      "S[({0}, 4, 2):(8, 2, 1)]",  "S[({0}, 4, 2):(8, 1, 4)]",  "S[({0}, 2, 4):(8, 1, 2)]",
      "S[({0}, 2, 4):(16, 8, 1)]", "S[({0}, 8):(8, 1)]",        "S[({0}, 8):(1, {0})]",
      "S[({0}, 8, 1):(8, 1, 5)]",  "S[({0}, 1, 8):(12, 3, 1)]", "S[({0}, 2, 2, 2):(8, 4, 2, 1)]"};
  // Two of them fit beside what else is shared.
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u8, DType::f16,
                                         draft.threads > 128 ? DType::i32 : DType::i64});
  std::array<std::string, 2> names;
  for (std::string& name : names) {
    name = draft.fresh("S");
    const std::string layout = draft.fresh("digits");
    draft.host(
        "{} = TileLayout({})", layout,
        fmt::format(
            fmt::runtime(
                kRows[static_cast<std::size_t>(draft.dice.below(static_cast<int>(kRows.size())))]),
            draft.threads));
    draft.line("{} = T.alloc_buffer(({}, 8), \"{}\", scope=\"shared\", layout={})", name,
               draft.threads, type_name(dtype), layout);
    const std::string i = draft.fresh("i");
    draft.line("for {} in range(8):", i);
    const Draft::Block block(draft);
    draft.line("{0}[tx, {1}] = T.cast({1} * {2} + lane, \"{3}\")", name, i,
               draft.dice.between(1, 9), type_name(dtype));
  }
  const int lanes = draft.dice.one_of({2, 2, 4});
  const auto slice = [&](const std::string& name) {
    const int step = lanes == 4 ? draft.dice.between(1, 2) : draft.dice.between(1, 3);
    // Neighbours move as one vector, which must be aligned.
    const int begin =
        step == 1 ? lanes * draft.dice.below(8 / lanes) : draft.dice.below(8 - (lanes - 1) * step);
    if (step > 1)
      return fmt::format("{}[tx, {}:{}:{}]", name, begin, begin + (lanes - 1) * step + 1, step);
    return fmt::format("{}[tx, {}:{}]", name, begin, begin + lanes);
  };
  draft.line("{} = {}", slice(names[0]), slice(names[1]));
  draft.line("{} = {}", slice(names[1]), slice(names[0]));
  draft.line("{0}.vstore([tx, {2}], {1}.vload([tx, {3}], \"{4}x{5}\"))", names[0], names[1],
             lanes * draft.dice.below(8 / lanes), lanes * draft.dice.below(8 / lanes),
             type_name(dtype), lanes);
  draft.mark("vectors by steps across digits");
  cta_barrier(draft);
  const std::string out = draft.tile_output(fmt::format("{}, 8", draft.threads), dtype);
  for (const std::string& name : names) {
    keep_result(draft, fmt::format("{}[tx, {}]", name, draft.dice.below(8)), dtype);
  }
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", out, names[0]);
  cta_barrier(draft);
}

/// Tile operations of a block, and of a grid, of several dimensions: a kernel of its own.
void block_of_dimensions(Draft& draft) {
  struct Shape {
    const char *ids, *extents;
    int threads;
  };

  static constexpr auto kBlocks = std::to_array<Shape>({{"tx, ty", "32, 2", 64},
                                                        {"tx, ty", "16, 4", 64},
                                                        {"tx, ty", "1, 64", 64},
                                                        {"tx, ty", "64, 2", 128},
                                                        {"tx, ty, tz", "8, 2, 4", 64},
                                                        {"tx, ty, tz", "4, 4, 4", 64},
                                                        {"tx, ty, tz", "2, 32, 2", 128},
                                                        {"tx, ty, tz", "1, 1, 64", 64}});
  const Shape& block = draft.dice.pick(kBlocks);
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::f16});
  const int across = draft.dice.between(1, 3), down = draft.dice.between(1, 2);
  const int rows = draft.dice.one_of({8, 16}), columns = draft.dice.one_of({16, 32}),
            warps = block.threads / 32;
  const std::string name = draft.fresh("kb"), type = type_name(dtype),
                    shape = fmt::format("({}, {}, {}, {})", down, across, rows, columns);
  const std::int64_t vec = std::min<std::int64_t>(
      widest_vector(8 * num::bytes(dtype), columns, rows * columns / block.threads), columns);
  const std::string tile = promise("gmem_smem", vec), pieces = promise("smem", vec);
  const int add = draft.dice.between(1, 5), turn = draft.dice.below(warps);
  std::string text = fmt::format("\n\n{}_rows = TileLayout(S[({}, {}):(1 @ tx, 1)])\n", name,
                                 block.threads, rows * columns / block.threads);
  text += fmt::format(
      "\n\n@T.prim_func\n"
      "def {0}(A: T.Buffer({1}, \"{2}\"), B: T.Buffer({1}, \"{2}\"), C: T.Buffer({1}, \"{2}\")):\n"
      "    T.device_entry()\n"
      "    bx, by = T.cta_id([{3}, {4}])\n"
      "    {5} = T.thread_id([{6}])\n"
      "    warp = T.warp_id([{7}])\n"
      "    s = T.alloc_shared(({8}, {9}), \"{2}\")\n"
      "    Tx.cta.copy(s[:, :], A[by, bx, :, :]){10}\n"
      "    T.cuda.cta_sync()\n"
      "    Tx.cta.add(s[:, :], s[:, :], {11}){12}\n",
      name, shape, type, across, down, block.ids, block.extents, warps, rows, columns, tile, add,
      pieces);
  // Each warp a part, perhaps another's; and all threads a row each, in registers.
  const int part = rows / warps;
  text += fmt::format(
      "    w: T.let = (warp + {1}) % {2} * {0}\n"
      "    Tx.warp.copy(B[by, bx, warp * {0}:warp * {0} + {0}, :], s[w:w + {0}, :])\n"
      "    x = s.view({3}, {4})\n"
      "    r = T.alloc_buffer(({3}, {4}), \"{5}\", scope=\"local\", layout={9}_rows)\n"
      "    Tx.cta.copy(r[:, :], x[:, :])\n"
      "    Tx.cta.add(r, r, {6})\n"
      "    T.cuda.cta_sync()\n"
      "    Tx.cta.copy(x[:, :], r[:, :])\n"
      "    T.cuda.cta_sync()\n"
      "    if warp == {1}:\n"
      "        Tx.cta.copy(C[by, bx, :, :], s[:, :]){7}{8}\n",
      part, turn, warps, block.threads, rows * columns / block.threads, type, add,
      promise("fallback", 1), kWarns, name);
  text += fmt::format(
      "\n\n{0}(tirx.random({1}, \"{2}\", seed={3}, kind=\"{4}\"), tirx.empty({1}, \"{2}\"), "
      "tirx.empty({1}, \"{2}\"))\n",
      name, shape, type, draft.dice.below(100000), num::is_float(dtype) ? "normal" : "int");
  draft.append(text);
  draft.mark("tile operations of a block of dimensions");
}

/// Operands whose dimensions of one element stand elsewhere.
void units_elsewhere(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::f16});
  const int deep = draft.dice.between(2, 4), columns = draft.dice.one_of({4, 6, 8});
  const char* kind = num::is_float(dtype) ? "normal" : "int";
  const std::string shape = fmt::format("{}, 3, {}", deep, columns),
                    flat = fmt::format("{}, {}", deep, columns),
                    apart = fmt::format("{}, {}, 1", deep, columns);
  const bool behind = draft.dice.chance(50);
  const std::string in = draft.tile_input(shape, dtype, kind),
                    small = draft.tile_input(behind ? apart : flat, dtype, kind) +
                            (behind ? "[bx, :, :, :]" : "[bx, :, :]"),
                    out = draft.tile_output(shape, dtype), s = draft.fresh("S"),
                    t = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type_name(dtype));
  draft.line("{} = T.alloc_shared(({}), \"{}\")", t, flat, type_name(dtype));
  draft.line("Tx.cta.copy({}[:, :, :], {}[bx, :, :, :])", s, in);
  draft.line("Tx.cta.copy({}[:, :], {})", t, small);
  cta_barrier(draft);
  const int row = draft.dice.below(3);
  const std::string part = fmt::format("{}[:, {}:{}, :]", s, row, row + 1);
  draft.line("Tx.cta.{}({}, {}, {}[:, :])",
             draft.dice.one_of<const char*>({"add", "mul", "maximum", "sub"}), part, part, t);
  draft.line("Tx.cta.add({0}[:, :], {0}[:, :], {1}[:, {2}:{3}, :])", t, s, 2 - row, 3 - row);
  draft.line("Tx.cta.copy({}[:, {}, :], {}[:, :])", s, (row + 1) % 3, t);
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :, :], {}[:, :, :])", out, s);
  cta_barrier(draft);
  draft.mark("dimensions of one element elsewhere");
}

constexpr auto kTilesCorners = std::to_array<Corner>({
    {"copy by a part of its scope", by_part_of_a_scope},
    {"copy by the elected lane", by_the_elected_lane},
    {"tile operation that nobody reaches", reached_by_nobody},
    {"tile operation under a condition on warps", some_warps, 2},
    {"region that moves while it is written", moving_region},
    {"vectors by steps across digits", steps_across_digits},
    {"dimensions of one element elsewhere", units_elsewhere},
    {"tile operations of a block of dimensions", block_of_dimensions},
});

}  // namespace

std::span<const Corner> tile_corners() {
  return kTilesCorners;
}

}  // namespace tirx::fuzz
