// copy_async / ldgsts: cp.async (PTX ISA "Data Movement and Conversion Instructions: cp.async"),
// partitioned as copy / gmem_smem is, in vectors of 16, 8 or 4 bytes.  It commits nothing and waits
// for nothing: that is the caller's.
//
// fill_mode="zero" uses the src-size operand: where `predicate` is false, or, without one, where
// the region leaves the tensor, shared memory gets zeros.
#include "lower/copy_async/ldgsts.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "ir/ptx/instruction.hpp"
#include "lower/copy/edge.hpp"
#include "lower/copy/partition.hpp"

namespace tirx::lower {

namespace {

using ir::Expr;
using ir::IndexSum;
using num::ScalarOp;

struct Options {
  std::int64_t prefetch = 0;  // bytes; 0: none
  Expr predicate{};
  bool zero_fill = false;
  bool direct = false;
};

Result<Options> options_of(const Site& site) {
  Options made;
  for (const auto& [key, value] : site.call.config) {
    if (key == "workspace") continue;
    if (key == "prefetch_size") {
      const auto* bytes = std::get_if<std::int64_t>(&value);
      if (bytes == nullptr || (*bytes != 64 && *bytes != 128 && *bytes != 256)) {
        return placeless("config — prefetch_size is 64, 128 or 256");
      }
      made.prefetch = *bytes;
    } else if (key == "fill_mode") {
      const auto* mode = std::get_if<std::string>(&value);
      if (mode == nullptr || *mode != "zero") return placeless("config — fill_mode is \"zero\"");
      made.zero_fill = true;
    } else if (key == "predicate") {
      if (const auto* expr = std::get_if<Expr>(&value)) {
        made.predicate = *expr;
      } else if (const auto* set = std::get_if<bool>(&value)) {
        made.predicate = ir::make_bool(*set, site.span);
      } else {
        return placeless("config — predicate must be a condition");
      }
    } else if (key == "direct") {
      const auto* set = std::get_if<bool>(&value);
      if (set == nullptr) return placeless("config — direct is True or False");
      made.direct = *set;
    } else {
      return placeless(fmt::format("config — ldgsts takes no {}", key));
    }
  }
  return made;
}

/// Vector lengths of 16, 8 and 4 bytes.
std::vector<std::int64_t> cp_async_vectors(num::DType dtype) {
  std::vector<std::int64_t> vectors;
  for (const std::int64_t bits : {128, 64, 32}) {
    if (bits % element_bits(dtype) == 0) vectors.push_back(bits / element_bits(dtype));
  }
  return vectors;
}

class AsyncEmitter {
 public:
  AsyncEmitter(const Site& site, const Options& how, std::int64_t vec)
      : site_(site), how_(how), vec_(vec) {
    bytes_ = vec * element_bits(copy_dst(site).buffer().dtype) / 8;
  }

  ir::Stmt move(ir::Access to, ir::Access from) const {
    std::vector<Expr> args{pointer(to), pointer(from), constant(bytes_)};
    if (how_.zero_fill) {
      const Expr size = source_bytes(from);
      if (size) args.push_back(size);
    }
    std::string text = fmt::format("cp.async.{}.shared.global", bytes_ == 16 ? "cg" : "ca");
    if (how_.prefetch != 0) text += fmt::format(".L2::{}B", how_.prefetch);
    ir::Stmt stmt{site_.span, ir::Evaluate{ir::ptx::call(text, std::move(args), site_.span)}};
    if (!how_.predicate || how_.zero_fill) return stmt;
    ir::If guard{how_.predicate, {}, {}};
    guard.then_body.push_back(std::move(stmt));
    return {site_.span, std::move(guard)};
  }

 private:
  [[nodiscard]] Expr pointer(const ir::Access& access) const {
    return ir::make_expr(ir::kHandle, site_.span, ir::AddressOf{access});
  }

  [[nodiscard]] Expr constant(std::int64_t value) const {
    return ir::make_int(value, {num::DType::u32, 1}, site_.span);
  }

  [[nodiscard]] Expr scalar(ScalarOp op, Expr a, Expr b) const {
    const ir::Type type =
        num::declared_row(op).result == num::ResultRule::boolean ? ir::kBool : a->type;
    return ir::make_expr(type, site_.span, ir::Scalar{op, {std::move(a), std::move(b)}});
  }

  /// How many bytes of the vector are in the tensor; empty: all of them, always.
  [[nodiscard]] Expr source_bytes(const ir::Access& from) const {
    if (how_.predicate) {
      return ir::make_expr({num::DType::u32, 1}, site_.span,
                           ir::Select{how_.predicate, constant(bytes_), constant(0)});
    }
    Expr inside;
    Expr count;
    for (std::size_t dim = 0; dim < from.indices.size(); ++dim) {
      const Expr& index = from.indices[dim];
      const Expr& shape = from.buffer->shape[dim];
      const bool vector = dim + 1 == from.indices.size() && vec_ > 1;
      const ir::Interval at = site_.facts.range(index);
      const ir::Interval extent = site_.facts.range(shape);
      const std::int64_t step = vector ? vec_ : 1;
      const std::int64_t last = (at + ir::Interval{step, step}).high;
      if (at.low < 0) both(inside, scalar(ScalarOp::ge, index, ir::make_int(0, index->type)));
      if (last <= extent.low) continue;
      const auto [inner, limit] = in_one_type(index, shape, site_.span);
      both(inside, scalar(ScalarOp::lt, inner, limit));
      if (!vector) continue;
      // A vector that ends at or before the edge whenever it starts inside needs no count.
      const bool whole = IndexSum::of(limit, site_.facts).divisible_by(vec_, site_.facts) &&
                         IndexSum::of(index, site_.facts).divisible_by(vec_, site_.facts);
      if (!whole) {
        count = scalar(ScalarOp::min, scalar(ScalarOp::sub, limit, inner),
                       ir::make_int(vec_, inner->type));
      }
    }
    if (!inside) return {};
    Expr size = constant(bytes_);
    if (count) {
      const Expr elements = count->type == ir::Type{num::DType::u32, 1}
                                ? count
                                : ir::make_expr({num::DType::u32, 1}, site_.span, ir::Cast{count});
      size = scalar(ScalarOp::mul, elements, constant(bytes_ / vec_));
    }
    return ir::make_expr({num::DType::u32, 1}, site_.span,
                         ir::Select{inside, std::move(size), constant(0)});
  }

  void both(Expr& all, Expr one) const {
    all = all ? ir::make_expr(ir::kBool, site_.span, ir::And{all, std::move(one)}) : std::move(one);
  }

  const Site& site_;
  const Options& how_;
  std::int64_t vec_;
  std::int64_t bytes_ = 16;
};

/// Whether the lanes of a vector are neighbours along the last dimension of the tensor: then the
/// part of a vector that is inside can be counted.
bool vectors_lie_in_rows(const CopyPlan& plan, const TileSide& global) {
  std::int64_t run = 1;
  for (std::size_t k = plan.atoms.size(); k-- > 0 && run < plan.vector;) {
    const CopyAtom& atom = plan.atoms[k];
    if (atom.extent == 1) continue;
    if (global.wide_dims[atom.dim] + 1 != global.region.ranges.size() || atom.weight != run) {
      return false;
    }
    run *= atom.extent;
  }
  return true;
}

}  // namespace

std::optional<std::string> refuse_ldgsts(const Site& site) {
  if (auto why = refuse_scope(site)) return why;
  if (auto why = refuse_operands(site)) return why;
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  const auto scope = [](const TileSide& side) { return side.buffer().scope(); };
  if (!ir::is_shared(scope(dst)) || scope(src) != ir::MemoryScope::global) {
    return fmt::format("scope_allowed — cp.async copies from global to shared, not {} -> {}",
                       ir::to_string(scope(src)), ir::to_string(scope(dst)));
  }
  const Result<Options> how = options_of(site);
  if (!how) return how.error().text;
  if (how->direct) {
    if (site.scope != ir::ExecScope::thread) {
      return fmt::format("direct — one transfer of one thread, got scope {}",
                         ir::name_of(site.scope));
    }
    const std::int64_t bits = dst.size() * element_bits(dst.buffer().dtype);
    if (dst.extents.empty() || (bits != 128 && bits != 64 && bits != 32)) {
      return fmt::format("direct — the region has {} bytes, not 4, 8 or 16", bits / 8);
    }
  }
  return refuse_pair(site);
}

Result<Expansion> expand_ldgsts(const Site& site) {
  const Result<Options> how = options_of(site);
  if (!how) return how.error();
  const Result<Partition> sides = align_sides(site);
  if (!sides) return sides.error();
  const num::DType dtype = copy_dst(site).buffer().dtype;
  std::vector<Refusal> wider;
  for (const std::int64_t vec : cp_async_vectors(dtype)) {
    std::string why = try_vector(site, *sides, vec);
    if (why.empty() && how->direct && vec != copy_dst(site).size()) {
      why = "direct is one transfer";
    }
    CopyPlan plan;
    if (why.empty()) {
      plan = partition_plan(site, *sides, vec);
      if (how->zero_fill && !how->predicate && !vectors_lie_in_rows(plan, copy_src(site))) {
        why = "the vectors leave a row, so that the part inside the tensor cannot be counted";
      }
    }
    if (!why.empty()) {
      wider.push_back({fmt::format("vec {}", vec), std::move(why)});
      continue;
    }
    plan.loop = ir::LoopKind::unroll;
    const AsyncEmitter emitter(site, *how, vec);
    Expansion expansion = emit_copy(site, plan, [&](ir::Access to, ir::Access from) {
      return emitter.move(std::move(to), std::move(from));
    });
    expansion.wider = std::move(wider);
    return expansion;
  }
  return placeless(
      fmt::format("ldgsts: cannot find a cp.async-compatible vec_len for elem_bits={}{}",
                  element_bits(dtype), wider.empty() ? std::string() : ": " + wider.back().reason));
}

}  // namespace tirx::lower
