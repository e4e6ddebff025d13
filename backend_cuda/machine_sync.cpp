// Barriers and fences (PTX ISA, "Parallel Synchronization and Communication Instructions").
#include "backend_cuda/machine.hpp"

namespace tirx::cuda {

Text emit_op(ir::CtaSync, const MachineSite&) {
  return {"__syncthreads()"};
}

Text emit_op(ir::WarpSync, const MachineSite& site) {
  return site.count() == 0 ? Text{"__syncwarp()"} : call("__syncwarp", site.mask(0));
}

Text emit_op(ir::NamedBarrierSync, const MachineSite& site) {
  if (site.count() == 1) return call("tirx_bar_sync_all", site.arg(0));
  return call("tirx_bar_sync", site.arg(0), site.arg(1));
}

Text emit_op(ir::NamedBarrierArrive, const MachineSite& site) {
  return call("tirx_bar_arrive", site.arg(0), site.arg(1));
}

Text emit_op(ir::ClusterArrive, const MachineSite&) {
  return {"tirx_cluster_arrive()"};
}

Text emit_op(ir::ClusterWait, const MachineSite&) {
  return {"tirx_cluster_wait()"};
}

Text emit_op(ir::MbarrierWait, const MachineSite& site) {
  return call(site.emitter.target().sm >= 90 ? "tirx_mbarrier_wait" : "tirx_mbarrier_poll",
              site.arg(0), site.arg(1));
}

Text emit_op(ir::ThreadFence, const MachineSite& site) {
  const std::string& scope = site.call.text;
  if (scope == "cta") return {"__threadfence_block()"};
  if (scope.empty() || scope == "gpu") return {"__threadfence()"};
  if (scope == "sys") return {"__threadfence_system()"};
  TIRX_CHECK(scope == "cluster");
  return {"tirx_fence_cluster()"};
}

}  // namespace tirx::cuda
