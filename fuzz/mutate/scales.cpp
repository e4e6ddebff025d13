// Scales of the wrong block, the wrong axis, applied twice or not at all.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "fuzz/mutate/places.hpp"
#include "ir/gemm_scales.hpp"
#include "ir/print.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using ir::Stmt;
using num::ScalarOp;

/// An index of a scale, changed: index and step (how far the next block is), and the extent.
struct IndexChange {
  std::string_view kind;
  Expr (*change)(const Expr& index, const Expr& step, const Expr& extent);
};

constexpr IndexChange kIndexChanges[] = {
    {"scale index shifted", shifted},
    {"scale of the first block of four",
     [](const Expr& index, const Expr& step, const Expr&) {
       std::int64_t block = 1;
       (void)ir::is_const_int(step, block);
       const Expr four = same_type(4 * block, index);
       return scalar(ScalarOp::mul, scalar(ScalarOp::floordiv, index, four), four);
     }},
    {"scale of the block before",
     [](const Expr& index, const Expr& step, const Expr&) {
       return scalar(ScalarOp::max, scalar(ScalarOp::sub, index, extent_like(step, index)),
                     same_type(0, index));
     }},
};

/// How many coordinates of a dimension share one scale, by the layout; 1 where it does not say.
std::int64_t granularity(const ir::BufferNode& buffer, std::size_t dim) {
  if (!buffer.layout) return 1;
  const ir::Iters& shard = buffer.layout->tile.shard();
  // CuTe's form, ((blocks, block), …): the block is the dimension's last digit.
  if (shard.size() != 2 * buffer.shape.size()) return 1;
  const ir::Iter& block = shard[2 * dim + 1];
  return block.stride == 0 ? block.extent : 1;
}

/// Whether the value is made of scales alone: a load, its cast, its name, a product of them.
class ScaleValues {
 public:
  explicit ScaleValues(const ir::Kernel& kernel) {
    number_statements(kernel, [this](std::size_t, const Stmt& stmt) {
      const auto* let = std::get_if<ir::Let>(&stmt.node);
      if (let != nullptr && is_scale(let->value)) names_.insert(let->var.get());
    });
  }

  [[nodiscard]] bool is_scale(const Expr& expr) const {
    if (const auto* load = ir::as<ir::Load>(expr)) return holds_scales(*load->from.buffer);
    if (const auto* cast = ir::as<ir::Cast>(expr)) return is_scale(cast->value);
    if (const auto* var = ir::as<ir::VarRef>(expr)) return names_.contains(var->var.get());
    const auto* product = ir::as<ir::Scalar>(expr);
    return product != nullptr && product->op == ScalarOp::mul && is_scale(product->args[0]) &&
           is_scale(product->args[1]);
  }

 private:
  std::set<const ir::Variable*> names_;
};

/// The load with index `dim` changed.
Expr with_index(const Expr& old,
                std::size_t dim,
                const std::function<Expr(const Expr&, const Expr&, const Expr&)>& change) {
  ir::Load changed = *ir::as<ir::Load>(old);
  const ir::BufferNode& buffer = *changed.from.buffer;
  Expr& index = changed.from.indices[dim];
  index = change(index, same_type(granularity(buffer, dim), index),
                 extent_like(buffer.shape[dim], index));
  return ir::make_expr(old->type, old->span, std::move(changed));
}

void wrong_block(Places& places, std::size_t n, const Expr& expr, Span span) {
  const ir::Load& load = *ir::as<ir::Load>(expr);
  const ir::BufferNode& buffer = *load.from.buffer;
  for (std::size_t dim = 0; dim < load.from.indices.size(); ++dim) {
    std::int64_t extent = 0;
    if (ir::is_const_int(buffer.shape[dim], extent) && extent <= granularity(buffer, dim)) continue;
    for (const IndexChange& row : kIndexChanges) {
      places.expression(row.kind, n, expr, span, [dim, change = row.change](const Expr& old) {
        return with_index(old, dim, change);
      });
    }
    const auto* sum = ir::as<ir::Scalar>(load.from.indices[dim]);
    for (std::size_t keep = 0; sum != nullptr && sum->op == ScalarOp::add && keep < 2; ++keep) {
      places.expression("offset of a scale dropped", n, expr, span, [dim, keep](const Expr& old) {
        return with_index(old, dim, [keep](const Expr& index, const Expr&, const Expr&) {
          return ir::as<ir::Scalar>(index)->args[keep];
        });
      });
    }
  }
  if (load.from.indices.size() != 2) return;
  places.expression("scale transposed", n, expr, span, [](const Expr& old) {
    ir::Load changed = *ir::as<ir::Load>(old);
    std::vector<Expr>& at = changed.from.indices;
    std::swap(at[0], at[1]);
    for (std::size_t d = 0; d < 2; ++d) {
      at[d] = scalar(ScalarOp::floormod, at[d], extent_like(changed.from.buffer->shape[d], at[d]));
    }
    return ir::make_expr(old->type, old->span, std::move(changed));
  });
}

Expr expression_at(const ir::Kernel& kernel, std::size_t wanted) {
  Expr found;
  number_expressions(kernel, [&](std::size_t n, const Expr& expr, const Stmt&) {
    if (n == wanted) found = expr;
  });
  return found;
}

Expr along(const Expr& load, const Expr& other) {
  const Expr index = ir::as<ir::Load>(other)->from.indices[0];
  return with_index(load, 0, [&](const Expr&, const Expr&, const Expr& extent) {
    return scalar(ScalarOp::floormod, index, extent_like(extent, index));
  });
}

/// Where a scale of A and a scale of B are read, each takes the row of the other.
void other_axis(Places& places) {
  struct Place {
    std::size_t n;
    Expr load;
    Span span;
  };

  std::vector<Place> loads;
  number_expressions(places.kernel(), [&](std::size_t n, const Expr& expr, const Stmt& in) {
    const auto* load = ir::as<ir::Load>(expr);
    if (load != nullptr && holds_scales(*load->from.buffer) && load->from.indices.size() == 2)
      loads.push_back({n, expr, expr->span.empty() ? in.span : expr->span});
  });
  for (const Place& place : loads) {
    const auto buffer = [](const Place& p) { return ir::as<ir::Load>(p.load)->from.buffer; };
    // The nearest one of the other tensor.
    const Place* other = nullptr;
    for (const Place& candidate : loads) {
      if (buffer(candidate) == buffer(place)) continue;
      const auto distance = [&](const Place& p) {
        return p.n > place.n ? p.n - place.n : place.n - p.n;
      };
      if (other == nullptr || distance(candidate) < distance(*other)) other = &candidate;
    }
    if (other == nullptr) continue;
    places.whole("scale along the other axis", place.span, ir::to_string(place.load),
                 ir::to_string(along(place.load, other->load)),
                 [n = place.n, m = other->n](const ir::Kernel& kernel) {
                   const Expr source = expression_at(kernel, m);
                   return with_expression(kernel, n,
                                          [&](const Expr& old) { return along(old, source); });
                 });
  }
}

/// x * scale  ->  x * scale * scale, x;  fma(scale, x, acc)  ->  x + acc
void products(
    Places& places, const ScaleValues& values, std::size_t n, const Expr& expr, Span span) {
  const auto* operation = ir::as<ir::Scalar>(expr);
  if (operation == nullptr || !num::is_float(expr->type.dtype)) return;
  const bool product = operation->op == ScalarOp::mul, fused = operation->op == ScalarOp::fma;
  if (!product && !fused) return;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!values.is_scale(operation->args[i])) continue;
    places.expression("not scaled", n, expr, span, [i, fused](const Expr& old) {
      const auto& whole = *ir::as<ir::Scalar>(old);
      return fused ? scalar(ScalarOp::add, whole.args[1 - i], whole.args[2]) : whole.args[1 - i];
    });
    if (fused) continue;
    places.expression("scaled twice", n, expr, span, [i](const Expr& old) {
      return scalar(ScalarOp::mul, old, ir::as<ir::Scalar>(old)->args[i]);
    });
  }
}

/// SFA= and SFB= of gemm: whole tiles of scales.
void of_gemm(Places& places, std::size_t n, const Stmt& stmt) {
  const auto* call = std::get_if<ir::TileCall>(&stmt.node);
  if (call == nullptr || call->op != ir::TileOp::gemm) return;
  for (std::size_t i = ir::kFirstGemmScale; i < call->operands.size(); ++i) {
    const auto* region = std::get_if<ir::Region>(&call->operands[i]);
    for (std::size_t dim = 0; region != nullptr && dim < region->ranges.size(); ++dim) {
      std::int64_t extent = 0, size = 0;
      if (!ir::is_const_int(region->ranges[dim].extent, extent) ||
          !ir::is_const_int(region->buffer->shape[dim], size) || size <= extent)
        continue;
      for (const IndexChange& row : kIndexChanges) {
        places.statement(row.kind, n, stmt, [i, dim, change = row.change](const Stmt& old) {
          Stmt changed = old;
          auto& scales = std::get<ir::Region>(std::get<ir::TileCall>(changed.node).operands[i]);
          ir::Range& range = scales.ranges[dim];
          range.begin = change(range.begin, range.extent, scales.buffer->shape[dim]);
          return ir::Body{changed};
        });
      }
    }
  }
}

}  // namespace

void find_scales(Places& places) {
  const ScaleValues values(places.kernel());
  number_expressions(places.kernel(), [&](std::size_t n, const Expr& expr, const Stmt& in) {
    const Span span = expr->span.empty() ? in.span : expr->span;
    const auto* load = ir::as<ir::Load>(expr);
    if (load != nullptr && holds_scales(*load->from.buffer)) wrong_block(places, n, expr, span);
    products(places, values, n, expr, span);
  });
  other_axis(places);
  number_statements(places.kernel(),
                    [&](std::size_t n, const Stmt& stmt) { of_gemm(places, n, stmt); });
}

}  // namespace tirx::fuzz
