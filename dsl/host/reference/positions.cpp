#include "dsl/host/reference/positions.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "numerics/scalar.hpp"

namespace tirx::dsl::reference {

namespace {

bool all_of(const std::vector<Wrong>& wrong, auto predicate) {
  return std::all_of(wrong.begin(), wrong.end(), predicate);
}

/// The right value of another element, if there is one there.
std::optional<num::Bits> right_at(const Context& context, std::int64_t row, std::int64_t column) {
  const Problem& p = context.problem;
  if (row < 0 || row >= p.rows || column < 0 || column >= p.n) return std::nullopt;
  if (p.row_group[static_cast<std::size_t>(row)] < 0) return std::nullopt;
  return context.values[static_cast<std::size_t>(row * p.n + column)];
}

bool holds(const Context& context, const Wrong& w, std::int64_t row, std::int64_t column) {
  const auto right = right_at(context, row, column);
  return right && *right == w.seen;
}

std::optional<std::string> exchanged(const Context& context, const std::vector<Wrong>& wrong) {
  std::set<std::int64_t> rows;
  std::set<std::int64_t> columns;
  for (const Wrong& w : wrong) {
    if (rows.size() < 3) rows.insert(w.row);
    if (columns.size() < 3) columns.insert(w.column);
  }
  if (columns.size() == 2) {
    const std::int64_t sum = *columns.begin() + *columns.rbegin();
    if (all_of(wrong, [&](const Wrong& w) { return holds(context, w, w.row, sum - w.column); }))
      return fmt::format("columns {} and {} are exchanged", *columns.begin(), *columns.rbegin());
  }
  if (rows.size() == 2) {
    const std::int64_t sum = *rows.begin() + *rows.rbegin();
    if (all_of(wrong, [&](const Wrong& w) { return holds(context, w, sum - w.row, w.column); }))
      return fmt::format("rows {} and {} are exchanged", *rows.begin(), *rows.rbegin());
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> pattern(const Context& context, const std::vector<Wrong>& wrong) {
  const Problem& p = context.problem;
  if (all_of(wrong, [&](const Wrong& w) { return num::is_nan(w.seen, p.out); }))
    return "NaN: never written (tirx.poisoned), or a NaN from padding got in";
  if (all_of(wrong, [&](const Wrong& w) {
        return num::decode(p.out, w.seen).kind == num::NumberClass::zero;
      }))
    return "0 there: the elements were never written, or nothing was added up";
  if (!p.c.empty() && all_of(wrong, [&](const Wrong& w) {
        const std::uint32_t c = p.c[static_cast<std::size_t>(w.row * p.n + w.column)];
        return num::convert(c, num::DType::f32, p.out) == w.seen;
      }))
    return "C there: nothing was computed for these elements";
  return exchanged(context, wrong);
}

std::optional<std::string> displaced(const Context& context, const std::vector<Wrong>& wrong) {
  const Problem& p = context.problem;
  if (wrong.size() < 4) return std::nullopt;  // too few to tell from chance
  const Wrong& first = wrong.front();
  int tried = 0;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    for (std::int64_t column = 0; column < p.n; ++column) {
      if (!holds(context, first, row, column)) continue;
      if (++tried > 4096) return std::nullopt;
      const std::int64_t dm = row - first.row;
      const std::int64_t dn = column - first.column;
      if (!all_of(wrong,
                  [&](const Wrong& w) { return holds(context, w, w.row + dm, w.column + dn); }))
        continue;
      return fmt::format(
          "these are the right values of other elements, those of [m {} {}, n {} {}]",
          dm < 0 ? '-' : '+', dm < 0 ? -dm : dm, dn < 0 ? '-' : '+', dn < 0 ? -dn : dn);
    }
  }
  if (p.rows == p.n &&
      all_of(wrong, [&](const Wrong& w) { return holds(context, w, w.column, w.row); }))
    return "the result is transposed";
  return std::nullopt;
}

}  // namespace tirx::dsl::reference
