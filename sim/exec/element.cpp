#include "sim/exec/element.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "numerics/storage_bits.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim::exec {

namespace {

using Kind = ValueNode::Kind;
using Indices = std::vector<std::int64_t>;

std::uint64_t width_mask(num::DType dtype) {
  const int width = num::storage_bits(dtype);
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// Values of nodes for one thread, from the registers of a warp as they are now.
class Thread {
 public:
  Thread(const Warp& w, int lane) : Thread(w, w.index, lane) {}

  /// A thread of another warp, were its variables those of `w`.
  Thread(const Warp& w, std::uint32_t warp, int lane)
      : w_(w),
        lane_(static_cast<std::size_t>(lane)),
        number_(static_cast<std::size_t>(warp) * kLanes + static_cast<std::size_t>(lane)) {}

  [[nodiscard]] Indices values_of(const std::vector<ValueId>& index) {
    const std::vector<ValueNode>& nodes = w_.cta->machine.program->values.nodes;
    Indices values;
    for (const ValueId id : index) values.push_back(num::to_int64(bits_of(id), nodes[id].dtype));
    return values;
  }

 private:
  std::uint64_t bits_of(ValueId id) {
    if (id == kNoValue) return 0;
    if (const auto at = known_.find(id); at != known_.end()) return at->second;
    const std::uint64_t bits = compute(w_.cta->machine.program->values.nodes[id]);
    known_.emplace(id, bits);
    return bits;
  }

  std::uint64_t compute(const ValueNode& node) {
    const auto arg = [&](int i) { return bits_of(node.args[i]); };
    switch (node.kind) {
      case Kind::constant:
        return node.bits;
      case Kind::table:
        return w_.cta->machine.program->values.tables[node.table][number_];
      case Kind::leaf:
        if (node.uniform) return w_.uniform[node.reg] & width_mask(node.dtype);
        if (num::bits(node.dtype) == 64) {
          return reinterpret_cast<const std::uint64_t*>(w_.vectors + node.reg)[lane_];
        }
        return reinterpret_cast<const std::uint32_t*>(w_.vectors + node.reg)[lane_];
      case Kind::op:
        return num::evaluate(node.op, node.from, arg(0), arg(1), arg(2)).value;
      case Kind::cast:
        return num::convert(arg(0), node.from, node.dtype);
      case Kind::reinterpret:
        return arg(0);
      case Kind::select:
        return arg(0) != 0 ? arg(1) : arg(2);
    }
    return 0;
  }

  const Warp& w_;
  std::size_t lane_, number_;
  std::unordered_map<ValueId, std::uint64_t> known_;
};

/// Of the elements of a thread's access, the indices of the k-th; `step`: between neighbours along
/// the last dimension.
template <typename Site>
Indices indices_of(Thread thread, const Site& site, std::int64_t step, std::size_t k) {
  if (k > 0 && k <= site.lane_indices.size()) return thread.values_of(site.lane_indices[k - 1]);
  Indices values = thread.values_of(site.index);
  if (!values.empty()) values.back() += static_cast<std::int64_t>(k) * step;
  return values;
}

std::string name_of(const ir::BufferNode& buffer, const Indices& index) {
  std::string text;
  for (const std::int64_t v : index) text += fmt::format("{}{}", text.empty() ? "" : ", ", v);
  return fmt::format("{}[{}]", buffer.name, text);
}

/// The dimension that elements in a row walk by ones, or -1.
int walked(const std::vector<Indices>& elements) {
  int dimension = -1;
  for (std::size_t k = 1; k < elements.size(); ++k) {
    for (std::size_t i = 0; i < elements[k].size(); ++i) {
      const std::int64_t step = elements[k][i] - elements[k - 1][i];
      if (step == 0) continue;
      if (step != 1 || (dimension != -1 && dimension != static_cast<int>(i))) return -1;
      dimension = static_cast<int>(i);
    }
  }
  return dimension;
}

template <typename Site>
std::string all_elements(const Warp& w, const Site& site, int count, std::int64_t step, int lane) {
  std::vector<Indices> elements;
  for (int k = 0; k < count; ++k) {
    elements.push_back(indices_of(Thread(w, lane), site, step, static_cast<std::size_t>(k)));
  }
  const Indices &first = elements.front(), &last = elements.back();
  const int dimension = walked(elements);
  if (count == 1 || first == last) return name_of(*site.buffer, first);
  if (dimension < 0) return name_of(*site.buffer, first) + " to " + name_of(*site.buffer, last);
  std::string text;
  for (std::size_t i = 0; i < first.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", first[i]);
    if (static_cast<int>(i) == dimension) text += fmt::format(":{}", last[i] + 1);
  }
  return fmt::format("{}[{}]", site.buffer->name, text);
}

/// In elements.
std::int64_t step_of(const MemSite& site) {
  return site.nibble ? site.stride : site.stride / site.size;
}

}  // namespace

std::string element_text(const Warp& w,
                         const ir::BufferNode& buffer,
                         const std::vector<ValueId>& index,
                         int lane) {
  return name_of(buffer, Thread(w, lane).values_of(index));
}

std::string element_text(const Warp& w, const MemSite& site, int lane) {
  return all_elements(w, site, site.count, step_of(site), lane);
}

std::string element_text(const Warp& w, const LocalSite& site, int lane) {
  return all_elements(w, site, site.count * site.each, site.stride, lane);
}

std::vector<std::int64_t> index_at(const Warp& w,
                                   const MemSite& site,
                                   int lane,
                                   std::int64_t byte) {
  alignas(64) std::int64_t address[kLanes];
  addresses(site, w, address);
  const std::int64_t unit = site.nibble ? 2 : 1;
  std::size_t element = 0;
  const auto covers = [&](int of) {
    for (int e = 0; e < site.count; ++e) {
      const std::int64_t at = (address[of] + e * site.stride) / unit;
      if (byte < at || at + site.size <= byte) continue;
      element = static_cast<std::size_t>(e);
      return true;
    }
    return false;
  };
  // Lanes of a matrix instruction get and give pieces of rows whose addresses others have.
  for (int other = 0; !covers(lane) && other < kLanes; ++other) {
    if ((w.mask >> other & 1) != 0 && covers(other)) lane = other;
  }
  return indices_of(Thread(w, lane), site, step_of(site), element);
}

std::string element_at(const Warp& w, const MemSite& site, int lane, std::int64_t byte) {
  return name_of(*site.buffer, index_at(w, site, lane, byte));
}

bool would_access(const Warp& w,
                  const MemSite& site,
                  std::uint32_t warp,
                  int lane,
                  const std::vector<std::int64_t>& index) {
  for (std::size_t k = 0; k < site.count; ++k) {
    if (indices_of(Thread(w, warp, lane), site, step_of(site), k) == index) return true;
  }
  return false;
}

}  // namespace tirx::sim::exec
