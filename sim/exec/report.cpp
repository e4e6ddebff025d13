#include "sim/exec/report.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/all_ops.hpp"
#include "sim/exec/element.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/roles.hpp"

namespace tirx::sim::exec {

namespace {

std::string_view space_of(const ir::BufferNode& buffer) {
  switch (buffer.scope()) {
    case ir::MemoryScope::global:
      return "global";
    case ir::MemoryScope::local:
      return "local";
    default:
      return "shared";
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

/// Loads, stores and copies read and write; what else is done to memory goes by its name.
bool has_name(const MemSite& site) {
  using Ops = ir::AllOps;
  constexpr std::array kMoves = {Ops::id_of<ir::PtxStore>(), Ops::id_of<ir::StoreRelease>(),
                                 Ops::id_of<ir::PtxStmatrix>(), Ops::id_of<ir::PtxCpAsync>()};
  return site.call != nullptr && site.is_write &&
         std::find(kMoves.begin(), kMoves.end(), site.call->op) == kMoves.end();
}

bool uses_mbarrier(const MemSite& site) {
  return site.call != nullptr && ir::spec(site.call->op).name.find("mbarrier") != std::string::npos;
}

template <typename Site>
std::string_view deed(const Site& site) {
  if constexpr (std::is_same_v<Site, MemSite>) {
    if (has_name(site)) return ir::spec(site.call->op).name;
  }
  return site.is_write ? "write" : "read";
}

/// What becomes of a lane's access outside of its buffer, and the way out.
template <typename Site>
std::string left_out(const Site& site, bool negative) {
  std::string text = site.is_write ? "the store was dropped" : "the load gives poison";
  if constexpr (std::is_same_v<Site, MemSite>) {
    if (has_name(site)) text = fmt::format("this {} was left out", deed(site));
    if (uses_mbarrier(site)) {
      return text + "; the mbarrier of a stage has the stage's number modulo the number of stages";
    }
  }
  return fmt::format("{}; guard it with a condition{}", text,
                     negative ? " (a negative index does not count from the end)" : "");
}

/// The parts that faults at an access share.
template <typename Site>
ir::Fault access_fault(const Site& site, const Warp& w, int lane) {
  ir::Fault fault;
  fault.element = element_text(w, site, lane);
  fault.space = space_of(*site.buffer);
  fault.first.thread = w.cta->where(w, lane);
  fault.first.span = site.place.span;
  fault.first.what = deed(site);
  fault.first.role = w.cta->role_at(site.place);
  return fault;
}

template <typename F>
void with_site(const CheckSite& check, F&& f) {
  if (check.mem != nullptr) {
    f(*check.mem);
  } else if (check.local != nullptr) {
    f(*check.local);
  }
}

}  // namespace

static std::string no_whole_byte(const std::string& element) {
  return fmt::format("the vector {} does not begin with a whole byte", element);
}

/// A vector of 4-bit elements in local memory, beginning with the upper half of a byte.
static void report_halves(const CheckSite& check, Warp& w, std::uint32_t lanes) {
  for_lanes(lanes & ~w.skip, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::align, check.place.id, [&] {
      ir::Fault fault = access_fault(*check.local, w, lane);
      fault.text = no_whole_byte(fault.element);
      fault.notes.push_back({{}, "two elements share a byte: begin at an even index"});
      return fault;
    });
  });
  w.skip |= lanes;
}

void report_index(const CheckSite& check, Warp& w, std::uint32_t lanes) {
  if (check.kind == CheckSite::Kind::align) {
    report_halves(check, w, lanes);
    return;
  }
  for_lanes(lanes & ~w.skip, [&](int lane) {
    with_site(check, [&](const auto& site) {
      w.cta->faults.add(ir::FaultKind::bounds, site.place.id, [&] {
        ir::Fault fault = access_fault(site, w, lane);
        if (!check.index.empty()) {
          fault.element = element_text(w, *site.buffer, check.index, lane);
        }
        fault.text = fmt::format("{} is outside of {}: shape {}", fault.element, site.buffer->name,
                                 shape_text(site.shape));
        const bool negative = fault.element.find("[-") != std::string::npos ||
                              fault.element.find(", -") != std::string::npos;
        fault.notes.push_back({{}, left_out(site, negative)});
        return fault;
      });
    });
  });
  w.skip |= lanes;
}

template <typename Site>
static void outside(const Site& site, Warp& w, std::uint32_t lanes) {
  for_lanes(lanes, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::bounds, site.place.id, [&] {
      ir::Fault fault = access_fault(site, w, lane);
      fault.text = fmt::format("{} is outside of the memory that {} lies in", fault.element,
                               site.buffer->name);
      fault.notes.push_back({site.buffer->span, "the view covers more than its storage holds"});
      return fault;
    });
  });
}

void report_outside(const MemSite& site, Warp& w, std::uint32_t lanes) {
  outside(site, w, lanes);
}

void report_outside(const LocalSite& site, Warp& w, std::uint32_t lanes) {
  outside(site, w, lanes);
}

void report_align(const CheckSite& check, Warp& w, std::uint32_t lanes) {
  const MemSite& site = *check.mem;
  for_lanes(lanes & ~w.skip, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::align, site.place.id, [&] {
      ir::Fault fault = access_fault(site, w, lane);
      const bool vector = site.count > 1;
      const std::int64_t need = site.nibble ? check.hi / 2 : check.hi;
      fault.text = need == 1 ? no_whole_byte(fault.element)
                             : fmt::format("{}{} is not aligned to {} bytes",
                                           vector ? "the vector " : "", fault.element, need);
      const bool is_argument = site.buffer->scope() == ir::MemoryScope::global;
      if (is_argument && site.lo % need != 0) {
        // Whatever the index: the argument is a view into the middle of a tensor.
        fault.notes.push_back({{},
                               fmt::format("the tensor passed for {} begins {} bytes behind such "
                                           "an address: "
                                           "pass a copy of it, t.copy()",
                                           site.buffer->name, site.lo % check.hi)});
      } else {
        fault.notes.push_back(
            {{},
             vector ? "begin at a multiple of the vector's length, or access elements"
                    : fmt::format("{} begins at byte {} of the memory it is a view of",
                                  site.buffer->name, site.lo)});
      }
      return fault;
    });
  });
  w.skip |= lanes;
}

void report_poison(const CheckSite& check, Warp& w, std::uint32_t lanes, std::uint32_t origin) {
  for_lanes(lanes & ~w.skip, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::uninit, check.place.id, [&] {
      ir::Fault fault;
      const Origin& from = w.cta->origins[origin];
      fault.text = fmt::format("{} depends on {}", check.what,
                               from.text.empty() ? "data that was never written" : from.text);
      if (!from.text.empty() && !from.span.empty()) {
        fault.notes.push_back({from.span, "it comes from here"});
      }
      fault.first.thread = w.cta->where(w, lane);
      fault.first.span = check.place.span;
      fault.first.role = w.cta->role_at(check.place);
      fault.first.what = "use";
      with_site(check, [&](const auto& site) {
        fault.space = space_of(*site.buffer);
        fault.first.what = deed(site);
      });
      return fault;
    });
  });
  if (check.mem != nullptr || check.local != nullptr) w.skip |= lanes;
}

void report_division(const CheckSite& check, Warp& w, std::uint32_t lanes) {
  for_lanes(lanes, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::arith, check.place.id, [&] {
      ir::Fault fault;
      fault.text = "integer division by zero";
      fault.first.thread = w.cta->where(w, lane);
      fault.first.span = check.place.span;
      fault.first.role = w.cta->role_at(check.place);
      fault.first.what = "divide";
      fault.notes.push_back({{}, "the result is poison; guard the division with a condition"});
      return fault;
    });
  });
}

void report_overflow(const CheckSite& check, Warp& w, std::uint32_t lanes) {
  for_lanes(lanes & ~w.skip, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::overflow, check.place.id, [&] {
      ir::Fault fault;
      fault.first.what = "computed";
      fault.text = fmt::format("the computation of an index overflows {}", num::name(check.dtype));
      with_site(check, [&](const auto& site) {
        fault.space = space_of(*site.buffer);
        fault.first.what = deed(site);
        fault.text = fmt::format("the computation of an index of {} overflows {}",
                                 site.buffer->name, num::name(check.dtype));
      });
      fault.first.thread = w.cta->where(w, lane);
      fault.first.span = check.place.span;
      fault.first.role = w.cta->role_at(check.place);
      fault.notes.push_back({{}, "compute it in int64"});
      return fault;
    });
  });
  if (check.mem != nullptr || check.local != nullptr) w.skip |= lanes;
}

void remember_poison(const MemSite& site, Warp& w, std::int64_t byte, std::uint32_t origin) {
  const auto key = static_cast<std::uint64_t>(site.region) << 48 | static_cast<std::uint64_t>(byte);
  Cta& cta = *w.cta;
  cta.stored_poison[key] = origin;
  // CTAs in turns may read it before this one has ended.
  const std::vector<BoundTensor>& tensors = cta.machine.binding->tensors;
  if (!cta.takes_turns() || site.region >= tensors.size()) return;
  ir::PoisonOrigins& known = tensors[site.region].memory->origins;
  const auto at = static_cast<std::size_t>(byte);
  if (origin == 0) return known.forget(at);
  const Origin& from = cta.origins[origin];
  const Origin* before = known.at(at);
  if (before != nullptr && before->span == from.span && before->text == from.text) return;
  known.remember(at, std::make_shared<const Origin>(from));
}

/// Whether poison at this byte is a copy in flight; then that is the fault.
static std::optional<std::uint32_t> in_flight_origin(const MemSite& site,
                                                     Warp& w,
                                                     int lane,
                                                     std::int64_t byte) {
  Cta& cta = *w.cta;
  AsyncCopies::Hit hit;
  for (int b = 0; b < site.size && hit.batch == nullptr; ++b) {
    hit = cta.copies.find(cta, site.region, byte + b);
  }
  if (hit.batch == nullptr) return std::nullopt;
  const CallSite& issued = *hit.batch->site;
  cta.faults.add(ir::FaultKind::async, site.place.id, [&] {
    ir::Fault fault = access_fault(site, w, lane);
    fault.text = fmt::format("{} is read while {} is still copying to it", fault.element,
                             issued.instruction->family->opcode);
    fault.second = ir::FaultAccess{cta.where(*hit.warp, hit.lane), issued.place.span, "copy",
                                   cta.role_at(issued.place)};
    std::string help = missing_wait(cta, issued.place, site.place);
    if (help.empty()) {
      help =
          "cp.async.wait_group waits for the thread's own copies; a barrier behind it makes them "
          "visible to others";
    }
    fault.notes.push_back({{}, std::move(help)});
    return fault;
  });
  const auto made = [&](const std::string& what) {
    return Origin{issued.place.span, fmt::format("{}, to which {} was still copying", what,
                                                 issued.instruction->family->opcode)};
  };
  return cta.origin_at(
      issued.place.id, static_cast<std::uint64_t>(byte),
      [&] { return made(element_at(w, site, lane, byte)); },
      [&] { return made("elements of " + site.buffer->name); });
}

std::uint32_t load_origin(const MemSite& site, Warp& w, int lane, std::int64_t byte) {
  Cta& cta = *w.cta;
  if (!cta.copies.idle()) {
    if (const auto origin = in_flight_origin(site, w, lane, byte)) return *origin;
  }
  if (!cta.stored_poison.empty()) {
    const auto key =
        static_cast<std::uint64_t>(site.region) << 48 | static_cast<std::uint64_t>(byte);
    if (const auto at = cta.stored_poison.find(key);

        at != cta.stored_poison.end() && at->second != 0) {
      return at->second;
    }
  }
  const auto make = [&] {
    const std::vector<BoundTensor>& tensors = cta.machine.binding->tensors;
    if (site.region < tensors.size()) {  // poison of an earlier launch or CTA?
      const Origin* earlier =
          tensors[site.region].memory->origins.at(static_cast<std::size_t>(byte));
      if (earlier != nullptr) return *earlier;
    }
    return Origin{site.place.span,
                  fmt::format("{}, which was never written", element_at(w, site, lane, byte))};
  };
  return cta.origin_at(site.place.id, static_cast<std::uint64_t>(byte), make, [&] {
    return Origin{site.place.span,
                  fmt::format("an element of {} without a value", site.buffer->name)};
  });
}

std::uint32_t refused_origin(const Place& place, const ir::Buffer& buffer, Warp& w) {
  return w.cta->origin_at(place.id, [&] {
    return Origin{place.span, fmt::format("a refused access to {}", buffer->name)};
  });
}

std::uint32_t variable_origin(const CheckSite& site, Warp& w) {
  return w.cta->origin_at(site.place.id, [&] {
    return Origin{site.place.span, fmt::format("{}, which was never written", site.what)};
  });
}

std::uint32_t division_origin(const CheckSite& site, Warp& w) {
  return w.cta->origin_at(site.place.id, [&] {
    return Origin{site.place.span, "a division by zero"};
  });
}

const Instr* report_assert(const CallSite& site, Warp& w, std::uint32_t lanes, const Instr* pc) {
  static_cast<void>(pc);
  for_lanes(lanes, [&](int lane) {
    w.cta->faults.add(ir::FaultKind::trap, site.place.id, [&] {
      ir::Fault fault;
      fault.text = site.text.empty() ? "assertion failed" : "assertion failed: " + site.text;
      fault.first.thread = w.cta->where(w, lane);
      fault.first.span = site.place.span;
      fault.first.role = w.cta->role_at(site.place);
      fault.first.what = "assert";
      return fault;
    });
  });
  w.cta->trapped = true;
  w.stop = Stop::abort;
  return nullptr;
}

}  // namespace tirx::sim::exec
