// elementwise / smem: all regions lie in shared memory.  Element (f * T + t) * vec + v of the
// region, row-major, belongs to thread t in round f; vec is the widest of 128 … 8 bits that divides
// every innermost extent and the elements per thread.  The op ends with the barrier of its scope,
// so that its result is there for the other threads; it begins with none.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lower/barrier.hpp"
#include "lower/copy/copy.hpp"
#include "lower/elementwise/elementwise.hpp"
#include "lower/memory_run.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

std::int64_t widest_bits(const Site& site) {
  std::int64_t bits = 8;
  for (const std::size_t i : region_operands(site)) {
    bits = std::max(bits, element_bits(site.sides[i]->buffer().dtype));
  }
  return bits;
}

std::int64_t choose_vector(const Site& site) {
  const std::int64_t size = elementwise_dst(site).size();
  if (size % site.threads != 0) return 1;
  for (std::int64_t width : {128, 64, 32, 16, 8}) {
    const std::int64_t vec = width / widest_bits(site);
    if (vec < 1 || size / site.threads % vec != 0) continue;
    bool divides = true;
    for (const std::size_t i : region_operands(site)) {
      const auto& extents = site.sides[i]->extents;
      divides = divides && (extents.empty() ? 1 : extents.back()) % vec == 0;
    }
    if (divides) return vec;
  }
  return 1;
}

/// The longest part of a thread's vector that every operand can access at once.
std::int64_t access_lanes(const Site& site, std::int64_t vec) {
  if (site.call.op == ir::TileOp::select) return 1;  // the predicate is about one element
  for (std::int64_t lanes = vec; lanes > 1; lanes /= 2) {
    bool runs = true;
    for (const std::size_t i : region_operands(site)) runs = runs && is_run(site, i, lanes);
    if (runs) return lanes;
  }
  return 1;
}

class SharedEmitter {
 public:
  SharedEmitter(const Site& site, std::vector<ir::Expr> scalars, std::int64_t lanes)
      : site_(site), scalars_(std::move(scalars)), lanes_(lanes) {
    for (std::size_t i = 0; i < site.sides.size(); ++i) {
      dims_.emplace_back();
      if (!site.sides[i]) continue;
      if (auto dims = align_dims(elementwise_dst(site).extents, site.sides[i]->extents)) {
        dims_.back() = std::move(*dims);
      }
    }
  }

  /// dst[position … position + lanes) = f(…)
  void compute(const IndexSum& position, ir::Body& body) const {
    const std::vector<std::int64_t>& extents = elementwise_dst(site_).extents;
    std::vector<IndexSum> digits(extents.size());
    std::int64_t inner = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
      digits[k] = extents[k] == 1 ? IndexSum(0) : position.floordiv(inner, site_.facts);
      if (extents[k] != 1 && inner * extents[k] < elementwise_dst(site_).size()) {
        digits[k] = digits[k].floormod(extents[k], site_.facts);
      }
      inner *= extents[k];
    }
    std::vector<ir::Expr> coordinates;
    for (const IndexSum& digit : digits) coordinates.push_back(digit.to_expr(ir::kInt32));
    define_indices(site_, coordinates, body);
    std::vector<ir::Expr> values = scalars_;
    for (const std::size_t i : region_operands(site_)) {
      if (i == 0 && !reads_destination(site_)) continue;
      const ir::Type type{site_.sides[i]->buffer().dtype, static_cast<std::uint16_t>(lanes_)};
      values[i] = ir::make_expr(type, site_.span, ir::Load{access(i, digits)});
    }
    ir::Expr value = element_value(site_, std::move(values));
    if (value->type.lanes != lanes_) {
      value = ir::make_expr({value->type.dtype, static_cast<std::uint16_t>(lanes_)}, site_.span,
                            ir::Broadcast{value});
    }
    body.push_back({site_.span, ir::Store{access(0, digits), value}});
  }

 private:
  [[nodiscard]] ir::Access access(std::size_t operand, const std::vector<IndexSum>& digits) const {
    const TileSide& side = *site_.sides[operand];
    std::vector<IndexSum> sums = side.begins;
    for (std::size_t d = 0; d < digits.size(); ++d) {
      const auto& dim = dims_[operand][d];
      if (dim) sums[*dim] = sums[*dim].plus(digits[d]);
    }
    ir::Access made{side.region.buffer, {}, {}, 1, {}};
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const ir::Type begin = side.region.ranges[k].begin->type;
      made.indices.push_back(
          sums[k].to_expr(num::bits(begin.dtype) == 64 ? ir::kInt64 : ir::kInt32));
    }
    return made;
  }

  const Site& site_;
  std::vector<ir::Expr> scalars_;
  std::int64_t lanes_;
  std::vector<DimMap> dims_;
};

ir::Var loop_variable(const Site& site, const char* name, std::int64_t count) {
  const auto var = std::make_shared<ir::Variable>(ir::Variable{name, ir::kInt32, site.span});
  site.facts.set(var, {{0, count - 1}, 1});
  return var;
}

}  // namespace

std::optional<std::string> refuse_elementwise_smem(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  for (const std::size_t i : region_operands(site)) {
    const ir::BufferNode& buffer = site.sides[i]->buffer();
    if (ir::is_shared(buffer.scope())) continue;
    return fmt::format("scope_allowed — all operands must be in shared memory, and {} is {}",
                       buffer.name, ir::to_string(buffer.scope()));
  }
  return refuse_in_memory(site);
}

std::optional<std::string> refuse_in_memory(const Site& site) {
  if (auto reason = refuse_inactive(site)) return reason;
  if (auto reason = refuse_shapes(site)) return reason;
  if (auto reason = refuse_overlap(site)) return reason;
  for (const std::size_t i : region_operands(site)) {
    const ir::BufferNode& buffer = site.sides[i]->buffer();
    if (buffer.layout ? buffer.layout->tile.has_thread_axes()
                      : buffer.strides.empty() && buffer.shape.size() > 1) {
      return fmt::format("layout — {} has no addresses to compute", buffer.name);
    }
  }
  return refuse_formula(site);
}

Result<Expansion> expand_elementwise_smem(const Site& site) {
  const std::int64_t size = elementwise_dst(site).size();
  const std::int64_t vec = choose_vector(site);
  const std::int64_t step = site.threads * vec;
  Expansion expansion;
  expansion.vector = vec;
  expansion.rounds = (size + step - 1) / step;
  std::vector<ir::Expr> scalars = scalar_values(site, expansion.body);
  const std::int64_t lanes = access_lanes(site, vec);
  const SharedEmitter emitter(site, std::move(scalars), lanes);

  const ir::Var round =
      expansion.rounds > 1 ? loop_variable(site, "f", expansion.rounds) : ir::Var();
  IndexSum position;
  if (round) position = IndexSum::of(round).times(step);
  if (site.thread_index) {
    position = position.plus(IndexSum::of(site.thread_index, site.facts).times(vec));
  }
  ir::Body body;
  if (lanes < vec) {
    const ir::Var part = loop_variable(site, "v", vec / lanes);
    ir::For loop{
        part, ir::make_int(0), ir::make_int(vec / lanes), ir::make_int(1), ir::LoopKind::unroll, 0,
        {}};
    emitter.compute(position.plus(IndexSum::of(part).times(lanes)), loop.body);
    body.push_back({site.span, std::move(loop)});
  } else {
    emitter.compute(position, body);
  }
  if (size % step != 0) {
    const ir::Expr inside =
        ir::make_expr(ir::kBool, site.span,
                      ir::Scalar{num::ScalarOp::lt,
                                 {position.to_expr(ir::kInt32), ir::make_int(size, ir::kInt32)}});
    ir::If guard{inside, std::move(body), {}};
    body.clear();
    body.push_back({site.span, std::move(guard)});
  }
  if (round) {
    ir::For loop{round,           ir::make_int(0),      ir::make_int(expansion.rounds),
                 ir::make_int(1), ir::LoopKind::serial, 0,
                 std::move(body)};
    body.clear();
    body.push_back({site.span, std::move(loop)});
  }
  std::move(body.begin(), body.end(), std::back_inserter(expansion.body));
  add_barrier(site, expansion.body);
  return expansion;
}

}  // namespace tirx::lower
