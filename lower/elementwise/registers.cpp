// elementwise / reg: all regions lie in registers.  The layout of dst says which thread computes
// what; the sources must lie over the threads alike, so nobody needs another thread's registers and
// no barrier is implied.
#include <utility>

#include <fmt/format.h>

#include "lower/copy/copy.hpp"
#include "lower/elementwise/elementwise.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

class RegisterEmitter {
 public:
  RegisterEmitter(const Site& site,
                  std::vector<std::size_t> operands,
                  std::vector<DimMap> dims,
                  AlignedRegisters aligned)
      : site_(site),
        operands_(std::move(operands)),
        dims_(std::move(dims)),
        aligned_(std::move(aligned)) {}

  /// Elements of dst that each thread holds.
  [[nodiscard]] std::int64_t count() const { return aligned_.count(); }

  void compute(const IndexSum& element, std::vector<ir::Expr> values, ir::Body& body) const {
    const auto [coordinates, places] = register_place(site_, aligned_, element);
    std::vector<ir::Expr> index;
    for (const IndexSum& coordinate : coordinates) index.push_back(coordinate.to_expr(ir::kInt32));
    define_indices(site_, index, body);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (i == 0 && !reads_destination(site_)) continue;
      const num::DType dtype = site_.sides[operands_[i]]->buffer().dtype;
      values[operands_[i]] =
          ir::make_expr({dtype, 1}, site_.span, ir::Load{access(i, coordinates, places[i])});
    }
    body.push_back({site_.span, ir::Store{access(0, coordinates, places[0]),
                                          element_value(site_, std::move(values))}});
  }

 private:
  [[nodiscard]] ir::Access access(std::size_t i,
                                  const std::vector<IndexSum>& coordinates,
                                  const IndexSum& place) const {
    const TileSide& side = *site_.sides[operands_[i]];
    std::vector<IndexSum> sums = side.begins;
    for (std::size_t d = 0; d < coordinates.size(); ++d) {
      const auto& dim = dims_[i][d];
      if (dim) sums[*dim] = sums[*dim].plus(coordinates[d]);
    }
    ir::Access made{side.region.buffer, {}, place.to_expr(ir::kInt32), 1, {}};
    for (const IndexSum& sum : sums) made.indices.push_back(sum.to_expr(ir::kInt32));
    return made;
  }

  const Site& site_;
  std::vector<std::size_t> operands_;
  std::vector<DimMap> dims_;
  AlignedRegisters aligned_;
};

}  // namespace

std::optional<std::string> refuse_elementwise_reg(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  for (const std::size_t i : region_operands(site)) {
    const ir::BufferNode& buffer = site.sides[i]->buffer();
    if (buffer.scope() != ir::MemoryScope::local) {
      return fmt::format("scope_allowed — all operands must be registers, and {} is {}",
                         buffer.name, ir::to_string(buffer.scope()));
    }
    if (buffer.layout && buffer.layout->is_swizzled()) {
      return fmt::format("plain_layout — the register tile {} is swizzled", buffer.name);
    }
  }
  if (auto reason = refuse_inactive(site)) return reason;
  if (auto reason = refuse_shapes(site)) return reason;
  if (auto reason = refuse_overlap(site)) return reason;
  return refuse_formula(site);
}

Result<Expansion> expand_elementwise_reg(const Site& site) {
  const std::vector<std::size_t> operands = region_operands(site);
  std::vector<DimMap> dims;
  for (const std::size_t i : operands) {
    dims.push_back(*align_dims(elementwise_dst(site).extents, site.sides[i]->extents));
  }
  Result<AlignedRegisters> aligned = align_registers(site, operands, dims);
  if (!aligned) return aligned.error();
  const RegisterEmitter emitter(site, operands, std::move(dims), std::move(*aligned));
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = emitter.count();
  const std::vector<ir::Expr> scalars = scalar_values(site, expansion.body);
  if (expansion.rounds == 1) {
    emitter.compute(IndexSum(0), scalars, expansion.body);
    return expansion;
  }
  // Registers are only registers where their index is a constant: the loop is unrolled.
  const auto each = std::make_shared<ir::Variable>(ir::Variable{"e", ir::kInt32, site.span});
  site.facts.set(each, {{0, expansion.rounds - 1}, 1});
  ir::For loop{each,
               ir::make_int(0),
               ir::make_int(expansion.rounds),
               ir::make_int(1),
               ir::LoopKind::unroll,
               0,
               {}};
  emitter.compute(IndexSum::of(each), scalars, loop.body);
  expansion.body.push_back({site.span, std::move(loop)});
  return expansion;
}

}  // namespace tirx::lower
