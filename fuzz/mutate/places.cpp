#include "fuzz/mutate/places.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "ir/base/check.hpp"
#include "ir/gemm_scales.hpp"
#include "ir/print.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

using ir::Body;
using ir::Expr;
using ir::Stmt;
using num::ScalarOp;

namespace {

std::string operand_text(const ir::TileOperand& operand) {
  if (const auto* region = std::get_if<ir::Region>(&operand)) return ir::to_string(*region);
  const auto* value = std::get_if<Expr>(&operand);
  return value != nullptr ? ir::to_string(*value) : std::string("None");
}

std::string config_text(const ir::ConfigValue& value) {
  return std::visit(ir::Match{
                        [](bool b) { return std::string(b ? "True" : "False"); },
                        [](const std::string& s) { return fmt::format("\"{}\"", s); },
                        [](const std::vector<std::int64_t>&) { return std::string("…"); },
                        [](const Expr& e) { return ir::to_string(e); },
                        [](const auto& number) { return fmt::format("{}", number); },
                    },
                    value);
}

std::string tile_text(const ir::TileCall& call) {
  std::string out = fmt::format("{}(", ir::spec(call.op).name);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (std::holds_alternative<std::monostate>(call.operands[i])) continue;
    if (i >= ir::kFirstGemmScale && call.op == ir::TileOp::gemm)
      out += fmt::format(", {}=", ir::kGemmScales[i - ir::kFirstGemmScale]);
    else if (i > 0)
      out += ", ";
    out += operand_text(call.operands[i]);
  }
  for (const auto& [key, value] : call.config)
    out += fmt::format(", {}={}", key, config_text(value));
  return out + ")";
}

std::string line(const Stmt& stmt) {
  const auto block = [](const std::string& head, const Body& body) {
    return head + ": " + (body.empty() ? std::string("(nothing)") : line(body.front())) +
           (body.size() > 1 ? " …" : "");
  };
  return std::visit(
      ir::Match{
          [](const ir::Let& s) {
            return fmt::format("{} = {}", s.var->name, ir::to_string(s.value));
          },
          [](const ir::Allocate& s) { return fmt::format("allocate {}", s.buffer->name); },
          [](const ir::Declare& s) { return fmt::format("declare {}", s.buffer->name); },
          [](const ir::Store& s) {
            const Expr place = ir::make_expr(s.value->type, {}, ir::Load{s.to});
            return fmt::format("{} = {}", ir::to_string(place), ir::to_string(s.value));
          },
          [&](const ir::For& s) {
            return block(fmt::format("for {} in range({}, {})", s.var->name, ir::to_string(s.begin),
                                     ir::to_string(s.end)),
                         s.body);
          },
          [&](const ir::While& s) { return block("while " + ir::to_string(s.condition), s.body); },
          [&](const ir::If& s) { return block("if " + ir::to_string(s.condition), s.then_body); },
          [](const ir::Assert& s) { return "assert " + ir::to_string(s.condition); },
          [](const ir::Evaluate& s) { return ir::to_string(s.call); },
          [](const ir::TileCall& s) { return tile_text(s); },
          [](const ir::Group& s) { return s.comment; },
          [](const ir::Break&) { return std::string("break"); },
          [](const ir::Continue&) { return std::string("continue"); },
          [](const ir::Return&) { return std::string("return"); },
      },
      stmt.node);
}

}  // namespace

std::string describe(const Body& body) {
  std::string out;
  for (const Stmt& stmt : body) {
    if (std::holds_alternative<ir::Declare>(stmt.node)) continue;
    out += (out.empty() ? "" : "; ") + line(stmt);
  }
  return out.empty() ? "(nothing)" : out;
}

void Places::statement(std::string_view kind,
                       std::size_t n,
                       const Stmt& stmt,
                       const StmtEdit& edit) {
  whole(kind, stmt.span, describe({stmt}), describe(edit(stmt)),
        [n, edit](const ir::Kernel& kernel) { return with_statement(kernel, n, edit); });
}

void Places::expression(
    std::string_view kind, std::size_t n, const Expr& expr, Span span, const ExprEdit& edit) {
  whole(kind, span, ir::to_string(expr), ir::to_string(edit(expr)),
        [n, edit](const ir::Kernel& kernel) { return with_expression(kernel, n, edit); });
}

void Places::whole(std::string_view kind,
                   Span span,
                   std::string before,
                   std::string after,
                   std::function<ir::Kernel(const ir::Kernel&)> apply) {
  const auto kinds = mutation_kinds();
  TIRX_CHECK(std::any_of(kinds.begin(), kinds.end(),
                         [kind](const MutationKind& row) { return row.name == kind; }));
  found_.push_back({std::string(kind), span, std::move(before), std::move(after), std::move(apply),
                    ordinals_[{kind, span.begin, span.end}]++});
}

Expr scalar(ScalarOp op, const Expr& a, const Expr& b) {
  const ir::Type type = num::row(op).result == num::ResultRule::boolean ? ir::kBool : a->type;
  return ir::make_expr(type, a->span, ir::Scalar{op, {a, b}});
}

Expr same_type(std::int64_t value, const Expr& like) {
  return ir::make_int(value, like->type, like->span);
}

Expr extent_like(const Expr& extent, const Expr& index) {
  if (extent->type == index->type) return extent;
  std::int64_t known = 0;
  if (ir::is_const_int(extent, known)) return same_type(known, index);
  return ir::make_expr(index->type, extent->span, ir::Cast{extent});
}

Expr shifted(const Expr& index, const Expr& step, const Expr& extent) {
  return scalar(ScalarOp::floormod, scalar(ScalarOp::add, index, extent_like(step, index)),
                extent_like(extent, index));
}

const ir::MachineCall* call_of(const Stmt& stmt) {
  if (const auto* s = std::get_if<ir::Evaluate>(&stmt.node))
    return ir::as<ir::MachineCall>(s->call);
  if (const auto* s = std::get_if<ir::Store>(&stmt.node)) return ir::as<ir::MachineCall>(s->value);
  if (const auto* s = std::get_if<ir::Let>(&stmt.node)) return ir::as<ir::MachineCall>(s->value);
  return nullptr;
}

Stmt with_call(const Stmt& stmt, ir::MachineCall call) {
  Stmt out = stmt;
  const auto put = [&](Expr& expr) {
    expr = ir::make_expr(expr->type, expr->span, std::move(call));
  };
  if (auto* s = std::get_if<ir::Evaluate>(&out.node)) put(s->call);
  if (auto* s = std::get_if<ir::Store>(&out.node)) put(s->value);
  if (auto* s = std::get_if<ir::Let>(&out.node)) put(s->value);
  return out;
}

bool is_global(const ir::BufferNode& buffer) {
  return buffer.scope() == ir::MemoryScope::global;
}

bool is_zero(const Expr& value) {
  std::int64_t integer = 0;
  if (ir::is_const_int(value, integer)) return integer == 0;
  if (const auto* cast = ir::as<ir::Cast>(value)) return is_zero(cast->value);
  const ir::Const* literal = ir::as_const(value);
  return literal != nullptr && literal->bits == 0;
}

bool holds_scales(const ir::BufferNode& buffer) {
  if (buffer.layout && buffer.layout->tile.has_broadcast()) return true;
  std::string name = buffer.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.starts_with("sf") || name.find("scale") != std::string::npos || name == "sa" ||
         name == "sb";
}

Body only_where(const Expr& condition, const Stmt& stmt) {
  return {Stmt{stmt.span, ir::If{condition, {stmt}, {}}}};
}

ThreadDependence::ThreadDependence(const ir::Kernel& kernel) {
  for (const ir::ScopeIdDef& def : kernel.scope_ids) {
    const bool in_cta = ir::facts_of(def.kind).parent <= ir::ExecScope::cta;
    for (const ir::Var& var : def.vars) {
      if (in_cta) variables_.insert(var.get());
    }
  }
  // Twice: what a loop carries comes round once.
  for (int pass = 0; pass < 2; ++pass) {
    ir::for_each_in_body(
        kernel.body,
        [this](const Stmt& stmt) {
          if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
            if (of(let->value)) variables_.insert(let->var.get());
          } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
            if (store->to.buffer->scalar && of(store->value))
              scalars_.insert(store->to.buffer->storage.get());
          }
        },
        [](const Expr&) {});
  }
}

bool ThreadDependence::of(const Expr& expr) const {
  bool found = false;
  ir::for_each_expr(expr, [&](const Expr& e) {
    if (const auto* var = ir::as<ir::VarRef>(e))
      found = found || variables_.contains(var->var.get());
    if (const auto* load = ir::as<ir::Load>(e))
      found = found || scalars_.contains(load->from.buffer->storage.get());
  });
  return found;
}

bool may_repeat(const ir::For& loop) {
  std::int64_t begin = 0, end = 0;
  const bool known = ir::is_const_int(loop.begin, begin) && ir::is_const_int(loop.end, end);
  // Their distance may be no int64.
  return !known || (end > begin && end - 1 > begin);
}

}  // namespace tirx::fuzz
