// copy / ldstmatrix: shared memory <-> registers by ldmatrix and stmatrix (PTX ISA "Warp-level
// matrix load instruction: ldmatrix").  One 8 x 8 matrix of 16-bit elements goes into word q of
// every lane: lane 4g + t has elements 2t and 2t + 1 of row g (.trans: of column g), and each row
// is 16 bytes at an address of its own.  The places of all elements are worked out, lane by lane
// and register by register, and compared with that map; TIRx checks no dtype here, this does.
#include "lower/copy/ldstmatrix.hpp"

#include <utility>

#include <fmt/format.h>

#include "ir/ptx/instruction.hpp"
#include "lower/addressing.hpp"
#include "lower/copy/copy.hpp"
#include "lower/copy/edge.hpp"
#include "lower/copy/matrix_words.hpp"
#include "lower/word_view.hpp"

namespace tirx::lower {

namespace {

using ir::Expr;
using ir::IndexSum;

template <typename Value>
std::optional<RowForm> row_form(std::int64_t num, Value&& value) {
  RowForm form;
  form.origin = value(0, 0);
  form.row = value(1, 0) - form.origin;
  if (num > 1) form.low = value(0, 1) - form.origin;
  if (num > 2) form.high = value(0, 2) - form.origin;
  for (std::int64_t j = 0; j < num; ++j) {
    for (std::int64_t r = 0; r < 8; ++r) {
      if (value(r, j) != form.at(r, j)) return std::nullopt;
    }
  }
  return form;
}

/// All instructions with `num` matrices each, if their rows lie regularly.
std::optional<std::vector<MatrixInstruction>> instructions_of(const MatrixWords& words,
                                                              std::int64_t num) {
  const auto count = static_cast<std::int64_t>(words.words.size());
  if (count % num != 0) return std::nullopt;
  std::vector<MatrixInstruction> result;
  for (std::int64_t q = 0; q < count; q += num) {
    MatrixInstruction made;
    made.first_word = q;
    const auto word = [&](std::int64_t j) -> const MatrixWord& {
      return words.words[static_cast<std::size_t>(q + j)];
    };
    const auto offset = row_form(num, [&](std::int64_t r, std::int64_t j) {
      return word(j).row_offset[static_cast<std::size_t>(r)];
    });
    if (!offset) return std::nullopt;
    made.offset = *offset;
    for (std::size_t dim = 0; dim < words.dims; ++dim) {
      const auto coordinate = row_form(num, [&](std::int64_t r, std::int64_t j) {
        return word(j).row_coordinate[static_cast<std::size_t>(r)][dim];
      });
      if (!coordinate) return std::nullopt;
      made.coordinates.push_back(*coordinate);
    }
    result.push_back(std::move(made));
  }
  return result;
}

/// A sum and what the lane adds to it.  All instructions of a tile differ in their origins only,
/// so the lane's part is worked out once.
class LaneSum {
 public:
  LaneSum(IndexSum base, const IndexSum& lane, std::int64_t num, const ir::Facts& facts)
      : base_(std::move(base)), row_(lane.floormod(8, facts)) {
    if (num > 1) low_ = lane.floordiv(8, facts).floormod(2, facts);
    if (num > 2) high_ = lane.floordiv(16, facts);
  }

  [[nodiscard]] IndexSum at(const RowForm& form) {
    if (form.row != form_.row || form.low != form_.low || form.high != form_.high) {
      form_ = form;
      sum_ =
          base_.plus(row_.times(form.row).plus(low_.times(form.low)).plus(high_.times(form.high)));
    }
    return sum_.plus(form.origin);
  }

 private:
  IndexSum base_, row_, low_, high_;
  RowForm form_{0, -1, -1, -1};  // of sum_
  IndexSum sum_;
};

class Emitter {
 public:
  Emitter(const Site& site, const MatrixPlan& plan) : site_(site), plan_(plan) {
    load_ = copy_dst(site).buffer().scope() == ir::MemoryScope::local;
    reg_ = load_ ? &copy_dst(site) : &copy_src(site);
    shared_ = load_ ? &copy_src(site) : &copy_dst(site);
    view_ = word_view(reg_->buffer());
    const IndexSum lane = IndexSum::of(site.axis_values.at(ir::AxisId::laneid), site.facts);
    place_.emplace(plan.words.shared_base, lane, plan.num, site.facts);
    for (std::size_t dim = 0; dim < plan.words.dims; ++dim) {
      coordinates_.emplace_back(
          shared_->begins[shared_->wide_dims[dim]].plus(plan.words.coordinate_base[dim]), lane,
          plan.num, site.facts);
    }
  }

  Expansion run() {
    Expansion expansion;
    expansion.vector = plan_.num;
    expansion.rounds = static_cast<std::int64_t>(plan_.instructions.size());
    expansion.body.push_back({site_.span, ir::Declare{view_}});
    for (const MatrixInstruction& instruction : plan_.instructions) {
      move(instruction, expansion.body);
    }
    return expansion;
  }

 private:
  [[nodiscard]] Expr address(const MatrixInstruction& instruction) {
    const ir::BufferNode& buffer = shared_->buffer();
    const ir::Type type = offset_type(buffer, site_.facts);
    const IndexSum place = place_->at(instruction.offset);
    ir::Access access{shared_->region.buffer, {}, {}, 1, {}};
    std::vector<IndexSum> sums = shared_->begins;
    for (std::size_t dim = 0; dim < instruction.coordinates.size(); ++dim) {
      sums[shared_->wide_dims[dim]] = coordinates_[dim].at(instruction.coordinates[dim]);
    }
    for (const IndexSum& sum : sums) access.indices.push_back(sum.to_expr(ir::kInt32));
    access.flat = plan_.words.swizzle
                      ? swizzle_offset(place, *plan_.words.swizzle, type, site_.facts)
                      : place.to_expr(type);
    return ir::make_expr(ir::kHandle, site_.span, ir::AddressOf{std::move(access)});
  }

  [[nodiscard]] ir::Access word(std::int64_t q) const {
    const std::int64_t reg = plan_.words.words[static_cast<std::size_t>(q)].reg;
    const Expr index = plan_.words.reg_base.plus(reg).floordiv(2, site_.facts).to_expr(ir::kInt32);
    return {view_, {index}, index, 1, {}};
  }

  void move(const MatrixInstruction& instruction, ir::Body& out) {
    const std::string text =
        fmt::format("{}matrix.sync.aligned.m8n8.x{}{}.shared.b16", load_ ? "ld" : "st", plan_.num,
                    plan_.words.transposed ? ".trans" : "");
    const auto lanes = static_cast<int>(plan_.num);
    if (!load_) {
      std::vector<Expr> values;
      for (int j = 0; j < lanes; ++j) {
        values.push_back(ir::make_expr({num::DType::u32, 1}, site_.span,
                                       ir::Load{word(instruction.first_word + j)}));
      }
      Expr group = values[0];
      if (lanes > 1) {
        group = ir::make_expr({num::DType::u32, static_cast<std::uint16_t>(lanes)}, site_.span,
                              ir::MakeVector{std::move(values)});
      }
      out.push_back({site_.span,
                     ir::Evaluate{ir::ptx::call(text, {address(instruction), group}, site_.span)}});
      return;
    }
    const Expr call = ir::ptx::call(text, {address(instruction)}, site_.span);
    if (lanes == 1) {
      out.push_back({site_.span, ir::Store{word(instruction.first_word), call}});
      return;
    }
    const auto name = std::make_shared<ir::Variable>(ir::Variable{"rows", call->type, site_.span});
    out.push_back({site_.span, ir::Let{name, call}});
    for (int j = 0; j < lanes; ++j) {
      const Expr lane =
          ir::make_expr(call->type.element(), site_.span, ir::Extract{ir::make_var(name), j});
      out.push_back({site_.span, ir::Store{word(instruction.first_word + j), lane}});
    }
  }

  const Site& site_;
  const MatrixPlan& plan_;
  bool load_ = true;
  const TileSide* reg_ = nullptr;
  const TileSide* shared_ = nullptr;
  ir::Buffer view_;
  std::optional<LaneSum> place_;
  std::vector<LaneSum> coordinates_;  // per wide dimension
};

std::optional<std::string> refuse_ldstmatrix(const Site& site) {
  if (site.scope == ir::ExecScope::thread) {
    return "exec_scope — ldmatrix is executed by whole warps, got thread";
  }
  if (auto why = refuse_scope(site)) return why;
  if (auto why = refuse_operands(site)) return why;
  const auto scope = [](const TileSide& side) { return side.buffer().scope(); };
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  const bool load = scope(dst) == ir::MemoryScope::local && ir::is_shared(scope(src));
  const bool store = ir::is_shared(scope(dst)) && scope(src) == ir::MemoryScope::local;
  if (!load && !store) {
    return fmt::format("scope_allowed — needs one side in registers and one shared, not {} -> {}",
                       ir::to_string(scope(src)), ir::to_string(scope(dst)));
  }
  if (auto why = refuse_inactive(site)) return why;
  if (auto why = refuse_edge(site)) return why;
  if (element_bits(dst.buffer().dtype) != 16) {
    return fmt::format("dtype — the matrices have 16-bit elements, not {}",
                       num::name(dst.buffer().dtype));
  }
  if (store && site.target.sm < 90) {
    return fmt::format("arch — stmatrix needs sm_90, not {}", site.target.name);
  }
  if (dst.extents.empty() || src.extents.empty()) {
    return "static_extents — the region's extents are not constants";
  }
  return std::nullopt;
}

}  // namespace

Result<MatrixPlan> plan_ldstmatrix(const Site& site) {
  if (auto why = refuse_ldstmatrix(site)) return placeless(std::move(*why));
  Result<MatrixWords> words = matrix_words(site);
  if (!words) return words.error();
  for (const std::int64_t num : {4, 2, 1}) {
    if (auto instructions = instructions_of(*words, num)) {
      return MatrixPlan{std::move(words).value(), num, std::move(*instructions)};
    }
  }
  return placeless("fragments — the rows of the matrices do not lie at equal distances");
}

Expansion expand_ldstmatrix(const Site& site, const MatrixPlan& plan) {
  return Emitter(site, plan).run();
}

}  // namespace tirx::lower
