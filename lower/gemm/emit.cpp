// From a GemmPlan to statements: loops over the tiles where the registers follow a pattern, one
// instruction after the other where they do not.  The operands of an instruction are 32-bit words
// of a view of each register tile; float64 has registers of 64 bits.
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "ir/ptx/instruction.hpp"
#include "lower/gemm/gemm.hpp"
#include "lower/local_array.hpp"
#include "lower/word_view.hpp"

namespace tirx::lower {

namespace {

using ir::Expr;
using ir::IndexSum;
using num::ScalarOp;

/// "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
std::string instruction_text(const MmaInstruction& mma) {
  const auto c = num::ptx_name(mma.row->c);
  return fmt::format("mma.sync.aligned.m{}n8k{}.row.col.{}.{}.{}.{}", mma.m, mma.k, c,
                     num::ptx_name(mma.row->a), num::ptx_name(mma.row->b), c);
}

class GemmEmitter {
 public:
  GemmEmitter(const Site& site, const GemmPlan& plan, const GemmOptions& how)
      : site_(site), plan_(plan), how_(how), acc_type_{plan.d.side().buffer().dtype, 1} {
    const num::DType word = acc_type_.dtype == num::DType::f64 ? num::DType::f64 : num::DType::u32;
    a_words_ = word_view(plan.a.side().buffer(), word);
    b_words_ = word_view(plan.b.side().buffer(), word);
    sums_ = static_cast<std::size_t>(plan.mma.sums());
    half_ = num::bytes(acc_type_.dtype) == 2;
    if (half_) d_words_ = word_view(plan.d.side().buffer());
  }

  Expansion run() {
    Expansion expansion;
    expansion.vector = 0;
    expansion.rounds =
        static_cast<std::int64_t>(plan_.rows.size() * plan_.columns.size()) * plan_.steps;
    ir::Body& body = expansion.body;
    for (const ir::Buffer& view : {a_words_, b_words_, d_words_}) {
      if (view != nullptr) body.push_back({site_.span, ir::Declare{view}});
    }
    const bool chained = how_.accumulates();
    if (!chained) sum_ = allocate("sum", body);
    if (how_.promotes()) {
      part_ = allocate("part", body);
      load_scales(body);
    }
    if (chained && !starts_in_place()) {
      append(body,
             over_tiles([&](const auto& x, const auto& y, ir::Body& out) { start(x, y, out); }));
    }
    if (chained && !how_.promotes()) {
      // Neighbouring instructions do not wait for one another.
      append(body, over("k", plan_.steps, affine(), [&](const IndexSum& k, ir::Body& out) {
               append(out, over_tiles([&](const auto& x, const auto& y, ir::Body& inner) {
                        multiply(x, y, k, d_places(x, y), inner);
                      }));
             }));
      return expansion;
    }
    append(body, over_tiles([&](const auto& x, const auto& y, ir::Body& out) {
             if (!chained) clear(sum_, out);
             if (how_.promotes()) {
               append(out,
                      over("q", plan_.steps * plan_.mma.k / how_.interval, affine(),
                           [&](const IndexSum& q, ir::Body& inner) { interval(x, y, q, inner); }));
             } else {
               append(out,
                      over("k", plan_.steps, affine(), [&](const IndexSum& k, ir::Body& inner) {
                        multiply(x, y, k, places(sum_), inner);
                      }));
             }
             if (!chained) scale(x, y, out);
           }));
    return expansion;
  }

 private:
  using Tile = std::function<void(const IndexSum& x, const IndexSum& y, ir::Body& out)>;
  using Step = std::function<void(const IndexSum& k, ir::Body& out)>;

  static void append(ir::Body& to, ir::Body from) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  }

  [[nodiscard]] bool affine() const {
    const auto regular = [](const std::vector<std::int64_t>& firsts) {
      for (std::size_t i = 2; i < firsts.size(); ++i) {
        if (firsts[i] - firsts[i - 1] != firsts[1] - firsts[0]) return false;
      }
      return true;
    };
    const auto walks = [](const std::optional<ScaleTile>& scales) {
      return !scales || scales->is_affine();
    };
    return walks(how_.scale_a) && walks(how_.scale_b) && plan_.d_regs.is_affine() &&
           (!plan_.c || plan_.c_regs.is_affine()) && plan_.a_regs.is_affine() &&
           plan_.b_regs.is_affine() && regular(plan_.rows) && regular(plan_.columns);
  }

  /// `count` times, as a loop that is unrolled or written out.
  ir::Body over(const char* name, std::int64_t count, bool as_loop, const Step& step) {
    ir::Body body;
    if (!as_loop || count == 1) {
      for (std::int64_t i = 0; i < count; ++i) step(IndexSum(i), body);
      return body;
    }
    const auto var = std::make_shared<ir::Variable>(ir::Variable{name, ir::kInt32, site_.span});
    site_.facts.set(var, {{0, count - 1}, 1});
    ir::For loop{
        var, ir::make_int(0), ir::make_int(count), ir::make_int(1), ir::LoopKind::unroll, 0, {}};
    step(IndexSum::of(var), loop.body);
    body.push_back({site_.span, std::move(loop)});
    return body;
  }

  ir::Body over_tiles(const Tile& tile) {
    return over("m", static_cast<std::int64_t>(plan_.rows.size()), affine(),
                [&](const IndexSum& x, ir::Body& outer) {
                  append(outer, over("n", static_cast<std::int64_t>(plan_.columns.size()), affine(),
                                     [&](const IndexSum& y, ir::Body& out) { tile(x, y, out); }));
                });
  }

  static IndexSum first_of(const std::vector<std::int64_t>& firsts, const IndexSum& at) {
    if (at.is_constant()) return firsts[static_cast<std::size_t>(at.constant())];
    return IndexSum(firsts[0]).plus(at.times(firsts[1] - firsts[0]));
  }

  /// Element `slot` (2r + p) of the accumulator's tile.
  [[nodiscard]] ir::Access element(const RegisterTile& tile,
                                   const RegisterTable& table,
                                   const IndexSum& x,
                                   const IndexSum& y,
                                   std::size_t slot) const {
    const IndexSum i = first_of(plan_.rows, x).plus(static_cast<std::int64_t>(slot / 2 * 8));
    const IndexSum j = first_of(plan_.columns, y).plus(static_cast<std::int64_t>(slot % 2));
    ir::Access access{tile.side().region.buffer, tile.indices(i, j), {}, 1, {}};
    access.flat = tile.base().plus(table.index(x, y, slot)).to_expr(ir::kInt32);
    return access;
  }

  [[nodiscard]] ir::Access d(const IndexSum& x, const IndexSum& y, std::size_t slot) const {
    return element(plan_.d, plan_.d_regs, x, y, slot);
  }

  [[nodiscard]] Expr load(ir::Access access) const {
    const ir::Type type{access.buffer->dtype, 1};
    return ir::make_expr(type, site_.span, ir::Load{std::move(access)});
  }

  [[nodiscard]] Expr word(const ir::Buffer& view, const IndexSum& at) const {
    const Expr index = at.to_expr(ir::kInt32);
    return load({view, {index}, index, 1, {}});
  }

  [[nodiscard]] Expr vector(std::vector<Expr> lanes) const {
    if (lanes.size() == 1) return lanes[0];
    const ir::Type type{lanes[0]->type.dtype, static_cast<std::uint16_t>(lanes.size())};
    return ir::make_expr(type, site_.span, ir::MakeVector{std::move(lanes)});
  }

  [[nodiscard]] Expr operand(const RegisterTile& tile,
                             const RegisterTable& table,
                             const ir::Buffer& view,
                             const IndexSum& x,
                             const IndexSum& y) const {
    std::vector<Expr> words;
    for (std::size_t slot = 0; slot < table.slots(); ++slot) {
      const IndexSum at = tile.base().plus(table.index(x, y, slot));
      words.push_back(word(view, at.floordiv(plan_.mma.per_word, site_.facts)));
    }
    return vector(std::move(words));
  }

  /// The sums of one tile for a time, and the words that they are.
  struct Temporary {
    ir::Buffer buffer, words;
  };

  /// The registers of an accumulator as the instruction sees them.
  [[nodiscard]] std::vector<ir::Access> places(const Temporary& temporary) const {
    std::vector<ir::Access> result;
    for (std::size_t i = 0; i < (half_ ? sums_ / 2 : sums_); ++i) {
      const Expr index = ir::make_int(static_cast<std::int64_t>(i));
      result.push_back({half_ ? temporary.words : temporary.buffer, {index}, index, 1, {}});
    }
    return result;
  }

  [[nodiscard]] std::vector<ir::Access> d_places(const IndexSum& x, const IndexSum& y) const {
    std::vector<ir::Access> result;
    for (std::size_t slot = 0; slot < sums_; slot += half_ ? 2 : 1) {
      if (half_) {
        const IndexSum at = plan_.d.base().plus(plan_.d_regs.index(x, y, slot));
        const Expr index = at.floordiv(2, site_.facts).to_expr(ir::kInt32);
        result.push_back({d_words_, {index}, index, 1, {}});
      } else {
        result.push_back(d(x, y, slot));
      }
    }
    return result;
  }

  void multiply(const IndexSum& x,
                const IndexSum& y,
                const IndexSum& k,
                const std::vector<ir::Access>& sums,
                ir::Body& out) const {
    std::vector<Expr> before;
    for (const ir::Access& place : sums) before.push_back(load(place));
    const Expr call =
        ir::ptx::call(instruction_text(plan_.mma),
                      {operand(plan_.a, plan_.a_regs, a_words_, x, k),
                       operand(plan_.b, plan_.b_regs, b_words_, k, y), vector(std::move(before))},
                      site_.span);
    const auto name = std::make_shared<ir::Variable>(ir::Variable{"mma", call->type, site_.span});
    out.push_back({site_.span, ir::Let{name, call}});
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Expr lane = ir::make_expr(call->type.element(), site_.span,
                                      ir::Extract{ir::make_var(name), static_cast<int>(i)});
      out.push_back({site_.span, ir::Store{sums[i], lane}});
    }
  }

  /// One promotion interval: part from +0, then acc = fma(RN(sa * sb), part, acc).
  void interval(const IndexSum& x, const IndexSum& y, const IndexSum& q, ir::Body& out) {
    const std::int64_t steps = how_.interval / plan_.mma.k;
    clear(part_, out);
    append(out, over("k", steps, affine(), [&](const IndexSum& k, ir::Body& inner) {
             multiply(x, y, q.times(steps).plus(k), places(part_), inner);
           }));
    for (std::size_t slot = 0; slot < sums_; ++slot) {
      const ir::Access to = sum_.buffer != nullptr ? element(sum_, slot) : d(x, y, slot);
      const Expr part = load(element(part_, slot));
      const Expr factor = factor_of(x, y, q, slot);
      const Expr value = factor ? op(ScalarOp::fma, {factor, part, load(to)})
                                : op(ScalarOp::add, {part, load(to)});
      out.push_back({site_.span, ir::Store{to, value}});
    }
  }

  /// RN(sa * sb), or the one there is; empty: no scales.
  [[nodiscard]] Expr factor_of(const IndexSum& x,
                               const IndexSum& y,
                               const IndexSum& q,
                               std::size_t slot) const {
    Expr a, b;
    if (how_.scale_a) a = scale_of(true, x, q, slot / 2);
    if (how_.scale_b) b = scale_of(false, y, q, slot % 2);
    if (a && b) return op(ScalarOp::mul, {a, b});
    return a ? a : b;
  }

  /// The scale of one half of a tile's rows (columns) that this thread holds in registers.
  [[nodiscard]] Expr scale_of(bool a,
                              const IndexSum& tile,
                              const IndexSum& q,
                              std::size_t half) const {
    const ScalePlace place = scale_place(a, tile, q, static_cast<std::int64_t>(half));
    const ScaleTile& scales = a ? *how_.scale_a : *how_.scale_b;
    return scales.in_registers() ? scales.value(place) : load(loaded_scale(a, place));
  }

  [[nodiscard]] ScalePlace scale_place(bool a,
                                       const IndexSum& tile,
                                       const IndexSum& q,
                                       std::int64_t half) const {
    const IndexSum first =
        first_of(a ? plan_.rows : plan_.columns, tile).plus(half * (a ? plan_.mma.m / 2 : 1));
    return {tile, half, plan_.d.coordinate(a ? 0 : 1, first), first, q};
  }

  /// Where load_scales puts it.
  [[nodiscard]] ir::Access loaded_scale(bool a, const ScalePlace& place) const {
    const Expr index = place.q.times(2 * count(a ? plan_.rows : plan_.columns))
                           .plus(place.tile.times(2))
                           .plus(place.half)
                           .to_expr(ir::kInt32);
    return {a ? scales_a_ : scales_b_, {index}, index, 1, {}};
  }

  static std::int64_t count(const std::vector<std::int64_t>& firsts) {
    return static_cast<std::int64_t>(firsts.size());
  }

  /// This thread's scales from memory into registers: two rows and two columns of each tile, per
  /// interval.
  void load_scales(ir::Body& out) {
    const std::int64_t intervals = plan_.steps * plan_.mma.k / how_.interval;
    for (const bool a : {true, false}) {
      const auto& scales = a ? how_.scale_a : how_.scale_b;
      if (!scales || scales->in_registers()) continue;
      const std::int64_t tiles = count(a ? plan_.rows : plan_.columns);
      ir::Buffer& buffer = a ? scales_a_ : scales_b_;
      buffer = local(a ? "sa" : "sb", 2 * intervals * tiles);
      out.push_back({site_.span, ir::Allocate{buffer}});
      append(out, over("q", intervals, affine(), [&](const IndexSum& q, ir::Body& outer) {
               append(
                   outer,
                   over(a ? "m" : "n", tiles, affine(), [&](const IndexSum& tile, ir::Body& inner) {
                     for (std::int64_t half = 0; half < 2; ++half) {
                       const ScalePlace place = scale_place(a, tile, q, half);
                       inner.push_back(
                           {site_.span, ir::Store{loaded_scale(a, place), scales->value(place)}});
                     }
                   }));
             }));
    }
  }

  [[nodiscard]] Expr zero() const {
    return num::is_int(acc_type_.dtype) ? ir::make_int(0, acc_type_)
                                        : ir::make_expr(acc_type_, site_.span, ir::Const{0});
  }

  /// Whether D's registers hold C already.
  [[nodiscard]] bool starts_in_place() const {
    return how_.beta.is(1.0) && plan_.c &&
           plan_.c->side().buffer().storage == plan_.d.side().buffer().storage;
  }

  /// D = C, or +0.
  void start(const IndexSum& x, const IndexSum& y, ir::Body& out) const {
    for (std::size_t slot = 0; slot < sums_; ++slot) {
      const Expr from =
          how_.beta.is(1.0) ? load(element(*plan_.c, plan_.c_regs, x, y, slot)) : zero();
      out.push_back({site_.span, ir::Store{d(x, y, slot), from}});
    }
  }

  [[nodiscard]] ir::Buffer local(const char* name, std::int64_t size) const {
    return local_array(name, acc_type_.dtype, size, site_.span);
  }

  [[nodiscard]] Temporary allocate(const char* name, ir::Body& out) const {
    Temporary made{local(name, static_cast<std::int64_t>(sums_)), nullptr};
    out.push_back({site_.span, ir::Allocate{made.buffer}});
    if (half_) {
      made.words = word_view(*made.buffer);
      out.push_back({site_.span, ir::Declare{made.words}});
    }
    return made;
  }

  [[nodiscard]] static ir::Access element(const Temporary& temporary, std::size_t slot) {
    const Expr index = ir::make_int(static_cast<std::int64_t>(slot));
    return {temporary.buffer, {index}, index, 1, {}};
  }

  void clear(const Temporary& temporary, ir::Body& out) const {
    for (std::size_t slot = 0; slot < sums_; ++slot) {
      out.push_back({site_.span, ir::Store{element(temporary, slot), zero()}});
    }
  }

  [[nodiscard]] Expr op(ScalarOp kind, std::vector<Expr> args) const {
    return ir::make_expr(acc_type_, site_.span, ir::Scalar{kind, std::move(args)});
  }

  /// D = fma(alpha, sum, RN(beta * C)), or RN(alpha * sum) where beta is 0.
  void scale(const IndexSum& x, const IndexSum& y, ir::Body& out) const {
    for (std::size_t slot = 0; slot < sums_; ++slot) {
      const Expr product = op(ScalarOp::mul, {how_.alpha.value, load(element(sum_, slot))});
      Expr value = product;
      if (!how_.beta.is(0.0)) {
        const Expr c = load(element(*plan_.c, plan_.c_regs, x, y, slot));
        const Expr rest = op(ScalarOp::mul, {how_.beta.value, c});
        value = num::is_int(acc_type_.dtype)
                    ? op(ScalarOp::add, {product, rest})
                    : op(ScalarOp::fma, {how_.alpha.value, load(element(sum_, slot)), rest});
        if (!how_.beta.known) {
          const Expr none = ir::make_expr(ir::kBool, site_.span,
                                          ir::Scalar{ScalarOp::eq, {how_.beta.value, zero()}});
          value = ir::make_expr(acc_type_, site_.span, ir::IfThenElse{none, product, value});
        }
      }
      out.push_back({site_.span, ir::Store{d(x, y, slot), value}});
    }
  }

  const Site& site_;
  const GemmPlan& plan_;
  const GemmOptions& how_;
  ir::Type acc_type_;
  bool half_ = false;     // two accumulators to a word
  std::size_t sums_ = 4;  // accumulators of a tile in one lane
  ir::Buffer a_words_, b_words_, d_words_;
  Temporary sum_, part_;
  ir::Buffer scales_a_, scales_b_;
};

}  // namespace

Expansion emit_gemm(const Site& site, const GemmPlan& plan, const GemmOptions& how) {
  return GemmEmitter(site, plan, how).run();
}

}  // namespace tirx::lower
