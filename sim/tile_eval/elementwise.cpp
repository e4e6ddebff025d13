// Elementwise tile ops by their definition: for every element of dst in row-major order, the
// operands' elements (broadcast as NumPy does), the operations in the computing dtype, a cast.  All
// reads come before all writes.
#include <algorithm>

#include <fmt/format.h>

#include "ir/promote.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "sim/tile_eval/evaluator.hpp"
#include "sim/tile_eval/index.hpp"

namespace tirx::sim::tile {

namespace {

using ir::TileOp;
using num::DType;
using num::ScalarOp;

/// Where the element of an operand lies for an element of dst; empty if the shapes do not fit.
std::optional<std::vector<std::int64_t>> broadcast_index(const std::vector<std::int64_t>& dst,
                                                         const std::vector<std::int64_t>& index,
                                                         const std::vector<std::int64_t>& operand) {
  std::vector<std::int64_t> at(operand.size(), 0);
  bool fits = true;
  for (std::size_t k = 0; k < operand.size(); ++k) {
    const std::size_t from_end = operand.size() - k;
    if (operand[k] == 1) continue;
    if (from_end > dst.size() || dst[dst.size() - from_end] != operand[k]) {
      fits = false;
      break;
    }
    at[k] = index[dst.size() - from_end];
  }
  if (fits) return at;
  // The same extents once dimensions of one element are dropped.
  std::vector<std::int64_t> wide_extents;
  std::vector<std::int64_t> wide_index;
  for (std::size_t d = 0; d < dst.size(); ++d) {
    if (dst[d] == 1) continue;
    wide_extents.push_back(dst[d]);
    wide_index.push_back(index[d]);
  }
  if (wide_extents != without_units(operand)) return std::nullopt;
  std::size_t next = 0;
  for (std::size_t k = 0; k < operand.size(); ++k) {
    at[k] = operand[k] == 1 ? 0 : wide_index[next++];
  }
  return at;
}

struct Typed {
  Cell cell;
  DType dtype = DType::f32;
};

/// A calculation in one dtype; poison spreads.
class Calculator {
 public:
  explicit Calculator(DType dtype) : dtype_(dtype) {}

  [[nodiscard]] Cell in(const Typed& value) const { return converted(value, dtype_); }

  [[nodiscard]] static Cell converted(const Typed& value, DType to) {
    if (value.dtype == to) return value.cell;
    return {num::convert(value.cell.bits, value.dtype, to), value.cell.poison};
  }

  [[nodiscard]] Cell number(double value) const { return {num::from_double(value, dtype_), false}; }

  Cell apply(ScalarOp op, Cell a, Cell b = {}, Cell c = {}) {
    const num::Evaluated done = num::evaluate(op, dtype_, a.bits, b.bits, c.bits);
    if (done.status != num::EvalStatus::ok) legal_ = false;
    return {done.value, a.poison || b.poison || c.poison};
  }

  [[nodiscard]] bool legal() const { return legal_; }

 private:
  DType dtype_;
  bool legal_ = true;
};

bool flag(const ir::TileCall& call, const char* key) {
  const auto found = call.config.find(key);
  const bool* value = found == call.config.end() ? nullptr : std::get_if<bool>(&found->second);
  return value != nullptr && *value;
}

/// op(x * scale + bias), or silu(x) = x / (1 + exp(0 - x)).
Cell unary(TileOp op, bool approx, Calculator& calculate, Cell x) {
  switch (op) {
    case TileOp::sqrt:
      return calculate.apply(approx ? ScalarOp::sqrt_approx : ScalarOp::sqrt, x);
    case TileOp::exp:
      if (!approx) return calculate.apply(ScalarOp::exp, x);
      return calculate.apply(
          ScalarOp::ex2_approx,
          calculate.apply(ScalarOp::mul, x, calculate.number(1.4426950408889634)));
    case TileOp::exp2:
      return calculate.apply(approx ? ScalarOp::ex2_approx : ScalarOp::exp2, x);
    case TileOp::log2:
      return calculate.apply(approx ? ScalarOp::lg2_approx : ScalarOp::log2, x);
    case TileOp::reciprocal:
      return calculate.apply(approx ? ScalarOp::rcp_approx : ScalarOp::rcp, x);
    default: {
      const Cell e =
          calculate.apply(ScalarOp::exp, calculate.apply(ScalarOp::sub, calculate.number(0.0), x));
      return calculate.apply(ScalarOp::div, x,
                             calculate.apply(ScalarOp::add, calculate.number(1.0), e));
    }
  }
}

ScalarOp binary(TileOp op) {
  switch (op) {
    case TileOp::add:
      return ScalarOp::add;
    case TileOp::sub:
      return ScalarOp::sub;
    case TileOp::mul:
      return ScalarOp::mul;
    case TileOp::fdiv:
      return ScalarOp::div;
    case TileOp::maximum:
      return ScalarOp::max;
    default:
      return ScalarOp::min;
  }
}

/// The element's value; nothing where the operation does not exist for the dtypes.
std::optional<Cell> value_of(const ir::TileCall& call,
                             DType to,
                             const std::vector<std::optional<Typed>>& operands) {
  const auto done = [&](Calculator& calculate, Cell cell, DType dtype) -> std::optional<Cell> {
    if (!calculate.legal()) return std::nullopt;
    return Calculator::converted({cell, dtype}, to);
  };
  switch (call.op) {
    case TileOp::zero:
      return Cell{num::from_double(0.0, to), false};
    case TileOp::fill:
    case TileOp::memset:
    case TileOp::cast:
      return Calculator::converted(*operands[1], to);
    case TileOp::select: {
      const Cell& choice = operands[3]->cell;
      Cell chosen = Calculator::converted(*operands[choice.bits != 0 ? 1 : 2], to);
      chosen.poison = chosen.poison || choice.poison;
      return chosen;
    }
    case TileOp::sqrt:
    case TileOp::exp:
    case TileOp::exp2:
    case TileOp::log2:
    case TileOp::reciprocal:
    case TileOp::silu: {
      const Typed& source = operands[1] ? *operands[1] : *operands[0];
      Calculator calculate(source.dtype);
      Cell x = source.cell;
      const bool affine = operands.size() > 2;
      if (affine && operands[3]) x = calculate.apply(ScalarOp::mul, x, calculate.in(*operands[3]));
      if (affine && operands[2]) x = calculate.apply(ScalarOp::add, x, calculate.in(*operands[2]));
      x = unary(call.op, flag(call, "approx"), calculate, x);
      return done(calculate, x, source.dtype);
    }
    default: {
      std::optional<DType> common = operands[1]->dtype;
      for (std::size_t i = 2; i < operands.size() && common; ++i) {
        common = ir::promote(*common, operands[i]->dtype);
      }
      if (!common) return std::nullopt;
      Calculator calculate(*common);
      const Cell a = calculate.in(*operands[1]);
      const Cell b = calculate.in(*operands[2]);
      const Cell result = call.op == TileOp::fma
                              ? calculate.apply(ScalarOp::fma, a, b, calculate.in(*operands[3]))
                              : calculate.apply(binary(call.op), a, b);
      return done(calculate, result, *common);
    }
  }
}

}  // namespace

bool Evaluator::same_in_all(const ir::Expr& expr,
                            const std::vector<std::size_t>& threads,
                            Cell& value) {
  bool first = true;
  for (const std::size_t thread : threads) {
    thread_ = thread;
    const Cell cell = eval_one(expr);
    if (first) value = cell;
    if (!first && (cell.bits != value.bits || cell.poison != value.poison)) return false;
    first = false;
  }
  return true;
}

void Evaluator::elementwise(const ir::TileCall& call,
                            const Box& dst,
                            const std::vector<std::size_t>& threads,
                            Span span) {
  const std::string_view name = ir::spec(call.op).name;
  const std::size_t count = call.operands.size();
  std::vector<std::optional<Box>> boxes(count);
  std::vector<std::optional<Typed>> constants(count);
  for (std::size_t i = 1; i < count; ++i) {
    if (const auto* region = std::get_if<ir::Region>(&call.operands[i])) {
      boxes[i] = box_of(*region, threads, span);
      if (!boxes[i]) return;
    } else if (const auto* scalar = std::get_if<ir::Expr>(&call.operands[i])) {
      if (i + 1 == count && !call.index_vars.empty()) continue;
      Cell value;
      if (!same_in_all(*scalar, threads, value)) {
        unsupported(span, fmt::format("a scalar operand of {} differs between threads of the tile "
                                      "call",
                                      name));
        return;
      }
      constants[i] = Typed{value, (*scalar)->type.dtype};
    }
  }
  boxes[0] = dst;
  const bool in_place = count > 1 && std::holds_alternative<std::monostate>(call.operands[1]) &&
                        call.op != TileOp::zero;
  std::vector<Cell> results;
  for_each_index(dst.extent, [&](const std::vector<std::int64_t>& index) {
    if (stopped_) return;
    std::vector<std::optional<Typed>> values = constants;
    for (std::size_t i = in_place ? 0 : 1; i < count; ++i) {
      if (!boxes[i] || call.op == TileOp::zero) continue;
      auto at = broadcast_index(dst.extent, index, boxes[i]->extent);
      if (!at) {
        unsupported(span, fmt::format("{}: the operands' extents do not fit", name));
        return;
      }
      for (std::size_t k = 0; k < at->size(); ++k) (*at)[k] += boxes[i]->begin[k];
      values[i] = Typed{read_element(*boxes[i], *at, threads, span), boxes[i]->buffer->dtype};
    }
    if (!call.index_vars.empty()) {
      for (const std::size_t thread : threads) {
        for (std::size_t k = 0; k < index.size(); ++k) {
          cta_->threads[thread].variables[slots_.at(call.index_vars[k].get())] = {
              Cell{num::from_int64(index[k], DType::i32), false}};
        }
      }
      Cell choice;
      if (!same_in_all(std::get<ir::Expr>(call.operands.back()), threads, choice)) {
        unsupported(span, fmt::format("the predicate of {} differs between threads", name));
        return;
      }
      values[count - 1] = Typed{choice, DType::boolean};
    }
    const auto value = value_of(call, dst.buffer->dtype, values);
    if (!value) {
      unsupported(span, fmt::format("{} is not available for these dtypes", name));
      return;
    }
    results.push_back(*value);
  });
  std::size_t next = 0;
  for_each_index(dst.extent, [&](std::vector<std::int64_t> at) {
    if (stopped_) return;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += dst.begin[k];
    write_element(dst, at, results[next++], threads, span);
  });
}

}  // namespace tirx::sim::tile
