// Tile calls that are missing, copy another tile or half of one, and gemm with other options.
#include <algorithm>

#include "fuzz/mutate/places.hpp"
#include "ir/gemm_scales.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::fuzz {

namespace {

using ir::Body;
using ir::Expr;
using ir::Stmt;
using ir::TileCall;
using num::ScalarOp;

bool is_copy(const TileCall& call) {
  return call.op == ir::TileOp::copy || call.op == ir::TileOp::copy_async;
}

/// A region of memory with one range of more than one element that is not the whole dimension.
bool can_move(const ir::Region& region, std::size_t dim, std::int64_t& extent) {
  std::int64_t size = 0;
  return region.buffer->scope() != ir::MemoryScope::local &&
         ir::is_const_int(region.ranges[dim].extent, extent) && extent > 1 &&
         ir::is_const_int(region.buffer->shape[dim], size) && size > extent;
}

void wrong_tile(Places& places, std::size_t n, const Stmt& stmt, const TileCall& call) {
  const std::size_t operands = call.op == ir::TileOp::gemm
                                   ? std::min(call.operands.size(), ir::kFirstGemmScale)
                                   : call.operands.size();
  for (std::size_t i = 0; i < operands; ++i) {
    const auto* region = std::get_if<ir::Region>(&call.operands[i]);
    for (std::size_t dim = 0; region != nullptr && dim < region->ranges.size(); ++dim) {
      std::int64_t extent = 0;
      if (!can_move(*region, dim, extent)) continue;
      places.statement("wrong tile", n, stmt, [i, dim](const Stmt& old) {
        Stmt changed = old;
        auto& moved = std::get<ir::Region>(std::get<TileCall>(changed.node).operands[i]);
        std::int64_t tile = 0, size = 0;
        (void)ir::is_const_int(moved.ranges[dim].extent, tile);
        (void)ir::is_const_int(moved.buffer->shape[dim], size);
        Expr& begin = moved.ranges[dim].begin;
        // Around the end by whole tiles, so that it stays inside of the tensor.
        begin = shifted(begin, same_type(tile, begin), same_type(size / tile * tile, begin));
        return Body{changed};
      });
    }
  }
}

/// The first dimension of more than one element that both sides of a copy between memories have in
/// common; the other dimensions of theirs do not matter.
bool halves(TileCall& call) {
  auto* to = std::get_if<ir::Region>(&call.operands[0]);
  auto* from = call.operands.size() > 1 ? std::get_if<ir::Region>(&call.operands[1]) : nullptr;
  if (to == nullptr || from == nullptr) return false;
  ir::Range* ranges[2] = {nullptr, nullptr};
  std::int64_t extents[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    ir::Region& region = side == 0 ? *to : *from;
    if (region.buffer->scope() == ir::MemoryScope::local) return false;
    for (ir::Range& range : region.ranges) {
      std::int64_t extent = 0;
      if (!ir::is_const_int(range.extent, extent)) return false;
      if (extent < 2) continue;
      ranges[side] = &range;
      extents[side] = extent;
      break;
    }
  }
  if (ranges[0] == nullptr || extents[0] != extents[1] || extents[0] % 2 != 0) return false;
  for (ir::Range* range : ranges) range->extent = same_type(extents[0] / 2, range->extent);
  return true;
}

void edit_call(Places& places,
               std::string_view kind,
               std::size_t n,
               const Stmt& stmt,
               const std::function<void(TileCall&)>& change) {
  places.statement(kind, n, stmt, [change](const Stmt& old) {
    Stmt changed = old;
    change(std::get<TileCall>(changed.node));
    return Body{changed};
  });
}

double number_or(const TileCall& call, const std::string& key, double otherwise, bool& known) {
  known = true;
  const auto at = call.config.find(key);
  if (at == call.config.end()) return otherwise;
  if (const auto* value = std::get_if<double>(&at->second)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&at->second))
    return static_cast<double>(*value);
  known = false;
  return 0;
}

void of_gemm(Places& places, std::size_t n, const Stmt& stmt, const TileCall& call) {
  bool known = true;
  const double beta = number_or(call, "beta", 0, known);
  const bool adds =
      call.operands.size() > 3 && std::holds_alternative<ir::Region>(call.operands[3]);
  if (!known || beta != 0) {
    edit_call(places, "accumulation lost", n, stmt, [](TileCall& c) { c.config["beta"] = 0.0; });
  } else if (adds) {
    edit_call(places, "accumulator added", n, stmt, [](TileCall& c) { c.config["beta"] = 1.0; });
  }
  if (number_or(call, "alpha", 1, known) != 1 || !known)
    edit_call(places, "factor ignored", n, stmt, [](TileCall& c) { c.config.erase("alpha"); });
  for (const char* key : {"transpose_A", "transpose_B"}) {
    edit_call(places, "operand transposed", n, stmt, [key](TileCall& c) {
      const auto at = c.config.find(key);
      const bool* set = at == c.config.end() ? nullptr : std::get_if<bool>(&at->second);
      c.config[key] = set == nullptr || !*set;
    });
  }
  // The scales need the interval: without them it decides about the rounding alone.
  if (call.config.contains("promotion_interval") && call.operands.size() <= ir::kFirstGemmScale) {
    edit_call(places, "promotion interval ignored", n, stmt,
              [](TileCall& c) { c.config.erase("promotion_interval"); });
  }
}

/// ldmatrix and stmatrix with .trans, or without.
void transposed_move(Places& places, std::size_t n, const Stmt& stmt) {
  const ir::MachineCall* call = call_of(stmt);
  if (call == nullptr || !is_one_of<ir::PtxLdmatrix, ir::PtxStmatrix>(call->op)) return;
  std::string text = call->text;
  const std::size_t at = text.find(".trans");
  if (at != std::string::npos) {
    text.erase(at, std::string_view(".trans").size());
  } else {
    for (const std::string_view count : {".x1", ".x2", ".x4"}) {
      const std::size_t place = text.find(count);
      if (place != std::string::npos) text.insert(place + count.size(), ".trans");
    }
  }
  Result<ir::ptx::Instruction> parsed = ir::ptx::parse(text);
  if (!parsed) return;
  const auto made = std::make_shared<const ir::ptx::Instruction>(std::move(parsed).value());
  places.statement("operand transposed", n, stmt, [made](const Stmt& old) {
    return Body{with_call(old, ir::ptx::make_call(*made, call_of(old)->args))};
  });
}

}  // namespace

void find_tiles(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    const auto* call = std::get_if<TileCall>(&stmt.node);
    if (call == nullptr) return;
    places.statement("tile operation missing", n, stmt, [](const Stmt&) { return Body{}; });
    wrong_tile(places, n, stmt, *call);
    TileCall half = *call;
    if (is_copy(*call) && halves(half)) {
      edit_call(places, "half of a copy missing", n, stmt, [](TileCall& c) { (void)halves(c); });
    }
    if (call->config.contains("fill_mode") || call->config.contains("fill")) {
      edit_call(places, "fill missing", n, stmt, [](TileCall& c) {
        c.config.erase("fill_mode");
        c.config.erase("fill");
      });
    }
  });
}

void find_gemm(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    const auto* call = std::get_if<TileCall>(&stmt.node);
    if (call != nullptr && call->op == ir::TileOp::gemm) of_gemm(places, n, stmt, *call);
    transposed_move(places, n, stmt);
  });
}

}  // namespace tirx::fuzz
