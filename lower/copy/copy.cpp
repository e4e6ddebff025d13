// Checks common to all copies; see copy.hpp.
#include "lower/copy/copy.hpp"

#include <fmt/format.h>

#include "ir/equal.hpp"
#include "ir/print.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::lower {

std::optional<std::string> refuse_operands(const Site& site) {
  if (site.sides.size() != 2 || !site.sides[0] || !site.sides[1]) {
    return "copy needs two regions, dst and src";
  }
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  for (const TileSide* side : {&dst, &src}) {
    const ir::BufferNode& buffer = side->buffer();
    if (!buffer.layout && buffer.strides.empty() && !buffer.shape.empty()) {
      return fmt::format("validate_copy — {} has layout=None", buffer.name);
    }
  }
  if (dst.buffer().dtype != src.buffer().dtype) {
    return fmt::format("validate_copy — dtypes differ: {} is {}, {} is {}", dst.buffer().name,
                       num::name(dst.buffer().dtype), src.buffer().name,
                       num::name(src.buffer().dtype));
  }
  if (dst.extents.size() != dst.region.ranges.size() ||
      src.extents.size() != src.region.ranges.size()) {
    return std::nullopt;  // symbolic extents are each variant's own question
  }
  if (dst.wide_extents() != src.wide_extents()) {
    return fmt::format("validate_copy — extents differ: {} and {}",
                       ir::to_string(std::span<const std::int64_t>(dst.extents)),
                       ir::to_string(std::span<const std::int64_t>(src.extents)));
  }
  return std::nullopt;
}

std::optional<std::string> refuse_inactive(const Site& site) {
  if (site.inactive.empty()) return std::nullopt;
  return fmt::format("all_threads_active — {}", site.inactive);
}

std::optional<std::string> refuse_scope(const Site& site) {
  if (site.scope <= ir::ExecScope::cta) return std::nullopt;
  return fmt::format("exec_scope — unsupported exec_scope {}", ir::name_of(site.scope));
}

std::int64_t element_bits(num::DType dtype) {
  return num::storage_bits(dtype);
}

std::vector<std::int64_t> vector_candidates(num::DType dtype) {
  const std::int64_t bits = element_bits(dtype);
  std::vector<std::int64_t> candidates;
  for (const std::int64_t width : {128, 64, 32, 16, 8}) {
    if (width / bits >= 1) candidates.push_back(width / bits);
  }
  if (candidates.back() != 1 && bits >= 8) candidates.push_back(1);
  return candidates;
}

bool storage_aligned(const Site& site, std::int64_t vec) {
  const std::int64_t bytes = vec * element_bits(copy_dst(site).buffer().dtype) / 8;
  return copy_dst(site).buffer().storage->alignment >= bytes &&
         copy_src(site).buffer().storage->alignment >= bytes;
}

}  // namespace tirx::lower
