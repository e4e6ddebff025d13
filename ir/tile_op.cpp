#include "ir/tile_op.hpp"

namespace tirx::ir {

namespace {

using Name = std::string_view;

constexpr TileOpSpec store(TileOp op, Name name, Name source, Name doc) {
  const bool scalar = source == "value";
  return {op, TileFamily::elementwise, name, {"dst", source}, doc, {}, {scalar ? source : Name()}};
}

constexpr TileOpSpec unary(TileOp op, Name name, Name doc) {
  return {op,         TileFamily::elementwise, name, {"dst", "src?", "bias?", "scale?"}, doc,
          {"approx"}, {"bias", "scale"}};
}

constexpr TileOpSpec binary(TileOp op, Name name, Name doc) {
  return {op, TileFamily::elementwise, name, {"dst", "src1", "src2"}, doc, {}, {"src1", "src2"}};
}

constexpr TileOpSpec reduction(TileOp op, Name name, Name doc) {
  return {op, TileFamily::reduction, name, {"dst", "src"}, doc, {"axes", "accum", "thread_reduce"},
          {}};
}

constexpr std::array kTileOps{
    TileOpSpec{TileOp::copy,
               TileFamily::copy,
               "copy",
               {"dst", "src"},
               "Copies a region, synchronously; no barrier is implied.",
               {"fill", "clip"}},
    TileOpSpec{TileOp::copy_async,
               TileFamily::copy_async,
               "copy_async",
               {"dst", "src"},
               "Starts an asynchronous copy; completion is the caller's.",
               {"*"}},
    TileOpSpec{TileOp::permute_layout,
               TileFamily::permute_layout,
               "permute_layout",
               {"dst", "src"},
               "Moves elements between two register or shared layouts."},
    store(TileOp::zero, "zero", "src?", "Writes zeros."),
    store(TileOp::fill, "fill", "value", "Writes one value everywhere."),
    store(TileOp::memset, "memset", "value", "Writes one value everywhere."),
    store(TileOp::cast, "cast", "src", "Converts to the destination's dtype."),
    unary(TileOp::sqrt, "sqrt", "sqrt(src * scale + bias)."),
    unary(TileOp::exp, "exp", "exp(src * scale + bias)."),
    unary(TileOp::exp2, "exp2", "exp2(src * scale + bias)."),
    unary(TileOp::log2, "log2", "log2(src * scale + bias)."),
    TileOpSpec{TileOp::reciprocal,
               TileFamily::elementwise,
               "reciprocal",
               {"dst", "src?"},
               "1 / src.",
               {"approx"}},
    TileOpSpec{TileOp::silu,
               TileFamily::elementwise,
               "silu",
               {"dst", "src"},
               "src / (1 + exp(-src)).",
               {"approx"}},
    binary(TileOp::add, "add", "src1 + src2."),
    binary(TileOp::sub, "sub", "src1 - src2."),
    binary(TileOp::mul, "mul", "src1 * src2."),
    binary(TileOp::fdiv, "fdiv", "src1 / src2."),
    binary(TileOp::maximum, "maximum", "The larger of two."),
    binary(TileOp::minimum, "minimum", "The smaller of two."),
    TileOpSpec{TileOp::fma,
               TileFamily::elementwise,
               "fma",
               {"dst", "src", "scale", "bias"},
               "src * scale + bias, rounded once.",
               {},
               {"src", "scale", "bias"}},
    TileOpSpec{TileOp::select,
               TileFamily::elementwise,
               "select",
               {"dst", "when_true", "when_false", "predicate"},
               "Chooses element by element.",
               {},
               {"when_true", "when_false"}},
    reduction(TileOp::sum, "sum", "Sum over axes."),
    reduction(TileOp::max, "max", "Maximum over axes."),
    reduction(TileOp::min, "min", "Minimum over axes."),
    TileOpSpec{TileOp::gemm,
               TileFamily::gemm,
               "gemm",
               {"D", "A", "B", "C?"},
               "D = alpha * A B + beta * C.",
               {"promotion_interval", "fill_mode"}},
};

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t i = 0; i < kTileOps.size(); ++i) {
    if (static_cast<std::size_t>(kTileOps[i].op) != i) return false;
  }
  return true;
}

static_assert(rows_follow_the_enumeration());

}  // namespace

const TileOpSpec& spec(TileOp op) {
  return kTileOps[static_cast<std::size_t>(op)];
}

std::span<const TileOpSpec> tile_ops() {
  return kTileOps;
}

std::optional<TileOp> find_tile_op(std::string_view name) {
  for (const TileOpSpec& entry : kTileOps) {
    if (entry.name == name) return entry.op;
  }
  return std::nullopt;
}

}  // namespace tirx::ir
