// How does the host reach the elements of a strided tensor?  Everything in dsl/host that reads or
// writes values goes through these few functions.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/tensor.hpp"
#include "numerics/convert.hpp"

namespace tirx::dsl {

using Index = std::vector<std::int64_t>;

/// Steps through the element offsets of a tensor in row-major order.
class ElementCursor {
 public:
  explicit ElementCursor(const ir::Tensor& tensor);

  [[nodiscard]] bool done() const { return left_ == 0; }

  [[nodiscard]] std::int64_t offset() const {
    return offset_;
  }  // in elements, from the memory's start

  void next();

 private:
  const ir::Tensor& tensor_;
  Index index_;
  std::int64_t offset_;
  std::int64_t left_;
};

/// All values in row-major order, as raw bits.
[[nodiscard]] std::vector<num::Bits> read_all(const ir::Tensor& tensor);
[[nodiscard]] num::Bits read_at(const ir::Tensor& tensor, std::int64_t offset);
void write_at(const ir::Tensor& tensor, std::int64_t offset, num::Bits value);
/// Writes values in row-major order; marks them initialised.
void write_all(const ir::Tensor& tensor, const std::vector<num::Bits>& values);
/// A fresh row-major tensor of these values.
[[nodiscard]] ir::Tensor from_values(num::DType dtype,
                                     std::vector<std::int64_t> shape,
                                     const std::vector<num::Bits>& values);

/// A fresh row-major tensor whose element i (row-major) is element(i).  `later`: computed when
/// somebody looks at one, which is never for most tensors of a script whose kernels are only
/// collected.  Only there: an engine looks at the bytes by itself.
[[nodiscard]] ir::Tensor generate(num::DType dtype,
                                  std::vector<std::int64_t> shape,
                                  bool later,
                                  std::function<num::Bits(std::uint64_t)> element);

/// Makes the bytes of a tensor of `generate`: before they are looked at without these functions.
void settle(const ir::Tensor& tensor);

/// Row-major flat position to index.
[[nodiscard]] Index unravel(std::int64_t flat, const std::vector<std::int64_t>& shape);
[[nodiscard]] bool is_written(const ir::Tensor& tensor, std::int64_t offset);
/// The first element with an uninitialised byte, as a row-major flat position.
[[nodiscard]] std::optional<std::int64_t> first_uninitialised(const ir::Tensor& tensor);

}  // namespace tirx::dsl
