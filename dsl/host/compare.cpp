#include "dsl/host/compare.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dsl/host/elements.hpp"
#include "numerics/scalar.hpp"
#include "numerics/text.hpp"

namespace tirx::dsl {

namespace {

std::string shape_text(const ir::Tensor& t) {
  return t.shape.size() == 1 ? fmt::format("({},)", t.shape[0])
                             : fmt::format("({})", fmt::join(t.shape, ", "));
}

std::optional<Diagnostic> mismatch(const ir::Tensor& x, const ir::Tensor& y) {
  if (x.shape == y.shape && x.dtype == y.dtype) return std::nullopt;
  return Diagnostic{
      {},
      fmt::format("the tensors are not comparable: {} {} and {} {}", num::name(x.dtype),
                  shape_text(x), num::name(y.dtype), shape_text(y)),
      {}};
}

std::string value_text(num::Bits bits, num::DType dtype) {
  return fmt::format("{} ({})", num::to_text(bits, dtype), num::to_hex(bits, dtype));
}

template <typename Same>
std::optional<std::string> compare(const ir::Tensor& x, const ir::Tensor& y, Same same) {
  std::int64_t differing = 0;
  std::int64_t first = 0;
  num::Bits a = 0;
  num::Bits b = 0;
  std::int64_t flat = 0;
  ElementCursor at_y(y);
  for (ElementCursor at_x(x); !at_x.done(); at_x.next(), at_y.next(), ++flat) {
    const num::Bits left = read_at(x, at_x.offset());
    const num::Bits right = read_at(y, at_y.offset());
    if (same(left, right)) continue;
    if (differing++ == 0) {
      first = flat;
      a = left;
      b = right;
    }
  }
  if (differing == 0) return std::nullopt;
  return difference_text(x, differing, first, a, b);
}

}  // namespace

std::string difference_text(
    const ir::Tensor& x, std::int64_t differing, std::int64_t flat, num::Bits a, num::Bits b) {
  std::string text = fmt::format("{} of {} elements differ; first at [{}]: {} and {}", differing,
                                 x.size(), fmt::join(unravel(flat, x.shape), ", "),
                                 value_text(a, x.dtype), value_text(b, x.dtype));
  if (const auto ulp = num::ulp_distance(a, b, x.dtype); ulp && num::is_float(x.dtype)) {
    text += fmt::format(", {} ulp apart", *ulp);
  }
  return text;
}

Result<std::optional<std::string>> difference(const ir::Tensor& x,
                                              const ir::Tensor& y,
                                              bool nan_bits) {
  if (const auto bad = mismatch(x, y)) return *bad;
  return compare(x, y, [&](num::Bits a, num::Bits b) {
    return a == b || (!nan_bits && num::same_value(a, b, x.dtype));
  });
}

Result<std::optional<std::string>> difference_beyond(const ir::Tensor& x,
                                                     const ir::Tensor& y,
                                                     double rtol,
                                                     double atol) {
  if (const auto bad = mismatch(x, y)) return *bad;
  return compare(x, y, [&](num::Bits a, num::Bits b) {
    if (num::same_value(a, b, x.dtype)) return true;
    const double p = num::to_double(a, x.dtype);
    const double q = num::to_double(b, x.dtype);
    return std::isfinite(p) && std::isfinite(q) && std::fabs(p - q) <= atol + rtol * std::fabs(q);
  });
}

}  // namespace tirx::dsl
