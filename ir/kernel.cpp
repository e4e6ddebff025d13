#include "ir/kernel.hpp"

namespace tirx::ir {

std::string_view to_string(ScopeIdKind kind) {
  switch (kind) {
    case ScopeIdKind::cta_id:
      return "cta_id";
    case ScopeIdKind::cluster_id:
      return "cluster_id";
    case ScopeIdKind::cta_id_in_cluster:
      return "cta_id_in_cluster";
    case ScopeIdKind::cta_id_in_pair:
      return "cta_id_in_pair";
    case ScopeIdKind::warpgroup_id:
      return "warpgroup_id";
    case ScopeIdKind::warp_id:
      return "warp_id";
    case ScopeIdKind::warp_id_in_wg:
      return "warp_id_in_wg";
    case ScopeIdKind::lane_id:
      return "lane_id";
    case ScopeIdKind::thread_id:
      return "thread_id";
    case ScopeIdKind::thread_id_in_wg:
      return "thread_id_in_wg";
  }
  return "";
}

}  // namespace tirx::ir
