#include "dsl/host/reference/hypotheses.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace tirx::dsl::reference {

namespace {

using From = ScaleRef::From;

/// SFA or SFB of one group: `count` rows of `blocks` scales, each for `g` rows of A or B.
struct Side {
  From from;
  std::string name;
  std::string rows;  // "m" or "n"
  std::int64_t count, g, blocks;
  std::int64_t extent;  // rows of A in a group, rows of B
};

/// (row in the matrix, its scale row, block) -> the (scale row, block) that is read instead.
using Place = std::optional<std::pair<std::int64_t, std::int64_t>>;
using Map = std::function<Place(std::int64_t i, std::int64_t r, std::int64_t kb)>;

class Catalogue {
 public:
  explicit Catalogue(const Problem& p)
      : p_(p),
        a_{From::sfa, "SFA", "m", p.sfa_rows(), p.gm, p.blocks(), p.rows_per_group},
        b_{From::sfb, "SFB", "n", p.sfb_rows(), p.gn, p.blocks(), p.n} {}

  std::vector<Hypothesis> take() {
    missing_scales();
    for (const Side& side : {a_, b_}) majors(side);
    for (const Side& side : {a_, b_}) rows(side);
    for (const Side& side : {a_, b_}) blocks({side});
    blocks({a_, b_});
    other_dimension();
    scaled_twice();
    missing_work();
    operands();
    promotion();
    arithmetic();
    return std::move(list_);
  }

 private:
  void add(std::string text, std::function<bool(Recipe&, std::int64_t, std::int64_t)> change) {
    const Problem* p = &p_;
    list_.push_back({std::move(text),
                     [p, change = std::move(change)](std::int64_t row,
                                                     std::int64_t column) -> std::optional<Recipe> {
                       Recipe recipe = definition(*p, row, column);
                       if (!change(recipe, row, column)) return std::nullopt;
                       return recipe;
                     },
                     std::nullopt});
  }

  /// Every scale of the sides is read from another place.
  void index(std::string text, std::vector<Side> sides, Map map) {
    const Problem* p = &p_;
    add(std::move(text), [p, sides = std::move(sides), map = std::move(map)](
                             Recipe& recipe, std::int64_t row, std::int64_t column) {
      for (Term& t : recipe.terms) {
        for (const Side& side : sides) {
          ScaleRef& scale = side.from == From::sfa ? t.sa : t.sb;
          const std::int64_t base = scale.row / side.count * side.count;
          const std::int64_t i = side.from == From::sfa ? row % p->rows_per_group : column;
          const Place place = map(i, scale.row - base, scale.block);
          if (!place) return false;
          const auto [r, kb] = *place;
          if (r < 0 || r >= side.count || kb < 0 || kb >= side.blocks) return false;
          scale.row = base + r;
          scale.block = kb;
        }
      }
      return true;
    });
  }

  void missing_scales() {
    const auto drop = [this](std::string text, bool a, bool b, bool only_last) {
      const std::int64_t last = p_.blocks() - 1;
      add(std::move(text), [=](Recipe& recipe, std::int64_t, std::int64_t) {
        for (Term& t : recipe.terms) {
          if (only_last && t.sa.block != last) continue;
          if (a) t.sa = {};
          if (b) t.sb = {};
        }
        return true;
      });
    };
    drop("SFA is not applied", true, false, false);
    drop("SFB is not applied", false, true, false);
    drop("neither SFA nor SFB is applied", true, true, false);
    if (p_.blocks() < 2) return;
    drop("the scales of the last K block are not applied", true, true, true);
    drop("SFA of the last K block is not applied", true, false, true);
    drop("SFB of the last K block is not applied", false, true, true);
  }

  void majors(const Side& s) {
    const std::int64_t count = s.count;
    const std::int64_t blocks = s.blocks;
    const auto flat = [&](std::string text,
                          std::function<std::int64_t(std::int64_t, std::int64_t)> at, bool mn) {
      index(std::move(text), {s}, [=](std::int64_t, std::int64_t r, std::int64_t kb) -> Place {
        const std::int64_t f = at(r, kb);
        return mn ? Place({f % count, f / count}) : Place({f / blocks, f % blocks});
      });
    };
    if (count > 1 && blocks > 1) {
      flat(
          fmt::format("{} is read transposed: K-major memory as if it were MN-major", s.name),
          [=](std::int64_t r, std::int64_t kb) { return kb * count + r; }, false);
      flat(
          fmt::format("{} is read transposed: MN-major memory as if it were K-major", s.name),
          [=](std::int64_t r, std::int64_t kb) { return r * blocks + kb; }, true);
    }
    // Wrong pitch: the number of scales rounded down, or padded where the memory is not.
    const std::int64_t fewer = s.extent / s.g;
    const std::int64_t fewer_blocks = p_.k / p_.gk;
    const std::int64_t padded = (count + 3) / 4 * 4;
    const std::int64_t padded_blocks = (blocks + 3) / 4 * 4;
    const auto pitches = [&](std::int64_t pitch, bool mn, std::string_view why) {
      if (pitch == 0 || pitch == (mn ? count : blocks)) return;
      flat(
          fmt::format("{} is read with pitch {} instead of {}: {}", s.name, pitch,
                      mn ? count : blocks, why),
          [=](std::int64_t r, std::int64_t kb) { return mn ? kb * pitch + r : r * pitch + kb; },
          mn);
    };
    pitches(fewer, true, fmt::format("the number of scales along {} rounded down", s.rows));
    pitches(fewer_blocks, false, "the number of K blocks rounded down");
    pitches(padded, true, "padded to a multiple of 4, which the memory is not");
    pitches(padded_blocks, false, "padded to a multiple of 4, which the memory is not");
  }

  void rows(const Side& s) {
    const std::int64_t g = s.g;
    const std::int64_t count = s.count;
    if (count > 1) {
      index(fmt::format("{} is tiled where each scale must be repeated: {}[{} % {}]", s.name,
                        s.name, s.rows, count),
            {s}, [=](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
              return Place({i % count, kb});
            });
    }
    for (const std::int64_t by : {-1, 1}) {
      index(fmt::format("{} row off by one: the scale of row {} {} 1", s.name, s.rows,
                        by < 0 ? '-' : '+'),
            {s}, [=](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
              return i + by < 0 ? Place() : Place({(i + by) / g, kb});
            });
      if (g == 1) continue;
      index(fmt::format("{} block off by one: the scale {} along {}", s.name,
                        by < 0 ? "before" : "after", s.rows),
            {s}, [=](std::int64_t, std::int64_t r, std::int64_t kb) -> Place {
              return Place({r + by, kb});
            });
    }
    for (const std::int64_t tile : {2, 4, 8, 16, 32, 64, 128, 256}) {
      // A tile beyond the matrix says the same as the first that covers it.
      if (tile <= g || count == 1 || tile / 2 >= s.extent) continue;
      index(fmt::format("one scale of {} serves {} rows, the first one's, where {} share one",
                        s.name, tile, g),
            {s}, [=](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
              return Place({i / tile * tile / g, kb});
            });
      index(fmt::format("{}[{} % {}]: the offset of the tile is missing from the scale index",
                        s.name, s.rows, tile),
            {s}, [=](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
              return Place({i % tile / g, kb});
            });
    }
    for (const std::int64_t tile : {8, 16, 32, 64, 128, 256}) {
      if (tile < g || tile >= s.extent) continue;
      index(fmt::format("{}[{} ^ {}]: the scale index comes from another tile than the data",
                        s.name, s.rows, tile),
            {s}, [=, extent = s.extent](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
              return (i ^ tile) < extent ? Place({(i ^ tile) / g, kb}) : Place();
            });
      for (const std::int64_t by : {-tile, tile}) {
        index(fmt::format("{}[{} {} {}]: the scale index comes from another tile than the data",
                          s.name, s.rows, by < 0 ? '-' : '+', tile),
              {s}, [=](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
                return i + by < 0 ? Place() : Place({(i + by) / g, kb});
              });
      }
    }
    for (const std::int64_t other : {2 * g, g / 2}) {
      if (other == 0) continue;
      index(fmt::format("{}[{} // {}]: the granularity is {}", s.name, s.rows, other, g), {s},
            [=](std::int64_t i, std::int64_t, std::int64_t kb) -> Place {
              return Place({i / other, kb});
            });
    }
  }

  void blocks(const std::vector<Side>& sides) {
    const std::int64_t total = p_.blocks();
    if (total < 2) return;
    const std::string name = sides.size() == 2 ? "SFA and SFB" : sides[0].name;
    const auto block = [&](std::string text, std::function<std::int64_t(std::int64_t)> map) {
      index(std::move(text), sides, [=](std::int64_t, std::int64_t r, std::int64_t kb) -> Place {
        return Place({r, map(kb)});
      });
    };
    block(fmt::format("every K block uses {} of K block 0", name),
          [](std::int64_t) { return std::int64_t{0}; });
    block(fmt::format("the last K block uses {} of the one before (stale)", name),
          [=](std::int64_t kb) { return kb == total - 1 ? kb - 1 : kb; });
    block(fmt::format("{} K block off by one: that of kb - 1 (0 for the first)", name),
          [](std::int64_t kb) { return std::max<std::int64_t>(kb - 1, 0); });
    block(fmt::format("{} K block off by one: that of kb + 1 (the last for the last)", name),
          [=](std::int64_t kb) { return std::min(kb + 1, total - 1); });
    block(fmt::format("{} K block off by one: that of kb + 1, around the end", name),
          [=](std::int64_t kb) { return (kb + 1) % total; });
    block(fmt::format("{} K block off by one: that of kb - 1, around the end", name),
          [=](std::int64_t kb) { return (kb + total - 1) % total; });
    for (std::int64_t slice = 2; slice <= 16 && slice < 2 * total; slice *= 2) {
      block(fmt::format("{} of K block kb // {} * {}: one scale serves {} blocks", name, slice,
                        slice, slice),
            [=](std::int64_t kb) { return kb / slice * slice; });
    }
    for (std::int64_t slice = 2; slice < total && slice <= 64; ++slice) {
      block(fmt::format("{} of K block kb % {}: the first block of the K slice is missing from the "
                        "index (split-K)",
                        name, slice),
            [=](std::int64_t kb) { return kb % slice; });
    }
    block(fmt::format("{} of the last K block scales the whole sum", name),
          [=](std::int64_t) { return total - 1; });
  }

  /// The index of the other side, as far as there are scales.
  void other_dimension() {
    add("SFA[n]: the scale index is the column, where the row belongs",
        [p = &p_](Recipe& recipe, std::int64_t, std::int64_t column) {
          for (Term& t : recipe.terms) {
            const std::int64_t base = t.sa.row / p->sfa_rows() * p->sfa_rows();
            t.sa.row = base + std::min(column, p->rows_per_group - 1) / p->gm;
          }
          return true;
        });
    add("SFB[m]: the scale index is the row, where the column belongs",
        [p = &p_](Recipe& recipe, std::int64_t row, std::int64_t) {
          for (Term& t : recipe.terms) {
            const std::int64_t base = t.sb.row / p->sfb_rows() * p->sfb_rows();
            t.sb.row = base + std::min(row % p->rows_per_group, p->n - 1) / p->gn;
          }
          return true;
        });
    for (std::int64_t g = 0;
         p_.rows_per_group * p_.groups == p_.rows && p_.groups > 1 && g < p_.groups; ++g) {
      add(fmt::format("SFA of group {} is used", g),
          [=, p = &p_](Recipe& recipe, std::int64_t row, std::int64_t) {
            if (row / p->rows_per_group == g) return false;
            for (Term& t : recipe.terms) t.sa.row = g * p->sfa_rows() + t.sa.row % p->sfa_rows();
            return true;
          });
    }
  }

  void scaled_twice() {
    add("SFA is applied twice", [](Recipe& recipe, std::int64_t, std::int64_t) {
      for (Term& t : recipe.terms) t.extra = t.sa;
      return true;
    });
    add("SFB is applied twice", [](Recipe& recipe, std::int64_t, std::int64_t) {
      for (Term& t : recipe.terms) t.extra = t.sb;
      return true;
    });
    const std::int64_t gm = p_.gm;
    const std::int64_t per_group = p_.rows_per_group;
    for (const std::int64_t wave : {16, 32, 64, 128, 256}) {
      if (wave % gm != 0 || wave >= per_group) continue;
      add(fmt::format("SFB had been multiplied by SFA[m - {}] already: scaled in place, and used "
                      "again for the next {} rows",
                      wave, wave),
          [=](Recipe& recipe, std::int64_t row, std::int64_t) {
            if (row % per_group < wave) return false;
            for (Term& t : recipe.terms) {
              t.extra = t.sa;
              t.extra.row -= wave / gm;
            }
            return true;
          });
    }
    if (p_.groups > 1) return;
    const auto exchanged = [&](std::string text, std::int64_t by_row, std::int64_t by_column) {
      add(std::move(text), [=, p = &p_](Recipe& recipe, std::int64_t row, std::int64_t column) {
        const std::int64_t r = row / by_row;
        const std::int64_t c = column / by_column;
        if (r >= p->sfb_rows() || c >= p->sfa_rows()) return false;
        for (Term& t : recipe.terms) {
          t.sa = {From::sfb, r, t.sa.block};
          t.sb = {From::sfa, c, t.sb.block};
        }
        return true;
      });
    };
    exchanged("SFA and SFB are exchanged", p_.gn, p_.gm);
    if (p_.gm != p_.gn)
      exchanged("SFA and SFB are exchanged, but not their granularities", p_.gm, p_.gn);
  }

  void missing_work() {
    const std::int64_t total = p_.blocks();
    const auto keep = [&](std::string text, std::function<int(std::int64_t)> times) {
      add(std::move(text), [times = std::move(times)](Recipe& recipe, std::int64_t, std::int64_t) {
        std::vector<Term> kept;
        for (const Term& t : recipe.terms) {
          for (int i = 0; i < times(t.sa.block); ++i) kept.push_back(t);
        }
        recipe.terms = std::move(kept);
        return true;
      });
    };
    if (total > 1) {
      const bool tail = p_.k % p_.gk != 0;
      keep(tail ? fmt::format("the K tail is missing: block {}, {} wide", total - 1, p_.k % p_.gk)
                : fmt::format("the last K block is missing: block {}", total - 1),
           [=](std::int64_t kb) { return kb == total - 1 ? 0 : 1; });
    }
    for (std::int64_t j = 0; j < std::min<std::int64_t>(total - 1, 64); ++j) {
      keep(fmt::format("K block {} is missing", j),
           [=](std::int64_t kb) { return kb == j ? 0 : 1; });
    }
    for (std::int64_t j = 0; j < std::min<std::int64_t>(total, 64); ++j) {
      keep(fmt::format("K block {} is counted twice", j),
           [=](std::int64_t kb) { return kb == j ? 2 : 1; });
    }
    for (std::int64_t j = 1; j + 1 < std::min<std::int64_t>(total, 64); ++j) {
      keep(fmt::format("all K blocks from {} on are missing", j),
           [=](std::int64_t kb) { return kb < j ? 1 : 0; });
    }
    const std::int64_t k = p_.k;
    std::int64_t before = k;
    const auto cut = [&](std::string text, std::int64_t end) {
      if (end == before) return;
      before = end;
      add(std::move(text), [=](Recipe& recipe, std::int64_t, std::int64_t) {
        for (Term& t : recipe.terms) t.last = std::max(t.first, std::min(t.last, end));
        return true;
      });
    };
    cut("the last element of K is missing", k - 1);
    for (const std::int64_t step : {2, 4, 8, 16, 32, 64, 128})
      cut(fmt::format("K is cut to a multiple of {}", step), k / step * step);
    add("the last element of each K block is missing",
        [](Recipe& recipe, std::int64_t, std::int64_t) {
          for (Term& t : recipe.terms) --t.last;
          return true;
        });
  }

  void operands() {
    for (const std::int64_t by : {-1, 1})
      for (const bool of_a : {true, false}) {
        add(fmt::format("the row of {} {} 1", of_a ? "A is m" : "B is n", by < 0 ? '-' : '+'),
            [=, p = &p_](Recipe& recipe, std::int64_t row, std::int64_t column) {
              const std::int64_t to = (of_a ? row % p->rows_per_group : column) + by;
              if (to < 0 || to >= (of_a ? p->rows_per_group : p->n)) return false;
              for (Term& t : recipe.terms) (of_a ? t.a_row : t.b_row) += by;
              return true;
            });
      }
    // Neighbours, and the halves of a fragment.
    for (const std::int64_t by : {1, 8})
      for (const bool rows : {true, false}) {
        add(fmt::format("the {} of the result are exchanged in pairs: {} ^ {}",
                        rows ? "rows" : "columns", rows ? 'm' : 'n', by),
            [=, p = &p_](Recipe& recipe, std::int64_t row, std::int64_t column) {
              (rows ? row : column) ^= by;
              if (row >= p->rows || column >= p->n) return false;
              if (p->row_group[static_cast<std::size_t>(row)] < 0) return false;
              recipe = definition(*p, row, column);
              return true;
            });
        list_.back().everywhere = true;
      }
    for (std::int64_t g = 0; p_.groups > 1 && g < p_.groups; ++g) {
      for (const bool weights : {true, false}) {
        add(fmt::format("{} of group {} {} used", weights ? "B and SFB" : "SFB", g,
                        weights ? "are" : "is"),
            [=, p = &p_](Recipe& recipe, std::int64_t row, std::int64_t column) {
              if (p->row_group[static_cast<std::size_t>(row)] == g) return false;
              for (Term& t : recipe.terms) {
                if (weights) t.b_row = g * p->n + column;
                t.sb.row = g * p->sfb_rows() + column / p->gn;
              }
              return true;
            });
      }
    }
  }

  void promotion() {
    add("the temporary accumulator is not cleared between promotions",
        [](Recipe& recipe, std::int64_t, std::int64_t) {
          for (std::size_t i = 1; i < recipe.terms.size(); ++i) recipe.terms[i].keep = true;
          return recipe.terms.size() > 1;
        });
    const auto merged = [&](std::string text, bool across) {
      add(std::move(text), [=](Recipe& recipe, std::int64_t, std::int64_t) {
        std::vector<Term> out;
        for (const Term& t : recipe.terms) {
          if (!out.empty() && (across || out.back().sa == t.sa)) {
            out.back().last = t.last;
            if (across) out.back().sa = t.sa;
            if (across) out.back().sb = t.sb;
          } else {
            out.push_back(t);
          }
        }
        recipe.terms = std::move(out);
        return true;
      });
    };
    for (const std::int64_t step : {16, 32, 64, 128}) {
      if (step >= p_.promote || p_.promote % step != 0) continue;
      add(fmt::format("P is added to acc after every {} of K, not after every {}", step,
                      p_.promote),
          [=](Recipe& recipe, std::int64_t, std::int64_t) {
            std::vector<Term> out;
            for (const Term& t : recipe.terms) {
              for (std::int64_t first = t.first; first < t.last; first += step) {
                out.push_back(t);
                out.back().first = first;
                out.back().last = std::min(first + step, t.last);
              }
            }
            recipe.terms = std::move(out);
            return true;
          });
    }
    if (p_.promote < p_.gk)
      merged(fmt::format("promotion is missing: P runs over all {} of a block, not over {}", p_.gk,
                         p_.promote),
             false);
    if (p_.blocks() > 1)
      merged("promotion is missing: one temporary sum over all of K, scaled once at the end", true);
  }

  void arithmetic() {
    const auto change = [&](std::string text, std::function<void(Recipe&)> edit) {
      add(std::move(text), [edit = std::move(edit)](Recipe& recipe, std::int64_t, std::int64_t) {
        edit(recipe);
        return true;
      });
    };
    if (p_.alpha != 0x3f800000)
      change("alpha is not applied", [](Recipe& r) { r.use_alpha = false; });
    if (!p_.c.empty()) {
      change("beta * C is not added", [](Recipe& r) { r.bias = Recipe::Bias::none; });
      change("C is added without beta", [](Recipe& r) { r.bias = Recipe::Bias::unscaled; });
    }
    for (const std::string& name : model_names(p_.a_type, p_.b_type)) {
      if (name == p_.model.name) continue;
      change(
          fmt::format("the value of model \"{}\", where \"{}\" was asked for", name, p_.model.name),
          [](Recipe&) {});
      list_.back().model = find_model(name, p_.a_type, p_.b_type);
    }
    change("the result is rounded toward zero instead of to nearest even",
           [](Recipe& r) { r.round = num::Round::rz; });
    if (p_.model.arithmetic == Arithmetic::exact) return;
    constexpr auto kOrders = std::to_array<std::pair<Order, std::string_view>>({
        {Order::product, "acc = fma(RN(sa * sb), P, acc)"},
        {Order::one_by_one, "acc = fma(RN(P * sa), sb, acc)"},
        {Order::unfused, "acc = RN(acc + RN(RN(sa * sb) * P)), two roundings"},
        {Order::triton, "acc = RN(acc + RN(RN(P * sa) * sb)), three roundings"},
        {Order::elements,
         "acc = fma(RN(a * sa), RN(b * sb), acc) over all of K (CUTLASS's host reference)"},
    });
    const std::string_view asked = kOrders[static_cast<std::size_t>(p_.order)].second;
    for (const auto& [order, text] : kOrders) {
      if (order == p_.order) continue;
      change(fmt::format("order of operations: {}, where {} was asked for", text, asked),
             [order = order](Recipe& r) { r.order = order; });
    }
  }

  const Problem& p_;
  Side a_, b_;
  std::vector<Hypothesis> list_;
};

}  // namespace

std::vector<Hypothesis> hypotheses(const Problem& problem) {
  return Catalogue(problem).take();
}

}  // namespace tirx::dsl::reference
