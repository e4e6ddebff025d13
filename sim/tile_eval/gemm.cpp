// gemm from its definition: every element of D is one chain of instructions over ascending k, by
// the architecture's row of the numerics table.  Fragments, lanes and registers play no part.
#include <cmath>

#include <fmt/format.h>

#include "numerics/convert.hpp"
#include "numerics/mma/dot.hpp"
#include "numerics/scalar.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

namespace {

using num::DType;
using num::ScalarOp;

/// A matrix of raw elements, one a container of num::container_bytes.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  int bytes = 4;
  std::vector<std::uint8_t> data;
  std::vector<bool> poison;

  void resize(std::int64_t m, std::int64_t n, DType dtype) {
    rows = m;
    columns = n;
    bytes = num::container_bytes(dtype);
    data.resize(static_cast<std::size_t>(m * n * bytes));
    poison.resize(static_cast<std::size_t>(m * n));
  }

  [[nodiscard]] std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * columns + j);
  }

  void set(std::int64_t i, std::int64_t j, Cell cell) {
    for (int b = 0; b < bytes; ++b) {
      data[at(i, j) * static_cast<std::size_t>(bytes) + static_cast<std::size_t>(b)] =
          static_cast<std::uint8_t>(cell.bits >> (8 * b));
    }
    poison[at(i, j)] = cell.poison;
  }

  [[nodiscard]] const std::uint8_t* element(std::int64_t i, std::int64_t j) const {
    return data.data() + at(i, j) * static_cast<std::size_t>(bytes);
  }
};

/// The step that a variant's name asks for ("mma.m16n8k8"), else the largest that divides K and the
/// promotion interval.
int step_of(int arch,
            DType a,
            DType b,
            DType c,
            std::int64_t k,
            std::int64_t interval,
            const std::string& dispatch) {
  for (const int step : {32, 16, 8, 4}) {
    // float64 adds one product after the other: the shapes give the same bits.
    const bool named =
        dispatch == fmt::format("mma.m16n8k{}", step) || (step == 4 && dispatch == "mma.m8n8k4");
    if (!dispatch.empty() && !named) continue;
    if (k % step != 0 || interval % step != 0) continue;
    if (num::find_mma_row(arch, num::MmaFamily::mma_sync, a, b, c, step) != nullptr) return step;
  }
  return 0;
}

}  // namespace

void Evaluator::gemm(const ir::TileCall& call, const std::vector<std::size_t>& threads, Span span) {
  const auto setting = [&](const char* key) -> const ir::ConfigValue* {
    const auto found = call.config.find(key);
    return found == call.config.end() ? nullptr : &found->second;
  };
  const auto is_set = [&](const char* key) {
    const ir::ConfigValue* value = setting(key);
    return value != nullptr && std::holds_alternative<bool>(*value) && std::get<bool>(*value);
  };
  std::optional<Box> boxes[4];
  for (std::size_t i = 0; i < 4 && i < call.operands.size(); ++i) {
    const auto* region = std::get_if<ir::Region>(&call.operands[i]);
    if (region == nullptr) continue;
    boxes[i] = box_of(*region, threads, span);
    if (stopped_ || !boxes[i]) return;
    std::int64_t wide = 0;
    for (const std::int64_t extent : boxes[i]->extent) wide += extent != 1 ? 1 : 0;
    if (wide != 2) return unsupported(span, "gemm takes matrices");
  }
  const auto& [d, a, b, c] = boxes;
  if (!d || !a || !b) return unsupported(span, "gemm without D, A or B");
  const DType acc = d->buffer->dtype;
  const DType type_a = a->buffer->dtype, type_b = b->buffer->dtype;
  /// Reads a matrix, rows first; `swap` reads it transposed.
  const auto matrix = [&](const Box& box, bool swap) {
    std::vector<std::size_t> dims;
    for (std::size_t i = 0; i < box.extent.size(); ++i) {
      if (box.extent[i] != 1) dims.push_back(i);
    }
    if (swap) std::swap(dims[0], dims[1]);
    Matrix made;
    made.resize(box.extent[dims[0]], box.extent[dims[1]], box.buffer->dtype);
    for (std::int64_t i = 0; i < made.rows; ++i) {
      for (std::int64_t j = 0; j < made.columns && !stopped_; ++j) {
        std::vector<std::int64_t> at = box.begin;
        at[dims[0]] += i;
        at[dims[1]] += j;
        made.set(i, j, read_element(box, at, threads, span));
      }
    }
    return made;
  };
  const Matrix left = matrix(*a, is_set("transpose_A"));
  const Matrix right = matrix(*b, is_set("transpose_B"));
  const std::int64_t k = left.columns;
  const ir::ConfigValue* wanted = setting("promotion_interval");
  const std::int64_t interval = wanted != nullptr ? std::get<std::int64_t>(*wanted) : k;
  if (interval <= 0 || k % interval != 0)
    return unsupported(span, "intervals that do not divide K");
  const int step = step_of(target_.sm, type_a, type_b, acc, k, interval, call.dispatch);
  if (right.rows != k || step == 0) {
    return unsupported(span, fmt::format("no mma.sync for this gemm on {}", target_.name));
  }
  const num::MmaRow& row =
      *num::find_mma_row(target_.sm, num::MmaFamily::mma_sync, type_a, type_b, acc, step);

  /// A literal in the accumulator's dtype, or the value of an expression.
  const auto factor = [&](const char* key, double otherwise, std::optional<double>& known) -> Cell {
    const ir::ConfigValue* value = setting(key);
    known = otherwise;
    if (value != nullptr) {
      if (const auto* expr = std::get_if<ir::Expr>(value)) {
        known.reset();
        Cell cell = eval_one(*expr);
        const DType from = (*expr)->type.dtype;
        if (from != acc) cell.bits = num::convert(cell.bits, from, acc);
        return cell;
      }
      if (const auto* number = std::get_if<double>(value)) known = *number;
      if (const auto* whole = std::get_if<std::int64_t>(value)) {
        known = static_cast<double>(*whole);
      }
    }
    if (acc == DType::i32) {
      return {static_cast<std::uint32_t>(static_cast<std::int64_t>(*known)), false};
    }
    return {num::from_double(*known, acc), false};
  };
  thread_ = threads[0];
  std::optional<double> known_alpha, known_beta;
  const Cell alpha = factor("alpha", 1.0, known_alpha);
  const Cell beta = factor("beta", 0.0, known_beta);
  const std::uint64_t zero = acc == DType::i32 ? 0 : num::from_double(0.0, acc);
  const bool chained = known_alpha == 1.0 && (known_beta == 0.0 || known_beta == 1.0);
  const bool reads_c = known_beta ? *known_beta != 0.0
                                  : num::evaluate(ScalarOp::eq, acc, beta.bits, zero).value == 0;
  if (reads_c && !c) return unsupported(span, "gemm with beta, but without C");
  const Matrix addend = reads_c ? matrix(*c, false) : Matrix{};
  if (stopped_) return;

  // Scales and promotion: temp over each interval from +0, then acc = fma(RN(sa * sb), temp, acc).
  const bool promotes = call.operands.size() > 4 || wanted != nullptr;
  const std::int64_t intervals = k / interval;
  /// The scale of row (column) `at` in each interval; no scales: empty.
  const auto scales_of = [&](std::size_t operand, bool k_first, std::int64_t count) {
    std::vector<Cell> scales;
    const auto* region =
        call.operands.size() > operand ? std::get_if<ir::Region>(&call.operands[operand]) : nullptr;
    if (region == nullptr) return scales;
    const auto box = box_of(*region, threads, span);
    if (!box || box->extent.size() < 2) {
      unsupported(span, "scales need two dimensions");
      return scales;
    }
    const std::size_t rank = box->extent.size();
    const std::vector<std::int64_t> shape = shape_of(*box->buffer);
    const auto scale_at = [&](const std::vector<std::int64_t>& at) -> Cell {
      for (std::size_t dim = 0; setting("fill_mode") != nullptr && dim < rank; ++dim) {
        if (at[dim] < 0 || at[dim] >= shape[dim]) return {0, false};
      }
      Cell scale = read_element(*box, at, threads, span);
      scale.bits = num::convert(scale.bits, box->buffer->dtype, DType::f32);
      return scale;
    };
    const std::size_t k_dim = k_first ? rank - 2 : rank - 1;
    const std::size_t mn_dim = k_first ? rank - 1 : rank - 2;
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t q = 0; q < intervals && !stopped_; ++q) {
        std::vector<std::int64_t> at = box->begin;
        if (box->extent[mn_dim] != 1) at[mn_dim] += i;
        std::optional<Cell> scale;
        const std::int64_t along = box->extent[k_dim];
        if (along == 1 || along == intervals) {
          if (along != 1) at[k_dim] += q;
          scale = scale_at(at);
        } else {
          // Every k of the interval must have this very element.
          at[k_dim] += q * interval;
          scale = scale_at(at);
          const auto place = offset_of(*box->buffer, at);
          for (std::int64_t l = 1; l < interval; ++l) {
            std::vector<std::int64_t> other = at;
            other[k_dim] += l;
            if (other[k_dim] >= shape[k_dim]) break;  // a short last block
            if (!place || offset_of(*box->buffer, other) == place) continue;
            unsupported(span, "a promotion interval straddles two scale blocks");
            return scales;
          }
        }
        scales.push_back(*scale);
      }
    }
    return scales;
  };
  const std::vector<Cell> scale_a = scales_of(4, is_set("transpose_A"), left.rows);
  const std::vector<Cell> scale_b = scales_of(5, !is_set("transpose_B"), right.columns);
  if (stopped_) return;

  std::vector<std::size_t> dims;
  for (std::size_t i = 0; i < d->extent.size(); ++i) {
    if (d->extent[i] != 1) dims.push_back(i);
  }
  std::vector<Cell> results;
  for (std::int64_t i = 0; i < left.rows; ++i) {
    for (std::int64_t j = 0; j < right.columns; ++j) {
      bool poison = alpha.poison || beta.poison;
      for (std::int64_t l = 0; l < k; ++l) {
        poison = poison || left.poison[left.at(i, l)] || right.poison[right.at(l, j)];
      }
      std::uint64_t from_c = zero;
      if (reads_c) {
        poison = poison || addend.poison[addend.at(i, j)];
        from_c = 0;
        for (int byte = addend.bytes; byte-- > 0;) {
          from_c = from_c << 8 | addend.element(i, j)[byte];
        }
      }
      const auto products = [&](std::int64_t first, std::int64_t count, std::uint64_t from) {
        return num::mma_dot(row, static_cast<int>(count), step, {left.element(i, first), 1},
                            {right.element(first, j), right.columns}, from);
      };
      std::uint64_t value = chained ? from_c : zero;
      if (!promotes) value = products(0, k, value);
      for (std::int64_t q = 0; promotes && q < intervals; ++q) {
        const std::uint64_t part = products(q * interval, interval, zero);
        const auto at = [&](const std::vector<Cell>& scales, std::int64_t line) -> Cell {
          if (scales.empty()) return {num::from_double(1.0, acc), false};
          return scales[static_cast<std::size_t>(line * intervals + q)];
        };
        const Cell sa = at(scale_a, i), sb = at(scale_b, j);
        poison = poison || sa.poison || sb.poison;
        const std::uint64_t both = num::evaluate(ScalarOp::mul, acc, sa.bits, sb.bits).value;
        value = num::evaluate(ScalarOp::fma, acc, both, part, value).value;
      }
      if (!chained) {
        const auto two = [&](ScalarOp op, std::uint64_t x, std::uint64_t y) {
          return num::evaluate(op, acc, x, y).value;
        };
        const std::uint64_t product = two(ScalarOp::mul, alpha.bits, value);
        if (!reads_c) {
          value = product;
        } else {
          const std::uint64_t rest = two(ScalarOp::mul, beta.bits, from_c);
          value = acc == DType::i32
                      ? two(ScalarOp::add, product, rest)
                      : num::evaluate(ScalarOp::fma, acc, alpha.bits, value, rest).value;
        }
      }
      results.push_back({value, poison});
    }
  }
  std::size_t next = 0;
  for (std::int64_t i = 0; i < left.rows; ++i) {
    for (std::int64_t j = 0; j < right.columns && !stopped_; ++j) {
      std::vector<std::int64_t> at = d->begin;
      at[dims[0]] += i;
      at[dims[1]] += j;
      write_element(*d, at, results[next++], threads, span);
    }
  }
}

}  // namespace tirx::sim::tile
