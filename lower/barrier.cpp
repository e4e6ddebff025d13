#include "lower/barrier.hpp"

#include "ir/all_ops.hpp"
#include "ir/simplify.hpp"

namespace tirx::lower {

namespace {

template <typename Op>
ir::Stmt call(Span span, std::vector<ir::Expr> args) {
  return {span,
          ir::Evaluate{ir::make_expr(
              ir::kVoid, span, ir::MachineCall{ir::AllOps::id_of<Op>(), std::move(args), {}})}};
}

}  // namespace

void add_barrier(const Site& site, ir::Body& body) {
  switch (site.scope) {
    case ir::ExecScope::warp:
      body.push_back(call<ir::WarpSync>(site.span, {}));
      return;
    case ir::ExecScope::warpgroup: {
      const ir::IndexSum warpgroup = ir::IndexSum::of(site.thread_in_cta, site.facts)
                                         .floordiv(ir::kThreadsPerWarpgroup, site.facts);
      body.push_back(call<ir::NamedBarrierSync>(
          site.span, {warpgroup.plus(kFirstWarpgroupBarrier).to_expr(ir::kInt32),
                      ir::make_int(ir::kThreadsPerWarpgroup)}));
      return;
    }
    case ir::ExecScope::cta:
      body.push_back(call<ir::CtaSync>(site.span, {}));
      return;
    default:
      return;
  }
}

}  // namespace tirx::lower
