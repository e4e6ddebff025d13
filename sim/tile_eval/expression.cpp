// Expressions of one thread, element by element.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "numerics/storage_bits.hpp"
#include "sim/program/walk.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

using ir::Expr;

namespace {

/// The bits of some numbers as those of fewer, or of more: the first ones are the lowest.
Cells regrouped(const Cells& given, int from, int to) {
  if (from == to) return given;
  const auto kept = [](std::uint64_t bits, int width) {
    return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  };
  Cells result(given.size() * static_cast<std::size_t>(from) / static_cast<std::size_t>(to));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t begin = i * static_cast<std::size_t>(to);
    for (std::size_t bit = begin; bit < begin + static_cast<std::size_t>(to);) {
      const Cell& cell = given[bit / static_cast<std::size_t>(from)];
      const std::uint64_t part =
          kept(kept(cell.bits, from) >> bit % static_cast<std::size_t>(from), to);
      result[i].bits |= part << (bit - begin);
      result[i].poison = result[i].poison || cell.poison;
      bit += static_cast<std::size_t>(std::min(from, to));
    }
  }
  return result;
}

}  // namespace

Cell Evaluator::eval_one(const Expr& expr) {
  const Cells cells = eval(expr);
  return cells.empty() ? Cell{} : cells[0];
}

std::optional<std::int64_t> Evaluator::eval_int(const Expr& expr) {
  const Cell cell = eval_one(expr);
  if (cell.poison) return std::nullopt;
  return num::to_int64(cell.bits, expr->type.dtype);
}

Cells Evaluator::eval(const Expr& expr) {
  if (blocked_) return Cells(std::max<std::size_t>(expr->type.lanes, 1));
  const ir::ExprNode& node = *expr;
  const std::size_t lanes = std::max<std::size_t>(node.type.lanes, 1);
  const num::DType dtype = node.type.dtype;
  Thread& t = cta_->threads[thread_];
  const auto each = [&](const Expr& child, auto&& f) {
    Cells cells = eval(child);
    for (Cell& cell : cells) cell.bits = f(cell.bits);
    return cells;
  };
  return std::visit(
      ir::Match{
          [&](const ir::Const& n) {
            return Cells(lanes, Cell{n.bits, false});
          },
          [&](const ir::VarRef& n) {
            const auto constant = binding_.constants.find(n.var.get());
            if (constant != binding_.constants.end()) {
              return Cells(lanes, Cell{constant->second, false});
            }
            const auto slot = slots_.find(n.var.get());
            if (slot == slots_.end()) {
              unsupported(node.span, "the variable " + n.var->name + " has no value");
              return Cells(lanes);
            }
            const Cells& known = t.variables[slot->second];
            return known.size() == lanes ? known : Cells(lanes, known.empty() ? Cell{} : known[0]);
          },
          [&](const ir::Scalar& n) {
            std::vector<Cells> args;
            for (const Expr& arg : n.args) args.push_back(eval(arg));
            Cells result(lanes);
            for (std::size_t i = 0; i < lanes && !blocked_; ++i) {
              std::array<std::uint64_t, 3> v{};
              for (std::size_t k = 0; k < args.size() && k < 3; ++k) {
                const Cell& cell = args[k][std::min(i, args[k].size() - 1)];
                v[k] = cell.bits;
                result[i].poison = result[i].poison || cell.poison;
              }
              const num::Evaluated e = num::evaluate(n.op, n.args[0]->type.dtype, v[0], v[1], v[2]);
              result[i].bits = e.value;
              if (e.status == num::EvalStatus::division_by_zero) {
                if (!args[1][std::min(i, args[1].size() - 1)].poison) {
                  fault(ir::FaultKind::arith, node.span, "integer division by zero");
                }
                result[i].poison = true;
              } else if (e.status != num::EvalStatus::ok) {
                unsupported(node.span, fmt::format("{} is not available for {}", num::name(n.op),
                                                   num::name(n.args[0]->type.dtype)));
              }
            }
            return result;
          },
          [&](const ir::Cast& n) {
            return each(n.value, [&](std::uint64_t bits) {
              return num::convert(bits, n.value->type.dtype, dtype);
            });
          },
          [&](const ir::Reinterpret& n) {
            return regrouped(eval(n.value), num::storage_bits(n.value->type.dtype),
                             num::storage_bits(dtype));
          },
          [&](const ir::Select& n) {
            const Cells c = eval(n.condition), a = eval(n.when_true), b = eval(n.when_false);
            Cells result(lanes);
            for (std::size_t i = 0; i < lanes && !blocked_; ++i) {
              const Cell& chosen = c[std::min(i, c.size() - 1)];
              result[i] = chosen.bits != 0 ? a[i] : b[i];
              result[i].poison = result[i].poison || chosen.poison;
            }
            return result;
          },
          [&](const ir::IfThenElse& n) {
            const Cell c = eval_one(n.condition);
            if (blocked_) return Cells(lanes);
            Cells chosen = eval(c.bits != 0 ? n.when_true : n.when_false);
            decide(c, pure(n.when_true) && pure(n.when_false), n.condition->span, chosen);
            return chosen;
          },
          [&](const ir::And& n) {
            const Cell c = eval_one(n.left);
            Cells result = blocked_ || c.bits == 0 ? Cells{c} : eval(n.right);
            decide(c, pure(n.right), n.left->span, result);
            return result;
          },
          [&](const ir::Or& n) {
            const Cell c = eval_one(n.left);
            Cells result = blocked_ || c.bits != 0 ? Cells{c} : eval(n.right);
            decide(c, pure(n.right), n.left->span, result);
            return result;
          },
          [&](const ir::Load& n) { return load(n.from, static_cast<int>(lanes), node.span); },
          [&](const ir::AddressOf&) {
            unsupported(node.span, "a pointer can only be an operand of a machine operation");
            return Cells(1);
          },
          [&](const ir::MachineCall& n) {
            return known_by_name(n) ? by_name(expr, n) : Cells{machine_call(expr, n)};
          },
          [&](const ir::MakeVector& n) {
            Cells result;
            for (const Expr& lane : n.lanes) result.push_back(eval_one(lane));
            return result;
          },
          [&](const ir::Broadcast& n) { return Cells(lanes, eval_one(n.value)); },
          [&](const ir::Extract& n) {
            const Cells cells = eval(n.vector);
            return Cells{cells[std::min(static_cast<std::size_t>(n.lane), cells.size() - 1)]};
          },
      },
      node.node);
}

/// A poisoned condition of a conditional expression: the result is poison, unless the sides do
/// something, and then it is a branch that depends on data never written.
void Evaluator::decide(Cell condition, bool is_pure, Span span, Cells& result) {
  if (blocked_ || !condition.poison) return;
  if (!is_pure) {
    fault(ir::FaultKind::uninit, span, "a condition depends on data that was never written");
    return;
  }
  for (Cell& cell : result) cell.poison = true;
}

/// Whether evaluating it can have no effect and no fault.
bool Evaluator::pure(const Expr& expr) const {
  bool result = true;
  walk_expression(expr, [&](const Expr& e) {
    if (ir::as<ir::MachineCall>(e) != nullptr) result = false;
    if (const auto* load = ir::as<ir::Load>(e)) result = result && load->from.buffer->in_register();
    if (const auto* op = ir::as<ir::Scalar>(e)) {
      using num::ScalarOp;
      const bool division = op->op == ScalarOp::floordiv || op->op == ScalarOp::floormod ||
                            op->op == ScalarOp::truncdiv || op->op == ScalarOp::truncmod;
      if (division && num::is_int(op->args[0]->type.dtype)) {
        const auto divisor = evaluate_constant(op->args[1], binding_);
        result = result && divisor && *divisor != 0;
      }
    }
  });
  return result;
}

std::optional<std::vector<std::int64_t>> Evaluator::coordinates(const ir::Access& access,
                                                                Span span) {
  std::vector<std::int64_t> at;
  for (const Expr& index : access.indices) {
    const Cell cell = eval_one(index);
    if (blocked_) return std::nullopt;
    if (cell.poison) {
      fault(ir::FaultKind::uninit, span,
            fmt::format("the index of {} depends on data that was never written",
                        access.buffer->name));
      return std::nullopt;
    }
    at.push_back(num::to_int64(cell.bits, index->type.dtype));
  }
  return at;
}

Cells Evaluator::load(const ir::Access& access, int lanes, Span span) {
  Cells result(static_cast<std::size_t>(lanes), Cell{0, true});
  auto at = coordinates(access, span);
  if (!at) return result;
  for (int i = 0; i < lanes; ++i) {
    const auto element = offset_of(*access.buffer, *at);
    const Place place = element ? place_of(*access.buffer, *element, thread_) : Place{};
    if (!element || !inside(place, access.buffer->dtype)) {
      outside(*access.buffer, *at, span, false);
    } else {
      result[static_cast<std::size_t>(i)] = read(place, access.buffer->dtype);
    }
    if (!at->empty()) at->back() += access.stride;
  }
  return result;
}

void Evaluator::store(const ir::Access& access, const Cells& values, Span span) {
  auto at = coordinates(access, span);
  if (!at) return;
  // Of two 4-bit elements that share a byte both are poison, or neither.
  const bool pairs = num::bits(access.buffer->dtype) == 4;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Cell value = values[i];
    if (pairs && (i ^ 1U) < values.size()) value.poison = value.poison || values[i ^ 1U].poison;
    const auto element = offset_of(*access.buffer, *at);
    const Place place = element ? place_of(*access.buffer, *element, thread_) : Place{};
    if (!element || !inside(place, access.buffer->dtype)) {
      outside(*access.buffer, *at, span, true);
    } else {
      write(place, access.buffer->dtype, value);
    }
    if (!at->empty()) at->back() += access.stride;
  }
}

Cell Evaluator::read(const Place& place, num::DType dtype) {
  const auto* bytes =
      reinterpret_cast<const std::uint8_t*>(place.memory->bytes.data()) + place.base;
  const std::int64_t begin =
      place.base + ir::storage_bytes(dtype, place.element + 1) - num::bytes(dtype);
  const auto first = static_cast<std::size_t>(begin);
  const bool valid =
      place.memory->is_valid(first, first + static_cast<std::size_t>(num::bytes(dtype)));
  trace_access(place, first, first + static_cast<std::size_t>(num::bytes(dtype)), false);
  return {num::load_element(bytes, static_cast<std::size_t>(place.element), dtype), !valid};
}

void Evaluator::write(const Place& place, num::DType dtype, Cell value) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(place.memory->bytes.data()) + place.base;
  const std::int64_t begin =
      place.base + ir::storage_bytes(dtype, place.element + 1) - num::bytes(dtype);
  const auto first = static_cast<std::size_t>(begin);
  trace_access(place, first, first + static_cast<std::size_t>(num::bytes(dtype)), true);
  if (num::load_element(bytes, static_cast<std::size_t>(place.element), dtype) != value.bits) {
    ++changes_;
  }
  num::store_element(bytes, static_cast<std::size_t>(place.element), dtype, value.bits);
  place.memory->set_valid(first, first + static_cast<std::size_t>(num::bytes(dtype)),
                          !value.poison);
}

}  // namespace tirx::sim::tile
