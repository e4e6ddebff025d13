// A ring of shared-memory stages or of mbarriers that is used one stage on: loads, pointers of
// instructions, regions of tile calls whose leading index is the same in all threads.
#include "fuzz/mutate/places.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using ir::Stmt;

bool holds_barriers(const ir::BufferNode& buffer) {
  return buffer.dtype == num::DType::u64 && buffer.shape.size() == 1;
}

/// Whether index 0 names a stage: of shared memory, not a constant, the same in all threads.
bool names_stage(const ir::BufferNode& buffer,
                 const Expr& index,
                 const ThreadDependence& per_thread) {
  std::int64_t stages = 0, known = 0;
  if (!ir::is_shared(buffer.scope())) return false;
  if (buffer.shape.size() < 2 && !holds_barriers(buffer)) return false;
  if (!ir::is_const_int(buffer.shape[0], stages) || stages < 2) return false;
  return !ir::is_const_int(index, known) && !per_thread.of(index);
}

Expr next(const Expr& index, const ir::BufferNode& buffer) {
  return shifted(index, same_type(1, index), buffer.shape[0]);
}

}  // namespace

void find_stages(Places& places) {
  const ThreadDependence per_thread(places.kernel());
  number_expressions(places.kernel(), [&](std::size_t n, const Expr& expr, const Stmt& in) {
    const auto* load = ir::as<ir::Load>(expr);
    const auto* address = ir::as<ir::AddressOf>(expr);
    if (load == nullptr && address == nullptr) return;
    const ir::Access& access = load != nullptr ? load->from : address->element;
    if (access.indices.empty() || !names_stage(*access.buffer, access.indices[0], per_thread))
      return;
    places.expression(
        "wrong stage", n, expr, expr->span.empty() ? in.span : expr->span, [](const Expr& old) {
          ir::ExprNode changed = *old;
          auto* from = std::get_if<ir::Load>(&changed.node);
          ir::Access& at =
              from != nullptr ? from->from : std::get<ir::AddressOf>(changed.node).element;
          at.indices[0] = next(at.indices[0], *at.buffer);
          return ir::make_expr_node(std::move(changed));
        });
  });
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    const auto* call = std::get_if<ir::TileCall>(&stmt.node);
    for (std::size_t i = 0; call != nullptr && i < call->operands.size(); ++i) {
      const auto* region = std::get_if<ir::Region>(&call->operands[i]);
      std::int64_t one = 0;
      if (region == nullptr || region->ranges.size() < 2 ||
          !ir::is_const_int(region->ranges[0].extent, one) || one != 1 ||
          !names_stage(*region->buffer, region->ranges[0].begin, per_thread))
        continue;
      places.statement("wrong stage", n, stmt, [i](const Stmt& old) {
        Stmt changed = old;
        auto& wrong = std::get<ir::Region>(std::get<ir::TileCall>(changed.node).operands[i]);
        wrong.ranges[0].begin = next(wrong.ranges[0].begin, *wrong.buffer);
        return ir::Body{changed};
      });
    }
  });
}

}  // namespace tirx::fuzz
