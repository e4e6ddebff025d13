// See plan.hpp.
#include "lower/gemm/plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tirx::lower {

namespace {

using ir::IndexSum;

constexpr std::int64_t kLanes = ir::kLanesPerWarp;

/// The registers of one operand's tiles (x, y) with the given first elements.  `place` is the
/// fragment map; runs of `run` parts must be neighbours.
template <typename Place>
Result<RegisterTable> table_of(const char* role,
                               const RegisterTile& tile,
                               const std::vector<std::int64_t>& xs,
                               const std::vector<std::int64_t>& ys,
                               int height,
                               int width,
                               int slots,
                               std::int64_t warp,
                               Place&& place) {
  RegisterTable table(xs.size(), ys.size(), static_cast<std::size_t>(slots));
  std::vector<std::int64_t> seen(static_cast<std::size_t>(slots));
  std::vector<FragmentPlace> places;
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) places.push_back(place(i, j));
  }
  for (std::size_t x = 0; x < xs.size(); ++x) {
    for (std::size_t y = 0; y < ys.size(); ++y) {
      std::fill(seen.begin(), seen.end(), -1);
      auto next = places.begin();
      for (int i = 0; i < height; ++i) {
        for (int j = 0; j < width; ++j) {
          const FragmentPlace at = *next++;
          const std::int64_t row = xs[x] + i;
          const std::int64_t column = ys[y] + j;
          if (!tile.held(row, column, warp, at.lane)) {
            return placeless(
                fmt::format("fragments — {} does not lie as the instruction asks: {}[{}, {}] "
                            "belongs in lane {}",
                            tile.side().buffer().name, role, row, column, at.lane));
          }
          const std::int64_t reg = tile.reg(row, column) - at.part;
          std::int64_t& first = seen[static_cast<std::size_t>(at.word)];
          if (first >= 0 && first != reg) {
            return placeless(fmt::format(
                "fragments — {}: the elements of a register are no neighbours at {}[{}, {}]",
                tile.side().buffer().name, role, row, column));
          }
          first = reg;
          table.at(x, y, static_cast<std::size_t>(at.word)) = reg;
        }
      }
    }
  }
  return table;
}

/// Words of `run` elements start at multiples of it.
std::optional<std::string> check_alignment(const Site& site,
                                           const RegisterTile& tile,
                                           const RegisterTable& table,
                                           std::size_t xs,
                                           std::size_t ys,
                                           std::int64_t run) {
  if (run == 1) return std::nullopt;
  bool aligned = tile.base().divisible_by(run, site.facts);
  for (std::size_t x = 0; aligned && x < xs; ++x) {
    for (std::size_t y = 0; aligned && y < ys; ++y) {
      for (std::size_t s = 0; s < table.slots(); ++s) {
        aligned = aligned && table.at(x, y, s) % run == 0;
      }
    }
  }
  if (aligned) return std::nullopt;
  return fmt::format("fragments — {}: a register would start inside a 32-bit word",
                     tile.side().buffer().name);
}

std::vector<std::int64_t> multiples(std::int64_t step, std::int64_t count) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(i * step);
  return result;
}

struct Tables {
  OwnedTiles owned;
  RegisterTable d, c, a, b;
};

Result<Tables> tables_of(const GemmPlan& plan, std::int64_t warp) {
  Tables made;
  made.owned = owned_tiles(plan.d, plan.mma.m, warp);
  const auto& [rows, columns] = made.owned;
  if (rows.empty()) {
    return placeless(
        fmt::format("fragments — warp {} holds no tile of {}", warp, plan.d.side().buffer().name));
  }
  const int w = plan.mma.per_word;
  const int k = plan.mma.k;
  const std::vector<std::int64_t> steps = multiples(k, plan.steps);
  const auto in_d = [](int i, int j) { return place_in_d(i, j); };
  auto d =
      table_of("D", plan.d, rows, columns, plan.mma.m, kMmaColumns, plan.mma.sums(), warp, in_d);
  if (!d) return d.error();
  made.d = std::move(d).value();
  if (plan.c) {
    auto c =
        table_of("C", *plan.c, rows, columns, plan.mma.m, kMmaColumns, plan.mma.sums(), warp, in_d);
    if (!c) return c.error();
    made.c = std::move(c).value();
  }
  auto a = table_of("A", plan.a, rows, steps, plan.mma.m, k, plan.mma.words_a(), warp,
                    [&](int i, int j) { return place_in_a(i, j, w, plan.mma.m); });
  if (!a) return a.error();
  made.a = std::move(a).value();
  auto b = table_of("B", plan.b, steps, columns, k, kMmaColumns, plan.mma.words_b(), warp,
                    [&](int i, int j) { return place_in_b(i, j, w); });
  if (!b) return b.error();
  made.b = std::move(b).value();
  return made;
}

}  // namespace

OwnedTiles owned_tiles(const RegisterTile& d, std::int64_t height, std::int64_t warp) {
  OwnedTiles owned;
  for (std::int64_t i = 0; i < d.rows(); i += height) {
    for (std::int64_t j = 0; j < d.columns(); j += kMmaColumns) {
      if (!d.held(i, j, warp, 0)) continue;
      if (owned.rows.empty() || owned.rows.back() != i) owned.rows.push_back(i);
      if (owned.rows.size() == 1) owned.columns.push_back(j);
    }
  }
  return owned;
}

bool RegisterTable::is_affine() const {
  for (std::size_t s = 0; s < slots_; ++s) {
    const std::int64_t origin = at(0, 0, s);
    const std::int64_t dx = xs_ > 1 ? at(1, 0, s) - origin : 0;
    const std::int64_t dy = ys_ > 1 ? at(0, 1, s) - origin : 0;
    for (std::size_t x = 0; x < xs_; ++x) {
      for (std::size_t y = 0; y < ys_; ++y) {
        const auto expected =
            origin + dx * static_cast<std::int64_t>(x) + dy * static_cast<std::int64_t>(y);
        if (at(x, y, s) != expected) return false;
      }
    }
  }
  return true;
}

IndexSum RegisterTable::index(const IndexSum& x, const IndexSum& y, std::size_t slot) const {
  if (x.is_constant() && y.is_constant()) {
    return at(static_cast<std::size_t>(x.constant()), static_cast<std::size_t>(y.constant()), slot);
  }
  const std::int64_t origin = at(0, 0, slot);
  IndexSum sum = origin;
  if (xs_ > 1) sum = sum.plus(x.times(at(1, 0, slot) - origin));
  if (ys_ > 1) sum = sum.plus(y.times(at(0, 1, slot) - origin));
  return sum;
}

Result<GemmPlan> plan_gemm(const Site& site,
                           const MmaInstruction& mma,
                           bool transpose_a,
                           bool transpose_b) {
  auto d = RegisterTile::make(site, 0, false);
  if (!d) return d.error();
  auto a = RegisterTile::make(site, 1, transpose_a);
  if (!a) return a.error();
  auto b = RegisterTile::make(site, 2, transpose_b);
  if (!b) return b.error();
  GemmPlan plan{mma,
                std::move(d).value(),
                std::move(a).value(),
                std::move(b).value(),
                {},
                {},
                {},
                1,
                {},
                {},
                {},
                {}};
  if (site.sides[3]) {
    auto c = RegisterTile::make(site, 3, false);
    if (!c) return c.error();
    plan.c = std::move(c).value();
  }
  const std::int64_t m = plan.d.rows(), n = plan.d.columns(), k = plan.a.columns();
  const bool agree = plan.a.rows() == m && plan.b.columns() == n && plan.b.rows() == k &&
                     (!plan.c || (plan.c->rows() == m && plan.c->columns() == n));
  if (!agree) {
    return placeless(
        fmt::format("extents — D is ({}, {}), A ({}, {}), B ({}, {}): they do not multiply", m, n,
                    plan.a.rows(), k, plan.b.rows(), plan.b.columns()));
  }
  if (m % mma.m != 0 || n % kMmaColumns != 0 || k % mma.k != 0) {
    return placeless(
        fmt::format("no mma instruction fits M={}, N={}, K={}: M goes by {}, N by {}, K by {} here",
                    m, n, k, mma.m, kMmaColumns, mma.k));
  }
  plan.steps = k / mma.k;
  const std::int64_t warps = site.threads / kLanes;
  for (std::int64_t warp = 0; warp < warps; ++warp) {
    Result<Tables> tables = tables_of(plan, warp);
    if (!tables) return tables.error();
    if (warp == 0) {
      plan.rows = std::move(tables->owned.rows);
      plan.columns = std::move(tables->owned.columns);
      plan.d_regs = std::move(tables->d);
      plan.c_regs = std::move(tables->c);
      plan.a_regs = std::move(tables->a);
      plan.b_regs = std::move(tables->b);
    } else if (!(tables->d == plan.d_regs && tables->c == plan.c_regs && tables->a == plan.a_regs &&
                 tables->b == plan.b_regs)) {
      return placeless(
          fmt::format("fragments — warp {} holds its tiles in other registers than warp 0", warp));
    }
  }
  const std::size_t xs = plan.rows.size(), ys = plan.columns.size();
  const auto steps = static_cast<std::size_t>(plan.steps);
  const std::int64_t acc = num::bytes(plan.d.side().buffer().dtype) == 2 ? 2 : 1;
  for (const auto& wrong : {check_alignment(site, plan.d, plan.d_regs, xs, ys, 1),
                            check_alignment(site, plan.a, plan.a_regs, xs, steps, mma.per_word),
                            check_alignment(site, plan.b, plan.b_regs, steps, ys, mma.per_word)}) {
    if (wrong) return placeless(*wrong);
  }
  for (const RegisterTable* table : {&plan.d_regs, plan.c ? &plan.c_regs : nullptr}) {
    if (table == nullptr || acc == 1) continue;
    const RegisterTile& tile = table == &plan.d_regs ? plan.d : *plan.c;
    for (std::size_t x = 0; x < xs; ++x) {
      for (std::size_t y = 0; y < ys; ++y) {
        const bool pairs = table->at(x, y, 1) == table->at(x, y, 0) + 1 &&
                           table->at(x, y, 3) == table->at(x, y, 2) + 1 &&
                           table->at(x, y, 0) % 2 == 0 && table->at(x, y, 2) % 2 == 0;
        if (pairs && tile.base().divisible_by(2, site.facts)) continue;
        return placeless(
            fmt::format("fragments — {}: the float16 pairs of a register are no aligned "
                        "neighbours",
                        tile.side().buffer().name));
      }
    }
  }
  return plan;
}

}  // namespace tirx::lower
