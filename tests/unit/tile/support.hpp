// Tile ops from text: a script is run by an engine that lowers and simulates each launch, runs the
// tile-level evaluator on copies of the same bytes, and compares the two bit for bit.
#pragma once

#include <string>
#include <vector>

#include "ir/launch.hpp"
#include "ir/tensor.hpp"
#include "lower/lowered.hpp"
#include "numerics/scalar.hpp"

namespace tirx::testing {

struct TileRun {
  std::string errors;                      // of the script, of lowering; empty if there are none
  std::vector<lower::DispatchNote> notes;  // of all launches
  std::vector<ir::Tensor> tensors;         // of the last launch, after it
  std::vector<ir::Fault> faults;           // of the simulator
  std::string warnings;
  std::string thread_ir;  // of the last kernel
  int launches = 0;
  std::int64_t compared = 0;  // bytes on which simulator and evaluator were compared
};

/// Fails the test where the simulator and the tile-level evaluator differ.
[[nodiscard]] TileRun run_tiles(const std::string& script);

/// The usual imports.
extern const char* const kTileImports;

/// Bits of an element of a contiguous tensor.
[[nodiscard]] num::Bits element(const ir::Tensor& tensor, std::int64_t index);
[[nodiscard]] bool is_written(const ir::Tensor& tensor, std::int64_t index);

/// The text with each first replaced by its second, everywhere.
[[nodiscard]] std::string replaced(std::string text,
                                   const std::vector<std::pair<std::string, std::string>>& by);

}  // namespace tirx::testing
