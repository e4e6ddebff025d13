// Operations on register tiles of every scope, dtype and layout: copies from everywhere,
// elementwise operations with operands in other registers, reductions over every part, conversions
// and permutations; in the end every register is looked at.
#include <array>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/elementwise.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/spread.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kComputed =
    std::to_array<DType>({DType::f32, DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64});
constexpr auto kMoved = std::to_array<DType>({DType::u8, DType::i8, DType::f64, DType::e4m3,
                                              DType::u16, DType::u32, DType::boolean, DType::i16});

/// A register tile and what is written where.
class Tiles {
 public:
  Tiles(Draft& draft, Team team, DType dtype)
      : draft_(draft),
        team_(std::move(team)),
        dtype_(dtype),
        computes_(num::is_float(dtype) ? num::bits(dtype) >= 16 && dtype != DType::f64
                                       : dtype == DType::i32 || dtype == DType::i64),
        spread_(any_spread(draft, team_)) {}

  void run() {
    const Source a = source(spread_), b = source(spread_);
    std::optional<Draft::Block> block;
    enter(draft_, team_, block);
    Spread moved = spread_;
    deal_registers(draft_, moved);
    const std::string x = load(spread_, a), y = load(moved, b);
    if (computes_) {
      for (int i = draft_.dice.between(1, 3); i > 0; --i)
        tile_operation(draft_, team_.scope, x, draft_.dice.chance(70) ? x : y, y, dtype_);
      if (draft_.dice.chance(45)) reduce(x);
    }
    if (draft_.dice.chance(30)) {
      permute(x);
    } else if (draft_.dice.chance(25)) {
      cast(x);
    }
    leave(spread_, x);
    block.reset();
    cta_barrier(draft_);
    draft_.mark(fmt::format("register tile of a {}", scope_name()));
  }

 private:
  /// Where a tile comes from, and what the copy must be told.
  struct Source {
    std::string region, options;
    bool partial = false;  // it leaves some registers as they were
    bool rows = false;     // one after the other in a tensor of its own
  };

  [[nodiscard]] std::string scope_name() const {
    return team_.scope.empty() ? "thread" : team_.scope.substr(0, team_.scope.size() - 1);
  }

  [[nodiscard]] const char* kind() const {
    return !num::is_float(dtype_) || draft_.dice.chance(40) ? "bits" : "normal";
  }

  [[nodiscard]] std::string prefix() const {
    return team_.instances > 1 ? fmt::format("bx, {}, ", team_.mine) : "bx, ";
  }

  [[nodiscard]] std::string shape(int rows, int columns) const {
    return team_.instances > 1 ? fmt::format("{}, {}, {}", team_.instances, rows, columns)
                               : fmt::format("{}, {}", rows, columns);
  }

  Source source(const Spread& spread) {
    const int rows = spread.extent(0), columns = spread.extent(1);
    const int roll = draft_.dice.below(100);
    if (roll < 35)
      return {draft_.tile_input(shape(rows, columns), dtype_, kind()) +
                  fmt::format("[{}:, :]", prefix()),
              "", false, true};
    if (roll < 55) {
      // A part of something larger.
      const int down = draft_.dice.below(5), right = draft_.dice.one_of({0, 1, 2, 4, 8});
      const std::string in = draft_.tile_input(
          shape(rows + down, columns + right + draft_.dice.below(2) * 8), dtype_, kind());
      return {fmt::format("{}[{}{}:{}, {}:{}]", in, prefix(), down, down + rows, right,
                          right + columns),
              "", false};
    }
    const int elements = team_.instances * rows * columns;
    if (roll < 75 && elements * num::bytes(dtype_) <= 8192) return through_shared(rows, columns);
    // Over the edge.
    const int height = rows - draft_.dice.below(std::min(rows, 3)),
              width = columns - draft_.dice.below(std::min(columns, 4));
    const std::string in = draft_.tile_input(shape(height, width), dtype_, kind());
    const bool fill = draft_.dice.chance(60);
    draft_.mark(fill ? "registers filled at the edge" : "registers clipped at the edge");
    return {fmt::format("{}[{}0:{}, 0:{}]", in, prefix(), rows, columns),
            fill ? ", fill=" + value() : ", clip=True", !fill};
  }

  [[nodiscard]] std::string value() const {
    if (dtype_ == DType::boolean) return "True";
    if (num::bits(dtype_) == 8 && num::is_float(dtype_)) return "0";
    return draft_.dice.one_of<const char*>({"0", "1", "7"});
  }

  Source through_shared(int rows, int columns) {
    const int all = rows * team_.instances;
    const std::string s = draft_.fresh("S"),
                      in = draft_.tile_input(fmt::format("{}, {}", all, columns), dtype_, kind());
    draft_.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, all,
                columns, type_name(dtype_), random_layout(draft_, all, columns));
    draft_.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", s, in);
    cta_barrier(draft_);
    draft_.mark("registers from shared memory");
    if (team_.instances == 1) return {s + "[:, :]", "", false};
    return {fmt::format("{0}[{1} * {2}:{1} * {2} + {2}, :]", s, team_.mine, rows), "", false};
  }

  [[nodiscard]] std::string by_layout(const Spread& spread) const {
    return promise("reg",
                   widest_vector(8 * num::bytes(dtype_), spread.neighbours(), spread.neighbours()));
  }

  std::string load(const Spread& spread, const Source& from) {
    std::string name = spread_tile(draft_, spread, dtype_);
    if (from.partial) draft_.line("Tx.{}fill({}[:, :], {})", team_.scope, name, value());
    draft_.line("Tx.{}copy({}[:, :], {}{}){}", team_.scope, name, from.region, from.options,
                from.rows ? by_layout(spread) : "");
    return name;
  }

  void reduce(const std::string& x) {
    const bool first = inside_warps(spread_, 0), second = inside_warps(spread_, 1);
    const char* op = draft_.dice.one_of<const char*>({"sum", "max", "min"});
    const char* more = draft_.dice.chance(35) ? ", accum=True" : "";
    Spread left;
    std::string axes;
    bool partial = false;
    if (first && second && draft_.dice.chance(25)) {
      left = without(draft_, without(draft_, spread_, 0), 1);
      axes = draft_.dice.one_of<const char*>({"(0, 1)", "(-1, 0)"});
      draft_.mark("reduction of all of a register tile");
    } else {
      if (!first && !second) return;
      const std::size_t gone = !first ? 1 : !second ? 0 : draft_.dice.chance(50) ? 1 : 0;
      partial = draft_.dice.chance(30);
      left = without(draft_, spread_, gone, partial);
      axes = gone == 0 ? draft_.dice.one_of<const char*>({"0", "-2", "(0,)"})
                       : draft_.dice.one_of<const char*>({"1", "-1", "(1,)"});
      partial = partial && left.extent(gone) > 1;
      if (partial) draft_.mark("reduction into one part a lane");
    }
    const bool all_lanes = team_.scope == "warp." && draft_.dice.chance(partial ? 50 : 20);
    // Perhaps summed in a type that is wider.
    const DType sum = (dtype_ == DType::f16 || dtype_ == DType::bf16) && draft_.dice.chance(40)
                          ? DType::f32
                          : dtype_;
    const std::string y = spread_tile(draft_, left, sum);
    draft_.line("Tx.{}fill({}[:, :], {})", team_.scope, y, draft_.dice.between(0, 3));
    draft_.line("Tx.{}{}({}, {}, axes={}{}{})", team_.scope, op, y, x, axes, more,
                all_lanes ? ", thread_reduce=True" : "");
    draft_.mark(fmt::format("reduction in registers of a {}", scope_name()));
    if (!partial && draft_.dice.chance(60))
      draft_.line("Tx.{}{}({}, {}, {})", team_.scope,
                  draft_.dice.one_of<const char*>({"sub", "mul", "maximum"}), x, x, y);
    show_registers(draft_, left, y, sum);
  }

  void permute(const std::string& x) {
    Spread other = spread_;
    deal_registers(draft_, other);
    const std::string y = spread_tile(draft_, other, dtype_);
    draft_.line("Tx.{}permute_layout({}[:, :], {}[:, :])", team_.scope, y, x);
    show_registers(draft_, other, y, dtype_);
    draft_.mark(fmt::format("registers permuted by a {}", scope_name()));
  }

  void cast(const std::string& x) {
    const DType to = draft_.dice.one_of({DType::f32, DType::f16, DType::i32, DType::bf16});
    if (dtype_ == DType::boolean) return;
    Spread other = spread_;
    deal_registers(draft_, other);
    const std::string y = spread_tile(draft_, other, to);
    draft_.line("Tx.{}cast({}, {})", team_.scope, y, x);
    show_registers(draft_, other, y, to);
  }

  /// Back to memory: all of it, or what a smaller tensor takes; replicas are looked at one by one.
  void leave(const Spread& spread, const std::string& x) {
    if (!spread.replicas.empty() || draft_.dice.chance(25))
      return show_registers(draft_, spread, x, dtype_);
    const int rows = spread.extent(0), columns = spread.extent(1);
    if (draft_.dice.chance(25)) {
      const std::string out =
          draft_.tile_output(shape(rows - draft_.dice.below(std::min(rows, 3)),
                                   columns - draft_.dice.below(std::min(columns, 3))),
                             dtype_);
      draft_.line("Tx.{}copy({}[{}0:{}, 0:{}], {}[:, :], clip=True)", team_.scope, out, prefix(),
                  rows, columns, x);
      draft_.mark("registers stored over the edge");
      return;
    }
    const std::string out = draft_.tile_output(shape(rows, columns), dtype_);
    draft_.line("Tx.{}copy({}[{}:, :], {}[:, :]){}", team_.scope, out, prefix(), x,
                by_layout(spread));
  }

  Draft& draft_;
  Team team_;
  DType dtype_;
  bool computes_;
  Spread spread_;
};

}  // namespace

void register_tiles(Draft& draft) {
  const Team team = any_team(draft, false);
  const DType dtype = draft.dice.chance(75) ? draft.dice.pick(kComputed) : draft.dice.pick(kMoved);
  Tiles(draft, team, dtype).run();
}

}  // namespace tirx::fuzz
