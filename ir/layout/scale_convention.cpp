#include "ir/layout/scale_convention.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

struct Fixed {
  std::string_view name;
  std::int64_t rows, k;
  ScaleMajor major;
  std::int64_t pad;
};

// DeepGEMM's 1x128 scales are rows of 16-byte multiples for TMA; cuBLASLt rounds the number of K
// blocks of the two-dimensional mode up to 4.
constexpr auto kFixed = std::to_array<Fixed>({
    {"deepgemm.1x128", 1, 128, ScaleMajor::mn, 4},
    {"deepgemm.128x128", 128, 128, ScaleMajor::k, 1},
    {"cublaslt.vec128", 1, 128, ScaleMajor::mn, 1},
    {"cublaslt.blk128x128", 128, 128, ScaleMajor::k, 4},
});

/// Families of any granularity: prefix, and the suffixes with their major.
struct Family {
  std::string_view prefix;
  std::string_view suffix;
  ScaleMajor major;
};

constexpr auto kFamilies = std::to_array<Family>({
    {"cutlass.", ".mn", ScaleMajor::mn},
    {"cutlass.", ".k", ScaleMajor::k},
    {"pytorch.", ".t", ScaleMajor::mn},
    {"pytorch.", "", ScaleMajor::k},
    {"", ".mn", ScaleMajor::mn},
    {"", ".k", ScaleMajor::k},
});

std::optional<std::int64_t> positive(std::string_view text) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < 1 || value > kLargest) return std::nullopt;
  return value;
}

/// "1x128"
std::optional<std::pair<std::int64_t, std::int64_t>> granularity_of(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto rows = positive(text.substr(0, cross));
  const auto k = positive(text.substr(cross + 1));
  if (!rows || !k) return std::nullopt;
  return std::pair{*rows, *k};
}

std::int64_t round_up(std::int64_t count, std::int64_t pad) {
  return (count - 1) / pad * pad + pad;
}

}  // namespace

Result<ScaleConvention> find_scale_convention(std::string_view name) {
  for (const Fixed& row : kFixed) {
    if (row.name == name)
      return ScaleConvention{std::string(name), row.rows, row.k, row.major, row.pad};
  }
  for (const Family& family : kFamilies) {
    if (!name.starts_with(family.prefix) || !name.ends_with(family.suffix)) continue;
    if (name.size() < family.prefix.size() + family.suffix.size()) continue;
    const std::string_view middle = name.substr(
        family.prefix.size(), name.size() - family.prefix.size() - family.suffix.size());
    const auto granularity = granularity_of(middle);
    if (!granularity) continue;
    return ScaleConvention{std::string(name), granularity->first, granularity->second, family.major,
                           1};
  }
  return Diagnostic{{},
                    fmt::format("'{}' is no convention of scales", name),
                    {{{}, fmt::format("there are {}", fmt::join(scale_convention_names(), ", "))}}};
}

std::vector<std::string> scale_convention_names() {
  std::vector<std::string> names;
  for (const Fixed& row : kFixed) names.emplace_back(row.name);
  for (const Family& family : kFamilies)
    names.push_back(fmt::format("{}RxK{}", family.prefix, family.suffix));
  return names;
}

Shape scale_counts(std::span<const std::int64_t> shape, const ScaleConvention& convention) {
  return {(shape[0] - 1) / convention.rows + 1, (shape[1] - 1) / convention.k + 1};
}

Shape stored_shape(std::span<const std::int64_t> counts, const ScaleConvention& convention) {
  if (convention.major == ScaleMajor::mn) return {counts[1], round_up(counts[0], convention.pad)};
  return {counts[0], round_up(counts[1], convention.pad)};
}

Result<TileLayout> scale_layout(std::span<const std::int64_t> shape,
                                const ScaleConvention& convention) {
  if (shape.size() != 2) {
    Diagnostic error =
        layout_error("the scales of '{}' belong to a matrix of two dimensions, not to shape {}",
                     convention.name, to_string(shape));
    error.notes.push_back(
        {{},
         "write the shape of the matrix that is scaled, (M, K) or (N, K); for "
         "other ranks give granularities: tirx.scale_layout((4, 64, 128), (1, 1, 128))"});
    return error;
  }
  const Shape granularity{convention.rows, convention.k};
  return scale_layout(shape, granularity, convention.major, convention.pad);
}

Result<TileLayout> filter_zeros(const TileLayout& layout) {
  Iters shard;
  for (const Iter& it : layout.shard()) {
    if (it.stride != 0) shard.push_back(it);
  }
  return TileLayout::make(std::move(shard), layout.replica(), layout.offset());
}

std::optional<ScaleForm> scale_form(const TileLayout& layout, std::span<const std::int64_t> shape) {
  if (shape.size() != 2 || !layout.has_broadcast()) return std::nullopt;
  if (layout.has_replicas() || layout.has_thread_axes()) return std::nullopt;
  const auto grouped = group_dims(layout, shape);
  if (!grouped) return std::nullopt;
  ScaleForm out;
  for (std::size_t d = 0; d < 2; ++d) {
    std::int64_t count = 1;
    std::int64_t shared = 1;
    std::int64_t stride = 0;
    for (const Iter& it : grouped->group(d)) {
      if (it.extent == 1) continue;
      // One run of scales, then one run that shares them.
      if (it.stride == 0) {
        shared *= it.extent;
      } else if (count == 1 && shared == 1) {
        count = it.extent;
        stride = it.stride;
      } else {
        return std::nullopt;
      }
    }
    out.counts.push_back(count);
    out.granularity.push_back(shared);
    out.strides.push_back(stride);
  }
  return out;
}

}  // namespace tirx::ir
