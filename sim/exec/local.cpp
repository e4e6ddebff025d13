// Local arrays whose index is not known before the run.  Element e of a lane lies in row
// e * size / granule of the register file, in the lane's slot.
#include <algorithm>
#include <cstring>

#include "sim/exec/handlers.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

void element_numbers(const LocalSite& site, const Warp& w, std::int64_t* out) {
  if (!site.varying) {
    const std::int64_t first = site.imm + static_cast<std::int64_t>(w.uniform[site.u]);
    for (int i = 0; i < kLanes; ++i) out[i] = first;
    return;
  }
  const auto* v = reinterpret_cast<const std::int64_t*>(w.vectors + site.v);
  for (int i = 0; i < kLanes; ++i) out[i] = site.imm + v[i];
}

std::uint32_t legal_lanes(const LocalSite& site, Warp& w, std::int64_t* element) {
  element_numbers(site, w, element);
  const std::uint32_t active = w.mask & ~w.skip;
  w.skip = 0;
  const std::int64_t reach = (site.count - 1) * site.stride;
  std::uint32_t out = 0;
  for_lanes(active, [&](int lane) {
    const std::int64_t low = element[lane] + std::min<std::int64_t>(reach, 0);
    const std::int64_t high = element[lane] + std::max<std::int64_t>(reach, 0);
    if (low < 0 || high >= site.elements) out |= 1U << lane;
  });
  if (out != 0) report_outside(site, w, out);
  return active & ~out;
}

/// Byte offset of a lane's element in the register file, and its first byte within the granule.
struct Spot {
  std::uint32_t row;   // offset of the row
  std::uint32_t byte;  // within the lane's slot
};

Spot spot(const LocalSite& site, std::int64_t element) {
  const std::int64_t at = element * site.size;
  const auto row_bytes = static_cast<std::uint32_t>(site.lane_bytes) * kLanes;
  return {site.base + static_cast<std::uint32_t>(at / site.granule) * row_bytes,
          static_cast<std::uint32_t>(at % site.granule)};
}

template <bool Init>
const Instr* load(const Instr* pc, Warp& w) {
  const LocalSite& site = *pc->data.local;
  const std::uint32_t stride = (site.wide_value ? 8U : 4U) * kLanes;
  const std::int64_t same = site.imm + static_cast<std::int64_t>(w.uniform[site.u]);
  const std::int64_t reach = (site.count - 1) * site.stride;
  if (!site.varying && !site.mixed && w.skip == 0 && same + std::min<std::int64_t>(reach, 0) >= 0 &&
      same + std::max<std::int64_t>(reach, 0) < site.elements) {
    for (int e = 0; e < site.count; ++e) {
      const Spot s = spot(site, same + e * site.stride);
      const std::uint32_t reg = pc->d + static_cast<std::uint32_t>(e) * stride;
      if (site.wide_value) {
        blend(w.v64(reg), w.v64(s.row), w.mask);
      } else {
        blend(w.v32(reg), w.v32(s.row), w.mask);
      }
      if constexpr (Init) {
        w.set_poison(reg, w.poison_of(s.row), s.row);
      }
    }
    return pc + 1;
  }
  std::int64_t element[kLanes];
  const std::uint32_t legal = legal_lanes(site, w, element);
  for (int e = 0; e < site.count; ++e) {
    const std::uint32_t reg = pc->d + static_cast<std::uint32_t>(e) * stride;
    std::uint32_t bad = w.mask & ~legal;
    for_lanes(w.mask, [&](int lane) {
      std::uint64_t v = 0;
      if ((legal >> lane & 1) != 0) {
        const Spot s = spot(site, element[lane] + e * site.stride);
        std::memcpy(&v,
                    w.vectors + s.row + static_cast<std::uint32_t>(lane) * site.lane_bytes + s.byte,
                    site.size);
        if constexpr (Init) {
          const std::uint32_t* poison = &w.poison_of(s.row);
          std::uint32_t any = site.mixed ? 0 : poison[0];
          for (std::uint32_t b = 0; site.mixed && b < site.size; ++b) any |= poison[s.byte + b];
          if ((any >> lane & 1) != 0) {
            bad |= 1U << lane;
            w.origins_of(reg)[lane] = w.origins_of(s.row)[lane];
          }
        }
      }
      if (site.wide_value) {
        w.v64(reg)[lane] = v;
      } else {
        w.v32(reg)[lane] = static_cast<std::uint32_t>(v);
      }
    });
    if constexpr (Init) {
      w.poison_of(reg) = (w.poison_of(reg) & ~w.mask) | bad;
      if ((bad & ~legal) != 0) {
        w.set_origin(reg, bad & ~legal, refused_origin(site.place, site.buffer, w));
      }
    }
  }
  return pc + 1;
}

template <bool Init>
const Instr* store(const Instr* pc, Warp& w) {
  const LocalSite& site = *pc->data.local;
  const std::uint32_t stride = (site.wide_value ? 8U : 4U) * kLanes;
  std::int64_t element[kLanes];
  const std::uint32_t legal = legal_lanes(site, w, element);
  for (int e = 0; e < site.count; ++e) {
    const std::uint32_t reg = pc->a + static_cast<std::uint32_t>(e) * stride;
    for_lanes(legal, [&](int lane) {
      const Spot s = spot(site, element[lane] + e * site.stride);
      const std::uint64_t v = site.wide_value ? w.v64(reg)[lane] : w.v32(reg)[lane];
      std::memcpy(w.vectors + s.row + static_cast<std::uint32_t>(lane) * site.lane_bytes + s.byte,
                  &v, site.size);
      if constexpr (Init) {
        const std::uint32_t bit = w.poison_of(reg) >> lane & 1;
        if (bit != 0) w.origins_of(s.row)[lane] = w.origins_of(reg)[lane];
        std::uint32_t* poison = &w.poison_of(s.row);
        const std::uint32_t first = site.mixed ? s.byte : 0;
        const std::uint32_t count = site.mixed ? site.size : 1;
        for (std::uint32_t b = first; b < first + count; ++b) {
          poison[b] = (poison[b] & ~(1U << lane)) | bit << lane;
        }
      }
    });
  }
  return pc + 1;
}

}  // namespace

const Instr* local_load(const Instr* pc, Warp& w) {
  return load<false>(pc, w);
}

const Instr* local_load_init(const Instr* pc, Warp& w) {
  return load<true>(pc, w);
}

const Instr* local_store(const Instr* pc, Warp& w) {
  return store<false>(pc, w);
}

const Instr* local_store_init(const Instr* pc, Warp& w) {
  return store<true>(pc, w);
}

const Instr* local_taint(const Instr* pc, Warp& w) {
  const LocalSite& site = *pc->data.local;
  const std::uint32_t origin = w.cta->origin_at(site.place.id, [&] {
    return Origin{site.place.span, site.buffer->name + ", which was never written"};
  });
  const std::int64_t bytes = site.rows * site.lane_bytes * kLanes;
  for (std::int64_t row = 0; row < site.rows; ++row) {
    std::byte* slots = w.vectors + site.base + row * site.lane_bytes * kLanes;
    for_lanes(w.mask, [&](int lane) {
      std::memset(slots + lane * site.lane_bytes, 0, static_cast<std::size_t>(site.lane_bytes));
    });
  }
  for (std::int64_t at = 0; at < bytes; at += 32) {
    w.poison_of(site.base + static_cast<std::uint32_t>(at)) |= w.mask;
    if (at % 128 == 0) w.set_origin(site.base + static_cast<std::uint32_t>(at), w.mask, origin);
  }
  return pc + 1;
}

}  // namespace tirx::sim::exec
