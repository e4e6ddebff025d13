#include "fuzz/agree/compare.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "numerics/text.hpp"

namespace tirx::fuzz {

namespace {

/// One tensor as both runs left it.
class Pair {
 public:
  Pair(const ir::Tensor& left, const ir::Tensor& right) : left_(left), right_(right) {}

  [[nodiscard]] bool written(const ir::Tensor& tensor, std::int64_t flat) const {
    const auto begin = static_cast<std::size_t>(ir::storage_bytes(tensor.dtype, flat));
    const auto end = static_cast<std::size_t>(ir::storage_bytes(tensor.dtype, flat + 1));
    return tensor.memory->is_valid(std::min(begin, end - 1), end);
  }

  [[nodiscard]] num::Bits bits(const ir::Tensor& tensor, std::int64_t flat) const {
    return num::load_element(reinterpret_cast<const std::uint8_t*>(tensor.memory->bytes.data()),
                             static_cast<std::size_t>(flat), tensor.dtype);
  }

  /// The two values of the element, where they differ.
  [[nodiscard]] bool differ(std::int64_t flat, const CompareOptions& options, Mismatch& out) const {
    out.written_left = written(left_, flat);
    out.written_right = !options.validity || written(right_, flat);
    if (!out.written_left || !out.written_right)
      return options.validity && out.written_left != out.written_right;
    out.left = bits(left_, flat);
    out.right = bits(right_, flat);
    if (out.left == out.right) return false;
    return options.nan_bits || !num::same_value(out.left, out.right, left_.dtype);
  }

 private:
  const ir::Tensor& left_;
  const ir::Tensor& right_;
};

/// Bytes and validity as a whole: most tensors are equal, and that is quickly seen.
bool same_memory(const ir::Tensor& a, const ir::Tensor& b) {
  return a.memory->bytes == b.memory->bytes && a.memory->valid == b.memory->valid;
}

std::vector<std::int64_t> index_of(const ir::Tensor& tensor, std::int64_t flat) {
  std::vector<std::int64_t> index(tensor.shape.size(), 0);
  for (std::size_t d = index.size(); d-- > 0; flat /= tensor.shape[d])
    index[d] = flat % tensor.shape[d];
  return index;
}

}  // namespace

std::vector<ir::Argument> clone(std::span<const ir::Argument> args) {
  std::unordered_map<const ir::Memory*, std::shared_ptr<ir::Memory>> copies;
  std::vector<ir::Argument> out(args.begin(), args.end());
  for (ir::Argument& argument : out) {
    auto* tensor = std::get_if<ir::Tensor>(&argument);
    if (tensor == nullptr) continue;
    std::shared_ptr<ir::Memory>& copy = copies[tensor->memory.get()];
    if (!copy) copy = std::make_shared<ir::Memory>(*tensor->memory);
    tensor->memory = copy;
  }
  return out;
}

Agreement compare(std::span<const ir::Argument> left,
                  std::span<const ir::Argument> right,
                  const CompareOptions& options) {
  Agreement agreement;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const auto* a = std::get_if<ir::Tensor>(&left[i]);
    const auto* b = std::get_if<ir::Tensor>(&right[i]);
    if (a == nullptr || b == nullptr) continue;
    const std::int64_t size = a->size();
    if (options.validity && same_memory(*a, *b)) {
      agreement.elements += size;
      continue;
    }
    const Pair pair(*a, *b);
    Mismatch first;
    std::int64_t differing = 0;
    for (std::int64_t flat = 0; flat < size; ++flat) {
      Mismatch here;
      const bool differs = pair.differ(a->offset + flat, options, here);
      // What nobody wrote promises nothing.
      if (here.written_left || here.written_right) ++agreement.elements;
      if (!here.written_left && !options.validity) --agreement.elements;
      if (!differs) continue;
      if (differing++ > 0) continue;
      first = here;
      first.index = index_of(*a, flat);
    }
    if (differing == 0) continue;
    first.argument = i;
    first.differing = differing;
    first.elements = size;
    first.dtype = a->dtype;
    agreement.differing += differing;
    agreement.mismatches.push_back(std::move(first));
  }
  return agreement;
}

std::string describe(const Mismatch& mismatch,
                     std::span<const ir::Param> params,
                     std::string_view left,
                     std::string_view right) {
  const ir::Param& param = params[mismatch.argument];
  const auto value = [&](num::Bits bits, bool written) {
    if (!written) return std::string("never written");
    return fmt::format("{} ({})", num::to_text(bits, mismatch.dtype),
                       num::to_hex(bits, mismatch.dtype));
  };
  std::string text = fmt::format(
      "{} of {} elements of {}; first at {}[{}]: {} {}, {} {}", mismatch.differing,
      mismatch.elements, param.name, param.buffer ? param.buffer->name : param.name,
      fmt::join(mismatch.index, ", "), left, value(mismatch.left, mismatch.written_left), right,
      value(mismatch.right, mismatch.written_right));
  if (mismatch.written_left && mismatch.written_right && num::is_float(mismatch.dtype)) {
    if (const auto ulp = num::ulp_distance(mismatch.left, mismatch.right, mismatch.dtype))
      text += fmt::format(", {} ulp apart", *ulp);
  }
  return text;
}

std::string kind_of(const Mismatch& mismatch) {
  const num::DType dtype = mismatch.dtype;
  const auto word = [&]() -> std::string_view {
    if (!mismatch.written_left || !mismatch.written_right) return "written or not";
    if (!num::is_float(dtype)) return "values";
    if (num::is_nan(mismatch.left, dtype) != num::is_nan(mismatch.right, dtype)) return "NaN";
    const auto ulp = num::ulp_distance(mismatch.left, mismatch.right, dtype);
    return ulp && *ulp <= 4 ? "rounding" : "values";
  };
  return fmt::format("{}, {}", num::name(dtype), word());
}

}  // namespace tirx::fuzz
