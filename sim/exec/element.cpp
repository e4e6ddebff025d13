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

/// The value of a node for one lane, from the registers as they are now.
std::uint64_t recompute(const Warp& w,
                        ValueId id,
                        int lane,
                        std::unordered_map<ValueId, std::uint64_t>& known) {
  const ReportValues& values = w.cta->machine.program->values;
  const ValueNode& node = values.nodes[id];
  const auto arg = [&](int i) -> std::uint64_t {
    const ValueId operand = node.args[i];
    if (operand == kNoValue) return 0;
    if (const auto at = known.find(operand); at != known.end()) return at->second;
    return known[operand] = recompute(w, operand, lane, known);
  };
  switch (node.kind) {
    case Kind::constant:
      return node.bits;
    case Kind::table:
      return values.tables[node.table][static_cast<std::size_t>(w.index) * kLanes +
                                       static_cast<std::size_t>(lane)];
    case Kind::leaf:
      if (node.uniform) return w.uniform[node.reg] & width_mask(node.dtype);
      if (num::bits(node.dtype) == 64) {
        return reinterpret_cast<const std::uint64_t*>(w.vectors + node.reg)[lane];
      }
      return reinterpret_cast<const std::uint32_t*>(w.vectors + node.reg)[lane];
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

Indices values_of(const Warp& w, const std::vector<ValueId>& index, int lane) {
  const std::vector<ValueNode>& nodes = w.cta->machine.program->values.nodes;
  std::unordered_map<ValueId, std::uint64_t> known;
  Indices values;
  for (const ValueId id : index) {
    values.push_back(num::to_int64(recompute(w, id, lane, known), nodes[id].dtype));
  }
  return values;
}

/// Of the elements of a lane's access, the indices of the k-th; `step`: between neighbours along
/// the last dimension.
template <typename Site>
Indices indices_of(const Warp& w, const Site& site, std::int64_t step, std::size_t k, int lane) {
  if (k > 0 && k <= site.lane_indices.size()) return values_of(w, site.lane_indices[k - 1], lane);
  Indices values = values_of(w, site.index, lane);
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
    elements.push_back(indices_of(w, site, step, static_cast<std::size_t>(k), lane));
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
  return name_of(buffer, values_of(w, index, lane));
}

std::string element_text(const Warp& w, const MemSite& site, int lane) {
  return all_elements(w, site, site.count, step_of(site), lane);
}

std::string element_text(const Warp& w, const LocalSite& site, int lane) {
  return all_elements(w, site, site.count * site.each, site.stride, lane);
}

std::string element_at(const Warp& w, const MemSite& site, int lane, std::int64_t byte) {
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
  return name_of(*site.buffer, indices_of(w, site, step_of(site), element, lane));
}

}  // namespace tirx::sim::exec
