// Which value does an element get?  One sequence of scalar operations per tile op, each rounded
// once in the computing dtype: the promoted dtype of the sources.  The result is cast to dst's
// dtype. The order of the operations is part of the language (docs/language/tile_ops.md).
#include <array>

#include <fmt/format.h>

#include "ir/promote.hpp"
#include "lower/elementwise/elementwise.hpp"
#include "numerics/approx/approx.hpp"
#include "numerics/convert.hpp"

namespace tirx::lower {

namespace {

using ir::TileOp;
using num::DType;
using num::ScalarOp;

const ir::Expr* scalar_operand(const Site& site, std::size_t i) {
  return i < site.call.operands.size() ? std::get_if<ir::Expr>(&site.call.operands[i]) : nullptr;
}

bool has_operand(const Site& site, std::size_t i) {
  return i < site.call.operands.size() &&
         !std::holds_alternative<std::monostate>(site.call.operands[i]);
}

DType operand_dtype(const Site& site, std::size_t i) {
  if (const ir::Expr* scalar = scalar_operand(site, i)) return (*scalar)->type.dtype;
  return site.sides[i]->buffer().dtype;
}

bool is_binary(TileOp op) {
  switch (op) {
    case TileOp::add:
    case TileOp::sub:
    case TileOp::mul:
    case TileOp::fdiv:
    case TileOp::maximum:
    case TileOp::minimum:
      return true;
    default:
      return false;
  }
}

bool is_unary(TileOp op) {
  switch (op) {
    case TileOp::sqrt:
    case TileOp::exp:
    case TileOp::exp2:
    case TileOp::log2:
    case TileOp::reciprocal:
    case TileOp::silu:
      return true;
    default:
      return false;
  }
}

bool commutes(TileOp op) {
  return op != TileOp::sub && op != TileOp::fdiv;
}

bool wants_approx(const Site& site) {
  const auto found = site.call.config.find("approx");
  if (found == site.call.config.end()) return false;
  const bool* value = std::get_if<bool>(&found->second);
  return value != nullptr && *value;
}

/// The one operation of a binary or unary op; silu is a sequence.
std::optional<ScalarOp> scalar_op(TileOp op, bool approx) {
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
    case TileOp::minimum:
      return ScalarOp::min;
    case TileOp::fma:
      return ScalarOp::fma;
    case TileOp::sqrt:
      return approx ? ScalarOp::sqrt_approx : ScalarOp::sqrt;
    case TileOp::exp:  // approx: 2^(x * log2(e))
      return approx ? ScalarOp::ex2_approx : ScalarOp::exp;
    case TileOp::exp2:
      return approx ? ScalarOp::ex2_approx : ScalarOp::exp2;
    case TileOp::log2:
      return approx ? ScalarOp::lg2_approx : ScalarOp::log2;
    case TileOp::reciprocal:
      return approx ? ScalarOp::rcp_approx : ScalarOp::rcp;
    default:
      return std::nullopt;
  }
}

/// The operand that a unary op reads: src, or dst in place.
std::size_t unary_source(const Site& site) {
  return has_operand(site, 1) ? 1 : 0;
}

std::optional<DType> computing_dtype(const Site& site) {
  if (is_unary(site.call.op)) return operand_dtype(site, unary_source(site));
  if (!is_binary(site.call.op) && site.call.op != TileOp::fma) {
    return elementwise_dst(site).buffer().dtype;
  }
  std::optional<DType> common = operand_dtype(site, 1);
  for (std::size_t i = 2; i < site.call.operands.size() && common; ++i) {
    common = ir::promote(*common, operand_dtype(site, i));
  }
  return common;
}

std::vector<ScalarOp> operations(const Site& site) {
  const TileOp op = site.call.op;
  if (op == TileOp::silu) return {ScalarOp::sub, ScalarOp::exp, ScalarOp::add, ScalarOp::div};
  std::vector<ScalarOp> used;
  if (is_unary(op) && has_operand(site, 2)) used.push_back(ScalarOp::add);
  if (is_unary(op) && has_operand(site, 3)) used.push_back(ScalarOp::mul);
  if (const auto one = scalar_op(op, wants_approx(site))) used.push_back(*one);
  return used;
}

std::optional<std::string> refuse_approx(const Site& site, DType dtype) {
  const std::string_view name = ir::spec(site.call.op).name;
  const auto op = scalar_op(site.call.op, true);
  if (!op || num::find_approx(*op) == nullptr) {
    return fmt::format(
        "approx — {} has no hardware approximation whose bits are known (exp, exp2, log2, "
        "reciprocal and sqrt have one); leave approx=True out",
        name);
  }
  if (dtype != DType::f32) {
    return fmt::format("approx — the hardware's approximation of {} is for float32, not {}", name,
                       num::name(dtype));
  }
  return std::nullopt;
}

std::optional<std::string> refuse_constants(const Site& site) {
  const TileOp op = site.call.op;
  const std::string_view name = ir::spec(op).name;
  if (op == TileOp::fma && scalar_operand(site, 1) != nullptr) {
    return "operands — fma needs a region as src";
  }
  if (!is_binary(op)) return std::nullopt;
  const bool left = scalar_operand(site, 1) != nullptr;
  const bool right = scalar_operand(site, 2) != nullptr;
  if (left && right) return "operands — both inputs are constants";
  if (commutes(op)) return std::nullopt;
  if (left) return fmt::format("operands — non-commutative op {} cannot have constant lhs", name);
  if (!right && site.sides[1]->size() < site.sides[2]->size()) {
    return fmt::format("operands — non-commutative op {} cannot broadcast its lhs", name);
  }
  return std::nullopt;
}

class Maker {
 public:
  Maker(Span span, DType dtype, std::uint16_t lanes) : span_(span), type_{dtype, lanes} {}

  [[nodiscard]] ir::Expr cast(ir::Expr value, DType to) const {
    if (value->type.lanes != type_.lanes) {
      value = ir::make_expr({value->type.dtype, type_.lanes}, span_, ir::Broadcast{value});
    }
    if (value->type.dtype == to) return value;
    return ir::make_expr({to, type_.lanes}, span_, ir::Cast{std::move(value)});
  }

  [[nodiscard]] ir::Expr op(ScalarOp kind, std::vector<ir::Expr> args) const {
    for (ir::Expr& arg : args) arg = cast(std::move(arg), type_.dtype);
    return ir::make_expr(type_, span_, ir::Scalar{kind, std::move(args)});
  }

  [[nodiscard]] ir::Expr number(double value) const {
    return ir::make_expr(type_.element(), span_, ir::Const{num::from_double(value, type_.dtype)});
  }

 private:
  Span span_;
  ir::Type type_;
};

}  // namespace

std::optional<std::string> refuse_formula(const Site& site) {
  const std::string_view name = ir::spec(site.call.op).name;
  const num::DType to = elementwise_dst(site).buffer().dtype;
  if (num::bits(to) == 4) {
    return fmt::format("whole_bytes — {} holds 4-bit elements, which share a byte with a neighbour",
                       elementwise_dst(site).buffer().name);
  }
  if (auto reason = refuse_constants(site)) return reason;
  const auto dtype = computing_dtype(site);
  if (!dtype) {
    return fmt::format("dtypes — the sources of {} have no common dtype; cast one of them", name);
  }
  if (wants_approx(site)) {
    if (auto reason = refuse_approx(site, *dtype)) return reason;
  }
  for (const ScalarOp op : operations(site)) {
    // Storage types take no part in arithmetic, not even beside a type that has it.
    for (std::size_t i = 1; i < site.call.operands.size(); ++i) {
      if (!has_operand(site, i)) continue;
      const num::DType source = operand_dtype(site, i);
      if (!num::row(source).storage_only || num::is_legal(op, source)) continue;
      return fmt::format("dtypes — {} is a storage type: cast it first, Tx.cast(dst, src)",
                         num::name(source));
    }
    if (num::is_legal(op, *dtype)) continue;
    return fmt::format("dtypes — {} is not defined on {}", name, num::name(*dtype));
  }
  if (is_unary(site.call.op) && site.call.op != TileOp::silu) {
    for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
      if (!has_operand(site, i) || operand_dtype(site, i) == *dtype) continue;
      return fmt::format("dtypes — the {} of {} must be {} like its source, not {}",
                         i == 2 ? "bias" : "scale", name, num::name(*dtype),
                         num::name(operand_dtype(site, i)));
    }
  }
  return std::nullopt;
}

bool reads_destination(const Site& site) {
  return is_unary(site.call.op) && unary_source(site) == 0;
}

ir::Expr element_value(const Site& site, std::vector<ir::Expr> operands) {
  const TileOp op = site.call.op;
  const DType to = elementwise_dst(site).buffer().dtype;
  std::uint16_t lanes = 1;
  for (const ir::Expr& value : operands) {
    if (value) lanes = std::max(lanes, value->type.lanes);
  }
  const Maker in_dst(site.span, to, lanes);
  const Maker make(site.span, computing_dtype(site).value_or(to), lanes);
  if (op == TileOp::zero) return in_dst.number(0.0);
  if (op == TileOp::fill || op == TileOp::memset || op == TileOp::cast) {
    return in_dst.cast(operands[1], to);
  }
  if (op == TileOp::select) {
    return ir::make_expr(
        {to, lanes}, site.span,
        ir::Select{operands[3], in_dst.cast(operands[1], to), in_dst.cast(operands[2], to)});
  }
  const bool approx = wants_approx(site);
  if (is_unary(op)) {
    ir::Expr x = operands[unary_source(site)];
    if (op == TileOp::silu) {
      const ir::Expr minus = make.op(ScalarOp::sub, {make.number(0.0), x});
      const ir::Expr below =
          make.op(ScalarOp::add, {make.number(1.0), make.op(ScalarOp::exp, {minus})});
      return in_dst.cast(make.op(ScalarOp::div, {x, below}), to);
    }
    if (has_operand(site, 3)) x = make.op(ScalarOp::mul, {x, operands[3]});
    if (has_operand(site, 2)) x = make.op(ScalarOp::add, {x, operands[2]});
    if (op == TileOp::exp && approx) {
      constexpr double kLog2E = 0x1.71547652b82fep+0;
      x = make.op(ScalarOp::mul, {x, make.number(kLog2E)});
    }
    return in_dst.cast(make.op(*scalar_op(op, approx), {x}), to);
  }
  std::vector<ir::Expr> sources(operands.begin() + 1, operands.end());
  return in_dst.cast(make.op(*scalar_op(op, approx), std::move(sources)), to);
}

}  // namespace tirx::lower
