#include "ir/tile_op.hpp"

namespace tirx::ir {

namespace {

constexpr std::array kTileOps{
    TileOpSpec{TileOp::copy,
               "copy",
               {"dst", "src"},
               "Copies a region, synchronously; no barrier is implied.",
               {"fill", "clip"}},
    TileOpSpec{TileOp::copy_async,
               "copy_async",
               {"dst", "src"},
               "Starts an asynchronous copy; completion is the caller's.",
               {"*"}},
    TileOpSpec{TileOp::permute_layout,
               "permute_layout",
               {"dst", "src"},
               "Moves elements between two register or shared layouts."},
    TileOpSpec{TileOp::zero, "zero", {"dst", "src?"}, "Writes zeros."},
    TileOpSpec{TileOp::fill, "fill", {"dst", "value"}, "Writes one value everywhere."},
    TileOpSpec{TileOp::memset, "memset", {"dst", "value"}, "Writes one value everywhere."},
    TileOpSpec{TileOp::cast, "cast", {"dst", "src"}, "Converts to the destination's dtype."},
    TileOpSpec{TileOp::sqrt,
               "sqrt",
               {"dst", "src?", "bias?", "scale?"},
               "sqrt(src * scale + bias).",
               {"approx"}},
    TileOpSpec{TileOp::exp,
               "exp",
               {"dst", "src?", "bias?", "scale?"},
               "exp(src * scale + bias).",
               {"approx"}},
    TileOpSpec{TileOp::exp2,
               "exp2",
               {"dst", "src?", "bias?", "scale?"},
               "exp2(src * scale + bias).",
               {"approx"}},
    TileOpSpec{TileOp::log2,
               "log2",
               {"dst", "src?", "bias?", "scale?"},
               "log2(src * scale + bias).",
               {"approx"}},
    TileOpSpec{TileOp::reciprocal, "reciprocal", {"dst", "src?"}, "1 / src.", {"approx"}},
    TileOpSpec{TileOp::silu, "silu", {"dst", "src"}, "src / (1 + exp(-src)).", {"approx"}},
    TileOpSpec{TileOp::add, "add", {"dst", "src1", "src2"}, "src1 + src2."},
    TileOpSpec{TileOp::sub, "sub", {"dst", "src1", "src2"}, "src1 - src2."},
    TileOpSpec{TileOp::mul, "mul", {"dst", "src1", "src2"}, "src1 * src2."},
    TileOpSpec{TileOp::fdiv, "fdiv", {"dst", "src1", "src2"}, "src1 / src2."},
    TileOpSpec{TileOp::maximum, "maximum", {"dst", "src1", "src2"}, "The larger of two."},
    TileOpSpec{TileOp::minimum, "minimum", {"dst", "src1", "src2"}, "The smaller of two."},
    TileOpSpec{
        TileOp::fma, "fma", {"dst", "src", "scale", "bias"}, "src * scale + bias, rounded once."},
    TileOpSpec{TileOp::select,
               "select",
               {"dst", "when_true", "when_false", "predicate"},
               "Chooses element by element."},
    TileOpSpec{
        TileOp::sum, "sum", {"dst", "src"}, "Sum over axes.", {"axes", "accum", "thread_reduce"}},
    TileOpSpec{TileOp::max,
               "max",
               {"dst", "src"},
               "Maximum over axes.",
               {"axes", "accum", "thread_reduce"}},
    TileOpSpec{TileOp::min,
               "min",
               {"dst", "src"},
               "Minimum over axes.",
               {"axes", "accum", "thread_reduce"}},
    TileOpSpec{TileOp::gemm,
               "gemm",
               {"D", "A", "B", "C?"},
               "D = alpha * A B + beta * C.",
               {"promotion_interval", "fill_mode"}},
};

}  // namespace

const TileOpSpec& spec(TileOp op) {
  return kTileOps[static_cast<std::size_t>(op)];
}

std::optional<TileOp> find_tile_op(std::string_view name) {
  for (const TileOpSpec& entry : kTileOps) {
    if (entry.name == name) return entry.op;
  }
  return std::nullopt;
}

}  // namespace tirx::ir
