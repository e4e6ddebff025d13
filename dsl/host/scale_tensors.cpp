#include "dsl/host/scale_tensors.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dsl/host/elements.hpp"
#include "dsl/host/random.hpp"
#include "dsl/host/tensor_ops.hpp"

namespace tirx::dsl {

namespace {

using ir::ScaleConvention;
using ir::ScaleMajor;
using ir::Shape;

Diagnostic error(std::string text, std::string help) {
  return Diagnostic{{}, std::move(text), {{{}, std::move(help)}}};
}

/// Position of scale (row, k) in the row-major memory.
std::int64_t place(const ScaleConvention& convention,
                   const Shape& stored,
                   std::int64_t row,
                   std::int64_t k) {
  return convention.major == ScaleMajor::mn ? k * stored[1] + row : row * stored[1] + k;
}

/// The numbers of scales along rows and K that the tensor's own shape tells.
Result<Shape> counts_of(const ir::Tensor& tensor, const ScaleConvention& from) {
  if (tensor.shape.size() != 2 || from.pad > 1) {
    return error(
        fmt::format("a tensor of shape {} does not say how many scales of '{}' it holds{}",
                    ir::to_string(tensor.shape), from.name,
                    from.pad > 1
                        ? fmt::format(": one dimension is padded to a multiple of {}", from.pad)
                        : std::string()),
        "give the shape of the scaled matrix: tirx.convert_scales(t, source, target, shape=(M, "
        "K))");
  }
  const bool mn = from.major == ScaleMajor::mn;
  return Shape{tensor.shape[mn ? 1 : 0], tensor.shape[mn ? 0 : 1]};
}

}  // namespace

Result<ir::Tensor> convert_scales(const ir::Tensor& tensor,
                                  const ScaleConvention& from,
                                  const ScaleConvention& to,
                                  const std::optional<std::vector<std::int64_t>>& shape) {
  if (from.rows % to.rows != 0 || from.k % to.k != 0) {
    return error(
        fmt::format("scales of '{}' cannot become '{}': a block of {}x{} has several scales there",
                    from.name, to.name, to.rows, to.k),
        "convert to a granularity that divides the one you have");
  }
  Shape counts;
  Shape wanted;
  if (shape) {
    constexpr std::int64_t kLargest = std::int64_t{1} << 30;
    if (shape->size() != 2 || (*shape)[0] < 1 || (*shape)[1] < 1 || (*shape)[0] > kLargest ||
        (*shape)[1] > kLargest)
      return error("the scaled matrix has two positive dimensions, (rows, K)",
                   "shape=(M, K) for SFA, shape=(N, K) for SFB");
    counts = ir::scale_counts(*shape, from);
    wanted = ir::scale_counts(*shape, to);
  } else {
    if (from.rows != to.rows || from.k != to.k) {
      return error(fmt::format("from '{}' to '{}' each scale is repeated, and the tensor does not "
                               "say how often in the last block",
                               from.name, to.name),
                   "give the shape of the scaled matrix: shape=(M, K)");
    }
    const auto known = counts_of(tensor, from);
    if (!known) return known.error();
    counts = known.value();
    wanted = counts;
  }
  const Shape stored = ir::stored_shape(counts, from);
  const auto size = checked_size(ir::stored_shape(wanted, to), tensor.dtype);
  if (!size) return size.error();
  if (tensor.size() < stored[0] * stored[1]) {
    return error(fmt::format("scales of '{}' take {} elements, {}, the tensor has {}", from.name,
                             stored[0] * stored[1], ir::to_string(stored), tensor.size()),
                 fmt::format("the memory of {} x {} scales has shape {}, row-major", counts[0],
                             counts[1], ir::to_string(stored)));
  }
  if (tensor.shape.size() == 2 && tensor.shape != stored &&
      tensor.shape == Shape{stored[1], stored[0]}) {
    return error(fmt::format("scales of '{}' have shape {} in memory, the tensor has the other "
                             "major: {}",
                             from.name, ir::to_string(stored), ir::to_string(tensor.shape)),
                 "transpose it: t.T.copy()");
  }
  std::vector<std::int64_t> offsets;
  for (ElementCursor at(tensor); !at.done(); at.next()) offsets.push_back(at.offset());
  ir::Tensor out = ir::make_tensor(tensor.dtype, ir::stored_shape(wanted, to), false);
  for (std::int64_t row = 0; row < wanted[0]; ++row) {
    for (std::int64_t k = 0; k < wanted[1]; ++k) {
      const std::int64_t flat = place(from, stored, row * to.rows / from.rows, k * to.k / from.k);
      const std::int64_t source = offsets[static_cast<std::size_t>(flat)];
      // What nobody wrote stays unwritten.
      if (is_written(tensor, source))
        write_at(out, place(to, out.shape, row, k), read_at(tensor, source));
    }
  }
  out.scale_convention = to.name;
  return out;
}

std::vector<std::int64_t> adversarial_choice(std::int64_t count,
                                             std::int64_t values,
                                             std::uint64_t seed,
                                             std::int64_t width) {
  std::vector<std::int64_t> widths;
  if (width > 0) widths.push_back(width);
  for (std::int64_t w = 2; width == 0 && w <= count / 2; ++w) {
    if (count % w == 0) widths.push_back(w);
  }
  std::vector<std::int64_t> out(static_cast<std::size_t>(count), 0);
  std::vector<std::int64_t> order(static_cast<std::size_t>(values));
  std::vector<int> conflicts(order.size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::fill(conflicts.begin(), conflicts.end(), 0);
    const auto avoid = [&](std::int64_t other, int weight) {
      if (other < 0 || other >= i) return;
      conflicts[static_cast<std::size_t>(out[static_cast<std::size_t>(other)])] += weight;
    };
    for (std::int64_t back = 1; back < values; ++back) avoid(i - back, back == 1 ? 8 : 1);
    for (const std::int64_t w : widths) {
      const std::int64_t h = count / w;
      const std::int64_t row = i / w;
      const std::int64_t column = i % w;
      avoid(i - w, 8);
      avoid(column, 4);
      avoid(row * w, 4);
      avoid(column * h + row, 8);     // this matrix read as its transpose,
      avoid((i % h) * w + i / h, 8);  // and the other way round
    }
    // The least conflicting value, in an order of the seed's.
    std::int64_t best = -1;
    std::uint64_t best_draw = 0;
    for (std::int64_t v = 0; v < values; ++v) {
      const std::uint64_t draw =
          random_bits(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(v));
      const int here = conflicts[static_cast<std::size_t>(v)];
      const int there = best < 0 ? 0 : conflicts[static_cast<std::size_t>(best)];
      if (best < 0 || here < there || (here == there && draw < best_draw)) {
        best = v;
        best_draw = draw;
      }
    }
    out[static_cast<std::size_t>(i)] = best;
  }
  return out;
}

}  // namespace tirx::dsl
