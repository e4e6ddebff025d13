// The table of the known axes, in the order of AxisId.
#include "ir/layout/axis.hpp"

#include <array>
#include <cstddef>

namespace tirx::ir {

namespace {

constexpr AxisFacts memory(AxisId id, std::string_view name) {
  return {id, name, AxisKind::memory, ExecScope::thread, ExecScope::thread};
}

constexpr AxisFacts thread(AxisId id, std::string_view name, ExecScope subscope, ExecScope scope) {
  return {id, name, AxisKind::thread, subscope, scope};
}

// In the order of AxisId.
constexpr std::array kAxes = {
    memory(AxisId::m, "m"),
    memory(AxisId::P, "P"),
    memory(AxisId::F, "F"),
    memory(AxisId::Bank, "Bank"),
    memory(AxisId::TCol, "TCol"),
    memory(AxisId::TLane, "TLane"),
    thread(AxisId::laneid, "laneid", ExecScope::thread, ExecScope::warp),
    thread(AxisId::warpid, "warpid", ExecScope::warp, ExecScope::cta),
    thread(AxisId::tx, "tx", ExecScope::thread, ExecScope::cta),
    thread(AxisId::tid_in_wg, "tid_in_wg", ExecScope::thread, ExecScope::warpgroup),
    thread(AxisId::wid_in_wg, "wid_in_wg", ExecScope::warp, ExecScope::warpgroup),
    thread(AxisId::wgid, "wgid", ExecScope::warpgroup, ExecScope::cta),
    thread(AxisId::cta_id, "cta_id", ExecScope::cta, ExecScope::cluster),
    thread(AxisId::cbx, "cbx", ExecScope::cta, ExecScope::cluster),
    thread(AxisId::cby, "cby", ExecScope::cta, ExecScope::cluster),
    thread(AxisId::cbz, "cbz", ExecScope::cta, ExecScope::cluster),
    thread(AxisId::bx, "bx", ExecScope::cta, ExecScope::kernel),
    thread(AxisId::by, "by", ExecScope::cta, ExecScope::kernel),
    thread(AxisId::bz, "bz", ExecScope::cta, ExecScope::kernel),
    memory(AxisId::other, ""),
};

consteval bool in_enum_order() {
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    if (static_cast<std::size_t>(kAxes[i].id) != i) return false;
  }
  return kAxes.size() == static_cast<std::size_t>(AxisId::other) + 1;
}

static_assert(in_enum_order());

}  // namespace

std::optional<AxisId> find_axis(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const AxisFacts& axis : kAxes) {
    if (axis.name == name) return axis.id;
  }
  return std::nullopt;
}

Axis Axis::named(std::string_view name) {
  if (const auto id = find_axis(name)) return *id;
  Axis axis(AxisId::other);
  axis.other_ = name;
  return axis;
}

std::string_view Axis::name() const {
  return id_ == AxisId::other ? std::string_view(other_) : facts().name;
}

const AxisFacts& Axis::facts() const {
  return kAxes[static_cast<std::size_t>(id_)];
}

}  // namespace tirx::ir
