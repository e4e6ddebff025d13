#include "dsl/host/tensor_text.hpp"

#include <algorithm>
#include <vector>

#include "dsl/host/elements.hpp"
#include "numerics/text.hpp"

namespace tirx::dsl {

namespace {

constexpr std::int64_t kSummariseAbove = 1000;  // elements, as NumPy
constexpr std::int64_t kEdge = 3;

std::string element_text(const ir::Tensor& tensor, std::int64_t offset) {
  ir::Tensor one = tensor;
  one.shape.clear();
  one.strides.clear();
  one.offset = offset;
  if (first_uninitialised(one)) return "?";
  std::string text = num::to_text(read_at(tensor, offset), tensor.dtype);
  if (text.ends_with(".0")) text.pop_back();  // "1.", as NumPy
  return text;
}

/// Positions along a dimension that are shown; -1 stands for the ellipsis.
std::vector<std::int64_t> shown(std::int64_t extent, bool summarise) {
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < extent; ++i) {
    if (summarise && extent > 2 * kEdge && i == kEdge) {
      at.push_back(-1);
      i = extent - kEdge;
    }
    at.push_back(i);
  }
  return at;
}

class Printer {
 public:
  explicit Printer(const ir::Tensor& tensor)
      : tensor_(tensor), summarise_(tensor.size() > kSummariseAbove) {}

  std::string run() {
    measure(0, tensor_.offset);
    print(0, tensor_.offset);
    return std::move(out_);
  }

 private:
  void measure(std::size_t d, std::int64_t offset) {
    if (d == tensor_.shape.size()) {
      width_ = std::max(width_, element_text(tensor_, offset).size());
      return;
    }
    for (const std::int64_t i : shown(tensor_.shape[d], summarise_)) {
      if (i >= 0) measure(d + 1, offset + i * tensor_.strides[d]);
    }
  }

  void print(std::size_t d, std::int64_t offset) {
    if (d == tensor_.shape.size()) {
      const std::string text = element_text(tensor_, offset);
      out_.append(width_ - text.size(), ' ').append(text);
      return;
    }
    const bool innermost = d + 1 == tensor_.shape.size();
    out_ += '[';
    bool first = true;
    for (const std::int64_t i : shown(tensor_.shape[d], summarise_)) {
      if (!first) separate(d, innermost);
      first = false;
      if (i < 0) {
        out_ += "...";
      } else {
        print(d + 1, offset + i * tensor_.strides[d]);
      }
    }
    out_ += ']';
  }

  void separate(std::size_t d, bool innermost) {
    if (innermost) {
      out_ += ' ';
      return;
    }
    out_.append(tensor_.shape.size() - 1 - d, '\n').append(d + 1, ' ');
  }

  const ir::Tensor& tensor_;
  bool summarise_;
  std::size_t width_ = 0;
  std::string out_;
};

}  // namespace

std::string to_text(const ir::Tensor& tensor) {
  return Printer(tensor).run();
}

}  // namespace tirx::dsl
