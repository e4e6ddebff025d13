// gemm by every scope: warps share out rows and columns, operands lie in registers dealt at random,
// straight or transposed, with C, factors that are computed, promotion, and scales in memory or in
// registers (docs/language/tile_matrix.md, "gemm").
#include <algorithm>

#include "fuzz/generate/fragment.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/spread.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

DType stored(DType dtype) {
  return dtype == DType::tf32 ? DType::f32 : dtype;
}

class Product {
 public:
  Product(Draft& draft, Team team)
      : draft_(draft), team_(std::move(team)), types_(matrix_types(draft)) {
    const int w = types_.packed;
    height_ = 16;
    k_ = draft.dice.one_of({4 * w, 8 * w});
    if (types_.a == DType::f64) {
      height_ = draft.dice.one_of({8, 16});
      k_ = height_ == 8 ? 4 : draft.dice.one_of({4, 8, 16});
    }
    steps_ = draft.dice.between(1, team_.warps > 2 ? 2 : 4);
    share();
    scaled_ = types_.d == DType::f32 && height_ == 16 && draft.dice.chance(75);
    transposed_a_ = draft.dice.chance(35);
    transposed_b_ = draft.dice.chance(50);
  }

  void run() {
    const Spread d = tile_d(), a = tile_a(), b = tile_b();
    const std::string in_a = input(a, types_.a), in_b = input(b, types_.b);
    if (scaled_) choose_scales(d);
    const bool with_c = draft_.dice.chance(45);
    const bool same = with_c && draft_.dice.chance(50);
    std::string in_c;
    if (with_c)
      in_c = draft_.tile_input(d.shape(), types_.d, num::is_float(types_.d) ? "normal" : "int");
    const std::string factors = with_c || draft_.dice.chance(30) ? any_factors(with_c) : "";
    const std::string out = draft_.tile_output(d.shape(), types_.d);
    std::optional<Draft::Block> block;
    enter(draft_, team_, block);
    const std::string x = load(a, types_.a, in_a), y = load(b, types_.b, in_b);
    const std::string z = spread_tile(draft_, d, types_.d);
    std::string c;
    if (with_c) {
      c = same ? z : spread_tile(draft_, redealt(d, pair_of_d()), types_.d);
      draft_.line("Tx.{}copy({}[:, :], {}[bx, :, :])", team_.scope, c, in_c);
      c = ", " + c;
    }
    std::string scales;
    for (const Scale& scale : scales_) scales += load_scale(scale);
    draft_.line("Tx.{}gemm({}, {}, {}{}{}{}{}{}{})", team_.scope, z, x, y, c, factors,
                transposed_a_ ? ", transpose_A=True" : "",
                transposed_b_ ? ", transpose_B=True" : "", scales, interval_text());
    draft_.line("Tx.{}copy({}[bx, :, :], {}[:, :])", team_.scope, out, z);
    block.reset();
    cta_barrier(draft_);
    draft_.mark("gemm by a " + team_.scope.substr(0, team_.scope.size() - 1));
    if (transposed_a_) draft_.mark("gemm of a transposed A");
  }

 private:
  struct Scale {
    std::string role, name;  // of the tensor
    Spread spread;           // in registers
    bool in_registers = false;
    std::string region;
    DType dtype = DType::f32;
  };

  /// The tiles of D along one dimension: some by registers, some by warps.
  using Tiles = std::vector<Digit>;

  /// Which warps hold which rows and columns.
  void share() {
    int down = 1;
    for (const int some : {2, 3, 4, 8}) {
      if (team_.warps % some == 0 && draft_.dice.chance(40)) down = some;
    }
    if (team_.by_groups) down = draft_.dice.one_of({2, 4});
    const int across = team_.warps / down;
    // The warpgroups are those four warps apart.
    const bool rows_first = team_.by_groups ? down == 2 : draft_.dice.chance(50);
    // Not more than a dozen instructions a warp.
    const int most = team_.warps > 2 ? 2 : steps_ > 2 ? 3 : 4;
    const int high = std::min(draft_.dice.one_of({1, 1, 2, 3, 4}), most);
    rows_ = tiles(high, down, rows_first ? across : 1);
    columns_ = tiles(draft_.dice.between(1, high > 2 ? 2 : most), across, rows_first ? 1 : down);
    if (down > 1)
      over_rows_ = fmt::format("{} : {}", down, team_.warp_step(rows_first ? across : 1));
    if (across > 1)
      over_columns_ = fmt::format("{} : {}", across, team_.warp_step(rows_first ? 1 : down));
  }

  Tiles tiles(int count, int warps, int step) {
    Tiles made;
    if (count == 4 && draft_.dice.chance(50)) {
      made = {{2, {}, false, 0}, {2, {}, false, 0}};
    } else if (count > 1) {
      made = {{count, {}, false, 0}};
    }
    if (warps > 1)
      made.insert(made.begin() + draft_.dice.below(static_cast<int>(made.size()) + 1),
                  {warps, team_.warp_step(step), false, 0});
    return made;
  }

  [[nodiscard]] Digit lanes(int extent, int step) const {
    return {extent, fmt::format("{} @ {}", step, team_.lanes), true, 0};
  }

  static Digit registers(int extent) { return {extent, {}, false, 0}; }

  static void append(Tiles& to, const Tiles& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  [[nodiscard]] Tiles along_k() const {
    Tiles made;
    const int w = types_.packed, words = k_ / (4 * w);
    if (steps_ == 4 && split_k_) {
      append(made, {registers(2), registers(2)});
    } else {
      append(made, {registers(steps_)});
    }
    append(made, {registers(words), lanes(4, 1), registers(w)});
    return made;
  }

  [[nodiscard]] int pair_of_d() const { return num::bits(types_.d) == 16 ? 2 : 1; }

  Spread redealt(Spread spread, int run) {
    deal_registers(draft_, spread, run);
    return spread;
  }

  Spread tile_d() {
    Spread d;
    d.dims = {rows_, columns_};
    if (height_ == 16) d.dims[0].push_back(registers(2));
    d.dims[0].push_back(lanes(8, 4));
    append(d.dims[1], {lanes(4, 1), registers(2)});
    return redealt(d, pair_of_d());
  }

  Spread tile_a() {
    Tiles m = rows_;
    if (height_ == 16) m.push_back(registers(2));
    m.push_back(lanes(8, 4));
    split_k_ = draft_.dice.chance(50);
    return operand(m, along_k(), transposed_a_, over_columns_);
  }

  Spread tile_b() {
    Tiles n = columns_;
    n.push_back(lanes(8, 4));
    split_k_ = draft_.dice.chance(50);
    return operand(n, along_k(), !transposed_b_, over_rows_);
  }

  /// The innermost digit along K is the pair in a register, wherever K comes.
  Spread operand(const Tiles& mn, const Tiles& k, bool k_first, const std::string& replica) {
    Spread made;
    made.dims = {mn, k};
    deal_registers(draft_, made, types_.packed);
    if (k_first) std::swap(made.dims[0], made.dims[1]);
    // Held by all: said so, or by an axis that nobody names.
    // Not where the axis tells some of the warps apart; and a cast counts all threads.
    const bool must = team_.across.empty() || team_.by_groups || types_.a == DType::tf32 ||
                      (!over_rows_.empty() && !over_columns_.empty());
    if (!replica.empty() && (must || draft_.dice.chance(60))) made.replicas.push_back(replica);
    return made;
  }

  std::string input(const Spread& spread, DType dtype) {
    return draft_.tile_input(spread.shape(), stored(dtype),
                             scaled_ ? "normal" : operand_kind(draft_, dtype)) +
           "[bx, :, :]";
  }

  std::string load(const Spread& spread, DType dtype, const std::string& from) {
    std::string name = spread_tile(draft_, spread, dtype);
    if (stored(dtype) == dtype) {
      draft_.line("Tx.{}copy({}[:, :], {})", team_.scope, name, from);
      return name;
    }
    const std::string wide = spread_tile(draft_, spread, stored(dtype));
    draft_.line("Tx.{}copy({}[:, :], {})", team_.scope, wide, from);
    draft_.line("Tx.{}cast({}, {})", team_.scope, name, wide);
    return name;
  }

  std::string any_factors(bool with_c) {
    std::string text;
    const bool whole = types_.d == DType::i32;
    if (draft_.dice.chance(60)) text += ", alpha=" + factor(whole);
    if (with_c) text += ", beta=" + (draft_.dice.chance(35) ? "1.0" : factor(whole));
    if (whole && text.find("1.0") != std::string::npos) text.replace(text.find("1.0"), 3, "1");
    return text;
  }

  std::string factor(bool whole) {
    if (draft_.dice.chance(40)) {
      draft_.mark("gemm with a computed factor");
      if (whole)
        return draft_.scalar(DType::i32, draft_.dice.one_of<const char*>({"3", "-2", "0"}));
      const DType dtype =
          types_.d == DType::f16 ? draft_.dice.one_of({DType::f16, DType::f32}) : types_.d;
      return draft_.scalar(dtype,
                           draft_.dice.one_of<const char*>({"0.5", "-2.0", "0.0", "1.0", "3.0"}));
    }
    return whole ? draft_.dice.one_of<const char*>({"2", "-3", "7"})
                 : draft_.dice.one_of<const char*>({"0.5", "-1.25", "3", "0.1", "-1", "2.0"});
  }

  // Scales.

  void choose_scales(const Spread& d) {
    const int k = k_ * steps_;
    for (int some = draft_.dice.between(1, steps_); some > 0; --some) {
      if (steps_ % some == 0) {
        interval_ = some * k_;
        break;
      }
    }
    if (interval_ == 0) interval_ = k;
    const int which = draft_.dice.below(4);
    if (which % 2 == 1) scales_.push_back(scale("SFA", 0, d, !transposed_a_));
    if (which / 2 == 1) scales_.push_back(scale("SFB", 1, d, transposed_b_));
    if (which == 0) draft_.mark("gemm promoted without scales");
  }

  /// Scales of D's rows (0) or columns (1); `k_last`: in the orientation of the matrix.
  Scale scale(const char* role, std::size_t dim, const Spread& d, bool k_last) {
    Scale made;
    made.role = role;
    made.name = draft_.fresh("SF");
    made.dtype = draft_.dice.chance(70) ? DType::f32 : DType::e8m0;
    const int mn = draft_.dice.chance(65) ? d.extent(dim) : 1;
    const int intervals = k_ * steps_ / interval_;
    const int along = draft_.dice.chance(70) ? intervals : 1;
    made.in_registers = draft_.dice.chance(45);
    const int missing = !made.in_registers && mn > 1 && draft_.dice.chance(45)
                            ? draft_.dice.between(1, std::min(mn - 1, 9))
                            : 0;
    const auto oriented = [&](int x, int y) {
      return k_last ? fmt::format("{}, {}", x, y) : fmt::format("{}, {}", y, x);
    };
    const std::string shape = fmt::format("({}, {})", draft_.ctas, oriented(mn - missing, along));
    std::string values = fmt::format("tirx.random({}, \"float32\", seed={}, kind=\"{}\")", shape,
                                     draft_.dice.below(100000),
                                     draft_.dice.one_of<const char*>({"dyadic", "normal"}));
    if (made.dtype == DType::e8m0)
      values =
          fmt::format("tirx.random({}, \"uint8\", seed={}, kind=\"bits\").view(\"float8_e8m0fnu\")",
                      shape, draft_.dice.below(100000));
    draft_.parameter(made.name, shape, made.dtype, values);
    const int before =
        missing > 1 && draft_.dice.chance(40) ? draft_.dice.between(1, missing - 1) : 0;
    const std::string reach = fmt::format("{}:{}", -before, mn - before);
    made.region = missing > 0 ? fmt::format("{}[bx, {}]", made.name,
                                            k_last ? fmt::format("{}, 0:{}", reach, along)
                                                   : fmt::format("0:{}, {}", along, reach))
                              : made.name + "[bx, :, :]";
    zero_fill_ = zero_fill_ || missing > 0;
    if (missing > 0) draft_.mark("scales over the edge");
    if (!made.in_registers) return made;
    draft_.mark("scales in registers");
    Tiles lines, blocks{registers(along)};
    if (mn == 1) {
      lines = {registers(1)};
      made.spread.replicas.push_back(fmt::format("32 : 1 @ {}", team_.lanes));
      if (!over_rows_.empty()) made.spread.replicas.push_back(over_rows_);
      if (!over_columns_.empty()) made.spread.replicas.push_back(over_columns_);
    } else {
      lines = dim == 0 ? rows_ : columns_;
      if (dim == 0) {
        append(lines, {registers(2), lanes(8, 4)});
      } else {
        append(lines, {lanes(4, 1), registers(2)});
      }
      made.spread.replicas.push_back(
          fmt::format("{} : {} @ {}", dim == 0 ? 4 : 8, dim == 0 ? 1 : 4, team_.lanes));
      const std::string& others = dim == 0 ? over_columns_ : over_rows_;
      if (!others.empty()) made.spread.replicas.push_back(others);
    }
    made.spread.dims = {lines, blocks};
    deal_registers(draft_, made.spread);
    if (!k_last) std::swap(made.spread.dims[0], made.spread.dims[1]);
    return made;
  }

  std::string load_scale(const Scale& scale) {
    if (!scale.in_registers) return fmt::format(", {}={}", scale.role, scale.region);
    const std::string name = spread_tile(draft_, scale.spread, scale.dtype);
    draft_.line("Tx.{}copy({}[:, :], {})", team_.scope, name, scale.region);
    return fmt::format(", {}={}", scale.role, name);
  }

  [[nodiscard]] std::string interval_text() const {
    if (interval_ == 0) return {};
    return fmt::format(", promotion_interval={}{}", interval_,
                       zero_fill_ ? ", fill_mode=\"zero\"" : "");
  }

  Draft& draft_;
  Team team_;
  MatrixTypes types_;
  int height_ = 16, k_ = 16, steps_ = 1, interval_ = 0;
  bool scaled_ = false, transposed_a_ = false, transposed_b_ = false, split_k_ = false,
       zero_fill_ = false;
  Tiles rows_, columns_;
  std::string over_rows_, over_columns_;  // all warps that hold other rows (columns): a replica
  std::vector<Scale> scales_;
};

}  // namespace

void shared_out_products(Draft& draft) {
  Team team = any_team(draft, true);
  // One product a CTA: the tensors have no place for several.
  if (team.instances > 1) {
    team.guard = team.scope == "wg." ? "warp < 4" : one_warp(draft);
    team.instances = 1;
    team.mine.clear();
  }
  Product(draft, team).run();
}

}  // namespace tirx::fuzz
