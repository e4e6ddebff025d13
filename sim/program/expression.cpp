// Expressions: pure ones become value nodes, loads and machine calls become instructions here.
#include <algorithm>

#include "numerics/storage_bits.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

using ir::Expr;
using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

bool is_division(ScalarOp op) {
  return op == ScalarOp::floordiv || op == ScalarOp::floormod || op == ScalarOp::truncdiv ||
         op == ScalarOp::truncmod;
}

}  // namespace

ValueId Compiler::value(const Expr& expr) {
  return values(expr)[0];
}

Compiler::Values Compiler::values(const Expr& expr) {
  const ir::ExprNode& node = *expr;
  const auto lanes = static_cast<std::size_t>(node.type.lanes);
  const auto map = [&](const Expr& child, auto&& f) {
    Values result = values(child);
    for (ValueId& id : result) id = f(id);
    return result;
  };
  return std::visit(
      ir::Match{
          [&](const ir::Const& n) {
            return Values(lanes, table_.constant(node.type.dtype, n.bits));
          },
          [&](const ir::VarRef& n) {
            const auto at = variables_.find(n.var.get());
            if (at != variables_.end()) {
              return at->second.size() == 1 ? Values(lanes, at->second[0]) : at->second;
            }
            const auto constant = binding_.constants.find(n.var.get());
            if (constant != binding_.constants.end()) {
              return Values(lanes, table_.constant(node.type.dtype, constant->second));
            }
            fail(node.span, "the variable " + n.var->name + " has no value here");
            return Values(lanes, table_.constant(node.type.dtype, 0));
          },
          [&](const ir::Scalar& n) { return scalar_op(node, n); },
          [&](const ir::Cast& n) {
            return map(n.value, [&](ValueId id) { return table_.cast(id, node.type.dtype); });
          },
          [&](const ir::Reinterpret& n) {
            if (n.value->type.lanes != node.type.lanes)
              return regrouped(values(n.value), n.value->type.dtype, node.type);
            return map(n.value,
                       [&](ValueId id) { return table_.reinterpret(id, node.type.dtype); });
          },
          [&](const ir::Select& n) {
            const Values c = values(n.condition), t = values(n.when_true), f = values(n.when_false);
            Values result;
            for (std::size_t i = 0; i < lanes; ++i) {
              result.push_back(table_.select(c[std::min(i, c.size() - 1)], t[i], f[i]));
            }
            return result;
          },
          [&](const ir::IfThenElse& n) {
            return conditional(n.condition, n.when_true, n.when_false, node.type, node.span);
          },
          [&](const ir::And& n) { return Values{logical(n.left, n.right, true, node.span)}; },
          [&](const ir::Or& n) { return Values{logical(n.left, n.right, false, node.span)}; },
          [&](const ir::Load& n) { return load(n.from, node.type, node.span); },
          [&](const ir::AddressOf&) {
            fail(node.span, "a pointer can only be an operand of a machine operation");
            return Values{table_.constant(DType::u64, 0)};
          },
          [&](const ir::MachineCall& n) { return machine_call(node, n); },
          [&](const ir::MakeVector& n) {
            Values result;
            for (const Expr& lane : n.lanes) result.push_back(value(lane));
            return result;
          },
          [&](const ir::Broadcast& n) { return Values(lanes, value(n.value)); },
          [&](const ir::Extract& n) {
            return Values{values(n.vector)[static_cast<std::size_t>(n.lane)]};
          },
      },
      node.node);
}

Compiler::Values Compiler::scalar_op(const ir::ExprNode& node, const ir::Scalar& op) {
  const auto lanes = static_cast<std::size_t>(node.type.lanes);
  const DType dtype = op.args[0]->type.dtype;
  std::vector<Values> args;
  for (const Expr& arg : op.args) args.push_back(values(arg));
  Values result;
  for (std::size_t i = 0; i < lanes; ++i) {
    ValueId operands[3] = {kNoValue, kNoValue, kNoValue};
    for (std::size_t k = 0; k < args.size() && k < 3; ++k) {
      operands[k] = args[k][std::min(i, args[k].size() - 1)];
    }
    if (is_division(op.op) && num::is_int(dtype)) {
      result.push_back(integer_division(op.op, dtype, operands[0], operands[1], node.span));
    } else {
      result.push_back(table_.op(op.op, dtype, operands, static_cast<int>(args.size())));
    }
  }
  return result;
}

/// A division whose divisor may be zero stays where it is written.
ValueId Compiler::integer_division(ScalarOp op, DType dtype, ValueId a, ValueId b, Span span) {
  const Interval divisor = range(b);
  const ValueId pure = table_.binary(op, dtype, a, b);
  if (divisor.lo > 0 || divisor.hi < 0) return pure;
  const ValueNode node = table_[pure];
  if (node.kind == Kind::constant || node.kind == Kind::table) return pure;
  Reg reg = 0;
  const Reg divisor_reg = node.uniform ? uniform_reg(b) : vector_reg(b);
  static_cast<void>(node.uniform ? uniform_reg(a) : vector_reg(a));
  const ValueId leaf = fresh_leaf(node.dtype, node.uniform, true, reg);
  if (node.uniform) {
    emit_uniform(*code_, pure, reg);
  } else {
    emit_vector(*code_, pure, reg);
  }
  if (init_ && !node.poison) {
    Draft& clear = emit(node.uniform ? exec::u_clear_poison : lanes_.v_clear_poison);
    clear.instr.d = reg;
    clear.registers = Draft::kD;
  }
  if (checks(ir::FaultKind::arith) || init_) {
    auto site = std::make_unique<CheckSite>();
    site->kind = CheckSite::Kind::division;
    site->place = place(span);
    site->dtype = dtype;
    site->op = op;
    Draft& draft = emit(node.uniform ? exec::check_division_u : exec::check_division_v);
    draft.instr.a = divisor_reg;
    draft.instr.d = reg;
    draft.registers = Draft::kA | Draft::kD;
    draft.instr.data.check = site.get();
    program_->check_sites.push_back(std::move(site));
  }
  return leaf;
}

/// The bits of some numbers as those of fewer, or of more: the first ones are the lowest.
Compiler::Values Compiler::regrouped(const Values& given, DType from, ir::Type to) {
  const auto unsigned_of = [](int bits) {
    return bits == 64 ? DType::u64 : bits == 32 ? DType::u32 : bits == 16 ? DType::u16 : DType::u8;
  };
  const int narrow = std::min(num::storage_bits(from), num::storage_bits(to.dtype)),
            wide = std::max(num::storage_bits(from), num::storage_bits(to.dtype));
  const DType part = unsigned_of(narrow), whole = unsigned_of(wide);
  const auto amount = [&](int k) {
    return table_.constant(whole,
                           static_cast<std::uint64_t>(k) * static_cast<std::uint64_t>(narrow));
  };
  Values result;
  if (num::storage_bits(from) == narrow) {
    const auto each = static_cast<std::size_t>(wide / narrow);
    for (std::size_t i = 0; i < given.size(); i += each) {
      ValueId all = table_.constant(whole, 0);
      for (std::size_t k = 0; k < each; ++k) {
        const ValueId bits = table_.cast(table_.reinterpret(given[i + k], part), whole);
        all = table_.binary(
            num::ScalarOp::bit_or, whole, all,
            table_.binary(num::ScalarOp::shl, whole, bits, amount(static_cast<int>(k))));
      }
      result.push_back(table_.reinterpret(all, to.dtype));
    }
    return result;
  }
  for (const ValueId one : given) {
    const ValueId bits = table_.reinterpret(one, whole);
    for (int k = 0; k < wide / narrow; ++k) {
      ValueId own = table_.binary(num::ScalarOp::shr, whole, bits, amount(k));
      if (narrow == 4)
        own = table_.binary(num::ScalarOp::bit_and, whole, own, table_.constant(whole, 15));
      result.push_back(table_.reinterpret(table_.cast(own, part), to.dtype));
    }
  }
  return result;
}

bool Compiler::is_pure(const Expr& expr) const {
  if (!expr) return true;
  const auto all = [&](const auto&... children) { return (is_pure(children) && ...); };
  return std::visit(
      ir::Match{
          [](const ir::Const&) { return true; },
          [](const ir::VarRef&) { return true; },
          [&](const ir::Scalar& n) {
            if (is_division(n.op) && num::is_int(n.args[0]->type.dtype)) {
              const auto divisor = evaluate_constant(n.args[1], binding_);
              if (!divisor || *divisor == 0) return false;
            }
            return std::all_of(n.args.begin(), n.args.end(),
                               [&](const Expr& e) { return is_pure(e); });
          },
          [&](const ir::Cast& n) { return all(n.value); },
          [&](const ir::Reinterpret& n) { return all(n.value); },
          [&](const ir::Select& n) { return all(n.condition, n.when_true, n.when_false); },
          [&](const ir::IfThenElse& n) { return all(n.condition, n.when_true, n.when_false); },
          [&](const ir::And& n) { return all(n.left, n.right); },
          [&](const ir::Or& n) { return all(n.left, n.right); },
          [&](const ir::Load& n) {
            return n.from.buffer->in_register() && scalars_.contains(n.from.buffer->storage.get());
          },
          [](const ir::AddressOf&) { return false; },
          [](const ir::MachineCall&) { return false; },
          [&](const ir::MakeVector& n) {
            return std::all_of(n.lanes.begin(), n.lanes.end(),
                               [&](const Expr& e) { return is_pure(e); });
          },
          [&](const ir::Broadcast& n) { return all(n.value); },
          [&](const ir::Extract& n) { return all(n.vector); },
      },
      expr->node);
}

/// `when_true if condition else when_false`: only the chosen side runs.
Compiler::Values Compiler::conditional(const Expr& condition,
                                       const Expr& when_true,
                                       const Expr& when_false,
                                       ir::Type type,
                                       Span span) {
  const ValueId c = value(condition);
  if (table_[c].kind == Kind::constant) {
    return values(table_[c].bits != 0 ? when_true : when_false);
  }
  const auto lanes = static_cast<std::size_t>(type.lanes);
  if (is_pure(when_true) && is_pure(when_false)) {
    // A value like any other: poison comes through the condition and the chosen side.
    const Values t = values(when_true), f = values(when_false);
    Values result;
    for (std::size_t i = 0; i < lanes; ++i) result.push_back(table_.select(c, t[i], f[i]));
    return result;
  }
  Values result;
  std::vector<Reg> regs(lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    result.push_back(fresh_leaf(type.dtype, false, true, regs[i]));
  }
  const auto side = [&](const Expr& expr) {
    const Values chosen = values(expr);
    for (std::size_t i = 0; i < lanes; ++i) assign(chosen[i], regs[i], false, init_);
  };
  branch(
      c, span, [&] { side(when_true); }, [&] { side(when_false); });
  return result;
}

ValueId Compiler::logical(const Expr& left, const Expr& right, bool is_and, Span span) {
  const ValueId a = value(left);
  if (table_[a].kind == Kind::constant) {
    const bool decides = (table_[a].bits != 0) != is_and;
    return decides ? a : value(right);
  }
  if (is_pure(right)) {
    const ValueId b = value(right);
    if (table_[b].poison) {
      const ValueId decided = table_.constant(DType::boolean, is_and ? 0 : 1);
      return is_and ? table_.select(a, b, decided) : table_.select(a, decided, b);
    }
    return table_.binary(is_and ? ScalarOp::bit_and : ScalarOp::bit_or, DType::boolean, a, b);
  }
  Reg reg = 0;
  const ValueId result = fresh_leaf(DType::boolean, false, true, reg);
  assign(a, reg, false, init_);
  const auto side = [&] { assign(value(right), reg, false, init_); };
  const auto nothing = [] {};
  if (is_and) {
    branch(a, span, side, nothing);
  } else {
    branch(a, span, nothing, side);
  }
  return result;
}

ValueId Compiler::read_scalar(const ir::BufferNode& buffer) {
  const ir::Storage* storage = buffer.storage.get();
  const auto at = scalars_.find(storage);
  if (at == scalars_.end()) {
    fail(buffer.span, "the variable " + buffer.name + " is used before its declaration");
    return table_.constant(buffer.dtype, 0);
  }
  ScalarHome& home = at->second;
  if (home.fixed != kNoValue) return home.fixed;
  if (home.current != kNoValue) return home.current;
  ValueNode node;
  node.dtype = buffer.dtype;
  node.uniform = home.uniform;
  node.poison = home.poison && init_;
  node.alias = true;
  node.reg = home.reg;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const auto assigned = analysis_.assigned.find(loops_[i]->node);
    if (assigned != analysis_.assigned.end() && assigned->second.contains(storage)) {
      node.level = static_cast<int>(i + 1);
    }
  }
  home.current = table_.leaf(node);
  return home.current;
}

/// Whether the value reads a register that may be overwritten later.
bool Compiler::mentions_alias(ValueId id) const {
  return table_[id].alias;
}

}  // namespace tirx::sim
