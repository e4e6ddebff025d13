// Wrong values, indices, bounds and layouts.
#include "fuzz/mutate/mutations.hpp"

#include <algorithm>
#include <cctype>

#include "fuzz/mutate/rewrite.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using ir::Kernel;
using ir::Stmt;
using num::ScalarOp;

Expr scalar(ScalarOp op, const Expr& a, const Expr& b) {
  const ir::Type type = num::row(op).result == num::ResultRule::boolean ? ir::kBool : a->type;
  return ir::make_expr(type, a->span, ir::Scalar{op, {a, b}});
}

Expr same_type(std::int64_t value, const Expr& like) {
  return ir::make_int(value, like->type, like->span);
}

/// By its layout (one place for many coordinates) or, where it has none, by its name.
bool holds_scales(const ir::BufferNode& buffer) {
  if (buffer.layout) {
    for (const ir::Iter& iter : buffer.layout->tile.shard()) {
      if (iter.stride == 0 && iter.extent > 1) return true;
    }
  }
  std::string name = buffer.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.starts_with("sf") || name.find("scale") != std::string::npos || name == "sa" ||
         name == "sb";
}

bool is_global(const ir::BufferNode& buffer) {
  return buffer.scope() == ir::MemoryScope::global;
}

class Finder {
 public:
  explicit Finder(const Kernel& kernel) : kernel_(kernel) {}

  std::vector<Mutation> run() {
    number_statements(kernel_, [this](std::size_t n, const Stmt& stmt) { statement(n, stmt); });
    number_expressions(kernel_, [this](std::size_t n, const Expr& expr, const Stmt& in) {
      expression(n, expr, in);
    });
    missing_tile();
    return std::move(found_);
  }

 private:
  void add_statement(const std::string& kind, std::size_t n, Span span, const StmtEdit& edit) {
    found_.push_back(
        {kind, span, [n, edit](const Kernel& kernel) { return with_statement(kernel, n, edit); }});
  }

  void add_expression(const std::string& kind, std::size_t n, Span span, const ExprEdit& edit) {
    found_.push_back(
        {kind, span, [n, edit](const Kernel& kernel) { return with_expression(kernel, n, edit); }});
  }

  void statement(std::size_t n, const Stmt& stmt) {
    if (const auto* loop = std::get_if<ir::For>(&stmt.node)) one_trip_less(n, stmt, *loop);
    if (const auto* branch = std::get_if<ir::If>(&stmt.node)) without_guard(n, stmt, *branch);
    if (const auto* store = std::get_if<ir::Store>(&stmt.node)) store_mutations(n, stmt, *store);
    if (const auto* call = std::get_if<ir::TileCall>(&stmt.node)) {
      for (std::size_t i = 0; i < call->operands.size(); ++i) plain_layout(n, stmt, *call, i);
      add_statement("tile operation missing", n, stmt.span, [](const Stmt&) { return ir::Body{}; });
    }
  }

  void one_trip_less(std::size_t n, const Stmt& stmt, const ir::For& loop) {
    std::int64_t begin = 0, end = 0;
    const bool known = ir::is_const_int(loop.begin, begin) && ir::is_const_int(loop.end, end);
    if (known && end - begin < 2) return;
    bool nested = false;
    for (const Stmt& inner : loop.body)
      nested = nested || std::holds_alternative<ir::For>(inner.node);
    add_statement(nested ? "last block of a loop missing" : "last trip of a loop missing", n,
                  stmt.span, [](const Stmt& old) {
                    Stmt changed = old;
                    auto& changed_loop = std::get<ir::For>(changed.node);
                    const Expr step =
                        changed_loop.step ? changed_loop.step : same_type(1, changed_loop.end);
                    changed_loop.end = scalar(ScalarOp::sub, changed_loop.end, step);
                    return ir::Body{changed};
                  });
  }

  void without_guard(std::size_t n, const Stmt& stmt, const ir::If& branch) {
    if (!branch.else_body.empty()) return;
    const auto* test = ir::as<ir::Scalar>(branch.condition);
    if (test == nullptr || (test->op != ScalarOp::lt && test->op != ScalarOp::le)) return;
    add_statement("guard missing", n, stmt.span,
                  [](const Stmt& old) { return std::get<ir::If>(old.node).then_body; });
  }

  void store_mutations(std::size_t n, const Stmt& stmt, const ir::Store& store) {
    const ir::BufferNode& buffer = *store.to.buffer;
    std::int64_t value = 0;
    const auto* literal = ir::as_const(store.value);
    const bool zero = ir::is_const_int(store.value, value)
                          ? value == 0
                          : literal != nullptr && literal->bits == 0;
    if (zero && buffer.scope() == ir::MemoryScope::local) {
      add_statement("accumulator not cleared", n, stmt.span,
                    [](const Stmt&) { return ir::Body{}; });
    }
    if (!is_global(buffer) || store.to.indices.empty()) return;
    std::int64_t rows = 0;
    if (ir::is_const_int(buffer.shape[0], rows) && rows > 1) {
      add_statement("last row unwritten", n, stmt.span, [rows](const Stmt& old) {
        const auto& inner = std::get<ir::Store>(old.node);
        const Expr row = inner.to.indices[0];
        return ir::Body{
            Stmt{old.span, ir::If{scalar(ScalarOp::ne, row, same_type(rows - 1, row)), {old}, {}}}};
      });
    }
    std::int64_t columns = 0;
    if (ir::is_const_int(buffer.shape.back(), columns) && columns % 2 == 0) {
      add_statement("neighbouring columns swapped", n, stmt.span, [](const Stmt& old) {
        Stmt changed = old;
        Expr& column = std::get<ir::Store>(changed.node).to.indices.back();
        column = scalar(ScalarOp::bit_xor, column, same_type(1, column));
        return ir::Body{changed};
      });
    }
  }

  /// The same storage through the layout without its swizzle, at this one access.
  void plain_layout(std::size_t n, const Stmt& stmt, const ir::TileCall& call, std::size_t i) {
    const auto* region = std::get_if<ir::Region>(&call.operands[i]);
    if (region == nullptr || !region->buffer->layout || !region->buffer->layout->swizzle) return;
    add_statement("wrong swizzle", n, stmt.span, [i](const Stmt& old) {
      Stmt changed = old;
      auto& operand = std::get<ir::Region>(std::get<ir::TileCall>(changed.node).operands[i]);
      auto plain = std::make_shared<ir::BufferNode>(*operand.buffer);
      plain->layout->swizzle.reset();
      plain->is_view = true;
      operand.buffer = plain;
      return ir::Body{Stmt{old.span, ir::Declare{plain}}, changed};
    });
  }

  void expression(std::size_t n, const Expr& expr, const Stmt& in) {
    const Span span = expr->span.empty() ? in.span : expr->span;
    if (const auto* load = ir::as<ir::Load>(expr);
        load != nullptr && holds_scales(*load->from.buffer))
      scale_mutations(n, *load, span);
    if (const auto* cast = ir::as<ir::Cast>(expr)) rounding(n, expr, *cast, span);
    const auto* operation = ir::as<ir::Scalar>(expr);
    if (operation == nullptr) return;
    if (operation->op == ScalarOp::floordiv || operation->op == ScalarOp::truncdiv)
      floor_for_ceil(n, *operation, span);
    if (operation->op == ScalarOp::mul && num::is_float(expr->type.dtype))
      twice(n, *operation, span);
  }

  void scale_mutations(std::size_t n, const ir::Load& load, Span span) {
    const ir::BufferNode& buffer = *load.from.buffer;
    const auto with_index = [&](const std::string& kind, std::size_t dim,
                                const std::function<Expr(const Expr&, const Expr&)>& change) {
      add_expression(kind, n, span, [dim, change](const Expr& old) {
        ir::Load changed = *ir::as<ir::Load>(old);
        Expr& index = changed.from.indices[dim];
        Expr extent = changed.from.buffer->shape[dim];
        if (extent->type != index->type)
          extent = ir::make_expr(index->type, extent->span, ir::Cast{extent});
        index = change(index, extent);
        return ir::make_expr(old->type, old->span, changed);
      });
    };
    for (std::size_t dim = 0; dim < load.from.indices.size(); ++dim) {
      std::int64_t extent = 0;
      if (ir::is_const_int(buffer.shape[dim], extent) && extent < 2) continue;
      with_index("scale index shifted", dim, [](const Expr& index, const Expr& size) {
        return scalar(ScalarOp::floormod, scalar(ScalarOp::add, index, same_type(1, index)), size);
      });
      with_index("scale of the first block of four", dim, [](const Expr& index, const Expr&) {
        const Expr four = same_type(4, index);
        return scalar(ScalarOp::mul, scalar(ScalarOp::floordiv, index, four), four);
      });
      with_index("scale of the block before", dim, [](const Expr& index, const Expr&) {
        return scalar(ScalarOp::max, scalar(ScalarOp::sub, index, same_type(1, index)),
                      same_type(0, index));
      });
    }
    if (load.from.indices.size() == 2) {
      add_expression("scale transposed", n, span, [](const Expr& old) {
        ir::Load changed = *ir::as<ir::Load>(old);
        std::vector<Expr>& at = changed.from.indices;
        const std::vector<Expr>& shape = changed.from.buffer->shape;
        std::swap(at[0], at[1]);
        for (std::size_t d = 0; d < 2; ++d) {
          Expr extent = shape[d];
          if (extent->type != at[d]->type)
            extent = ir::make_expr(at[d]->type, extent->span, ir::Cast{extent});
          at[d] = scalar(ScalarOp::floormod, at[d], extent);
        }
        return ir::make_expr(old->type, old->span, changed);
      });
    }
  }

  /// bfloat16 by cutting the float32 short.
  void rounding(std::size_t n, const Expr& expr, const ir::Cast& cast, Span span) {
    if (expr->type.dtype != num::DType::bf16 || cast.value->type.dtype != num::DType::f32 ||
        expr->type.lanes != 1)
      return;
    add_expression("rounded toward zero", n, span, [](const Expr& old) {
      const ir::Type bits{num::DType::u32, 1};
      const Expr raw =
          ir::make_expr(bits, old->span, ir::Reinterpret{ir::as<ir::Cast>(old)->value});
      const Expr cut = ir::make_expr(
          bits, old->span,
          ir::Scalar{ScalarOp::bit_and, {raw, ir::make_int(0xffff0000, bits, old->span)}});
      const Expr value = ir::make_expr({num::DType::f32, 1}, old->span, ir::Reinterpret{cut});
      return ir::make_expr(old->type, old->span, ir::Cast{value});
    });
  }

  /// (x + n - 1) // n  ->  x // n
  void floor_for_ceil(std::size_t n, const ir::Scalar& division, Span span) {
    std::int64_t divisor = 0, added = 0;
    const auto* sum = ir::as<ir::Scalar>(division.args[0]);
    if (sum == nullptr || sum->op != ScalarOp::add) return;
    if (!ir::is_const_int(division.args[1], divisor) || !ir::is_const_int(sum->args[1], added))
      return;
    if (divisor < 2 || added != divisor - 1) return;
    add_expression("floor for ceil", n, span, [](const Expr& old) {
      const auto& whole = *ir::as<ir::Scalar>(old);
      return scalar(whole.op, ir::as<ir::Scalar>(whole.args[0])->args[0], whole.args[1]);
    });
  }

  /// x * scale  ->  x * scale * scale
  void twice(std::size_t n, const ir::Scalar& product, Span span) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto* load = ir::as<ir::Load>(product.args[i]);
      if (load == nullptr || !holds_scales(*load->from.buffer)) continue;
      add_expression("scaled twice", n, span, [i](const Expr& old) {
        return scalar(ScalarOp::mul, old, ir::as<ir::Scalar>(old)->args[i]);
      });
      add_expression("not scaled", n, span,
                     [i](const Expr& old) { return ir::as<ir::Scalar>(old)->args[1 - i]; });
    }
  }

  /// The first CTA of the grid does nothing.
  void missing_tile() {
    for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
      if (def.kind != ir::ScopeIdKind::cta_id || def.vars.empty()) continue;
      std::int64_t only = 0;
      if (def.extents.size() == 1 && ir::is_const_int(def.extents[0], only) && only == 1) return;
      found_.push_back(
          {"tile missing", def.span, [](const Kernel& kernel) {
             // The kernel of another run has variables of its own.
             Kernel changed = kernel;
             const auto ids = std::find_if(
                 kernel.scope_ids.begin(), kernel.scope_ids.end(), [](const ir::ScopeIdDef& d) {
                   return d.kind == ir::ScopeIdKind::cta_id && !d.vars.empty();
                 });
             Expr first;
             for (const ir::Var& id : ids->vars) {
               const Expr x = ir::make_var(id);
               const Expr here = scalar(ScalarOp::eq, x, same_type(0, x));
               first = first ? ir::make_expr(ir::kBool, {}, ir::And{first, here}) : here;
             }
             changed.body.insert(changed.body.begin(),
                                 Stmt{{}, ir::If{first, {Stmt{{}, ir::Return{}}}, {}}});
             return changed;
           }});
      return;
    }
  }

  const Kernel& kernel_;
  std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> all_mutations(const Kernel& kernel) {
  std::vector<Mutation> found = synchronisation_mutations(kernel);
  for (Mutation& mutation : Finder(kernel).run()) found.push_back(std::move(mutation));
  return found;
}

}  // namespace tirx::fuzz
