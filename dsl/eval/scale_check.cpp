#include "dsl/eval/scale_check.hpp"

#include <fmt/format.h>

#include "dsl/eval/error.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/layout/scale_convention.hpp"

namespace tirx::dsl {

namespace {

using ir::Shape;

std::string text_of(const Shape& shape) {
  return ir::to_string(std::span<const std::int64_t>(shape));
}

bool same_map(const ir::TileLayout& a, const ir::TileLayout& b) {
  const auto x = ir::canonicalize(a);
  const auto y = ir::canonicalize(b);
  return x && y && x.value() == y.value();
}

/// The tag says how the memory is laid out: it must be how the parameter reads it.
void check_tag(const ir::Param& param, const ir::Tensor& tensor, const Shape& shape, Span place) {
  const auto convention = ir::find_scale_convention(tensor.scale_convention);
  if (!convention) return;
  const ir::TileLayout& wanted = param.buffer->layout->tile;
  const auto tagged = unwrap(ir::scale_layout(shape, convention.value()), place);
  if (same_map(wanted, tagged)) {
    const Shape stored = ir::stored_shape(ir::scale_counts(shape, *convention), *convention);
    if (tensor.size() >= stored[0] * stored[1]) return;
    fail(place, "'{}': scales of '{}' for {} take {} elements, {}, the argument has {}", param.name,
         convention->name, text_of(shape), stored[0] * stored[1], text_of(stored), tensor.size());
  }
  fail_help(place,
            fmt::format("'{}' is read as {}, but the argument is tagged '{}', which is {} for {}",
                        param.name, ir::to_string(wanted), convention->name, ir::to_string(tagged),
                        text_of(shape)),
            "convert it with tirx.convert_scales(t, source, target, shape=…), or declare the "
            "parameter with tirx.scale_layout(shape, convention)");
}

}  // namespace

void check_scales(const ir::Param& param, const ir::Tensor& tensor, Span place) {
  const ir::BufferNode& buffer = *param.buffer;
  if (!buffer.layout || buffer.layout->is_swizzled() || buffer.offset) return;
  const auto shape = ir::static_shape(buffer);
  if (!shape) return;
  const auto form = ir::scale_form(buffer.layout->tile, *shape);
  if (!form) return;
  if (!tensor.scale_convention.empty()) return check_tag(param, tensor, *shape, place);
  if (tensor.shape.size() != 2) return;  // a flat list is taken as the memory it is
  // The memory, row-major: the dimension with the larger stride first.
  const bool mn =
      form->counts[1] > 1 && (form->counts[0] == 1 || form->strides[1] > form->strides[0]);
  const std::size_t slow = mn ? 1 : 0;
  const std::size_t fast = 1 - slow;
  const std::int64_t pitch = form->counts[slow] > 1 ? form->strides[slow] : form->counts[fast];
  const Shape stored{form->counts[slow], pitch};
  const bool vector = form->counts[0] == 1 || form->counts[1] == 1;
  if (vector) return;  // one row or column of scales has no major
  const std::string major = mn ? "MN-major" : "K-major";
  // A row or a column is a flat list too; more rows of the same pitch are the same memory.
  const std::int64_t least = (stored[0] - 1) * stored[1] + form->counts[fast];
  const bool flat = tensor.shape[0] == 1 || tensor.shape[1] == 1;
  if (flat && tensor.size() >= least) return;
  const bool same_pitch = tensor.shape[1] == stored[1] && tensor.shape[0] >= stored[0];
  if (same_pitch && stored[0] != stored[1]) return;
  if (same_pitch) {
    fail_help(place,
              fmt::format("'{}': a square scale matrix {} does not show which major it has",
                          param.name, text_of(tensor.shape)),
              fmt::format("say it: tirx.scales(t, \"{}x{}.{}\") is what '{}' reads ({})",
                          form->granularity[0], form->granularity[1], mn ? "mn" : "k", param.name,
                          major));
  }
  Shape counts;
  for (std::size_t d = 0; d < 2; ++d)
    counts.push_back(((*shape)[d] - 1) / form->granularity[d] + 1);
  const bool padded = counts != form->counts;
  std::string text =
      fmt::format("'{}' holds {} x {} scales {}{}: its memory has shape {}, the argument has {}",
                  param.name, counts[0], counts[1], major, padded ? ", padded" : "",
                  text_of(stored), text_of(tensor.shape));
  std::string help =
      "one scale for each started block: ceil(rows / g) and ceil(K / g) of them; a flat list "
      "passes as the memory it is";
  const std::int64_t k = (*shape)[1];
  const std::int64_t gk = form->granularity[1];
  Shape no_tail = stored;
  no_tail[mn ? 0 : 1] = k / gk;
  if (k % gk != 0 && tensor.shape == no_tail) {
    help = fmt::format("K = {} ends with a tail of {} that has no scale: {}", k, k % gk, help);
  }
  if (tensor.shape == Shape{stored[1], stored[0]} || (mn && tensor.shape == counts)) {
    help = fmt::format(
        "the argument has the other major: tirx.convert_scales(t, \"{0}x{1}.{2}\", "
        "target, shape=(rows, K)), or declare the parameter with major=\"{3}\"",
        form->granularity[0], form->granularity[1], mn ? "k" : "mn", mn ? "K" : "MN");
  }
  fail_help(place, std::move(text), std::move(help));
}

}  // namespace tirx::dsl
