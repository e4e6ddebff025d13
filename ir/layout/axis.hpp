// What do the coordinates of a layout count?  A thread axis says which thread (or warp, or CTA)
// holds an element, a memory axis where in its storage the element lies.  The known axes are rows
// of one table; any other name is a memory axis of the user's.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/scope/exec_scope.hpp"

namespace tirx::ir {

enum class AxisId : std::uint8_t {
  m,
  P,
  F,
  Bank,
  TCol,
  TLane,  // memory
  laneid,
  warpid,
  tx,
  tid_in_wg,
  wid_in_wg,
  wgid,  // threads of a CTA
  cta_id,
  cbx,
  cby,
  cbz,
  bx,
  by,
  bz,     // CTAs
  other,  // memory, with a name of its own
};

enum class AxisKind : std::uint8_t { thread, memory };

/// One known axis.  A thread axis counts instances of `subscope` inside one instance of `scope`
/// (laneid: threads in a warp); both are meaningless for memory axes.
struct AxisFacts {
  AxisId id;
  std::string_view name;
  AxisKind kind;
  ExecScope subscope;
  ExecScope scope;
};

class Axis {
 public:
  Axis() = default;

  Axis(AxisId id) : id_(id) {}  // NOLINT(google-explicit-constructor): an AxisId is the axis

  /// Any name: a known one gives the known axis, every other a memory axis of that name.
  [[nodiscard]] static Axis named(std::string_view name);

  [[nodiscard]] AxisId id() const { return id_; }

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] const AxisFacts& facts() const;

  [[nodiscard]] bool is_thread() const { return facts().kind == AxisKind::thread; }

  [[nodiscard]] bool is_memory() const { return !is_thread(); }

  friend bool operator==(const Axis&, const Axis&) = default;

  friend std::strong_ordering operator<=>(const Axis& a, const Axis& b) {
    return a.name().compare(b.name()) <=> 0;
  }

 private:
  AxisId id_ = AxisId::m;
  std::string other_;  // the name when id_ == other
};

/// The known axis of that name, if there is one (`from tvm.tirx.layout import laneid` binds these).
[[nodiscard]] std::optional<AxisId> find_axis(std::string_view name);

}  // namespace tirx::ir
