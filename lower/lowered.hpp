// What do the simulator and the CUDA emitter eat?  A LoweredKernel: thread IR, made by lower()
// only.
//
// Guarantees over tile IR:
//   * no TileCall, no ScopeIdDef: thread ids are `thread_vars`, bound at entry;
//   * every Access has `flat`, the element offset (in elements of the buffer's dtype) from the
//   start of the
//     buffer's storage, through views, layouts and swizzles; logical `indices` and the buffer's
//     shape stay for bounds checks and reports;
//   * shared storage has its place (`shared`), launch dimensions are known up to symbols;
//   * the program is otherwise as written: nothing was folded away that could hide a fault.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/kernel.hpp"
#include "ir/target.hpp"

namespace tirx::lower {

/// A variable that every thread has at entry: component `dim` (0 = x) of a scope id.
struct ThreadVar {
  ir::Var var;
  ir::ScopeIdKind kind;
  int dim = 0;
};

/// Where a shared storage lies: byte offset in the CTA's static part, or in the dynamic arena.
struct SharedPlace {
  ir::StorageRef storage;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Why a dispatch variant was not taken.
struct Refusal {
  std::string variant;
  std::string reason;
};

/// What happened at one tile call: the input of `tirx explain`.
struct DispatchNote {
  Span span;
  ir::TileOp op;
  ir::ExecScope scope;
  std::int64_t threads = 1;
  std::string variant;
  std::int64_t vector = 0;  // elements per access; 0 where it has no meaning
  std::int64_t rounds = 0;  // trips of the round loop; 0 where it has no meaning
  std::vector<Refusal> refused;
  std::vector<Refusal> wider;  // longer vectors ("vec 8") and why they do not fit
};

struct Launch {
  std::array<ir::Expr, 3> grid;  // CTAs per dimension, over symbols and scalar parameters
  std::array<std::int64_t, 3> cluster{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  Span grid_span;   // where the script says how many CTAs and
  Span block_span;  // how many threads

  [[nodiscard]] std::int64_t threads() const { return block[0] * block[1] * block[2]; }
};

class LoweredKernel {
 public:
  std::string name;
  SourceRef source;
  Span span;
  const ir::Target* target = nullptr;
  std::vector<ir::Param> params;
  std::vector<ir::Var> symbols;
  ir::KernelAttributes attributes;
  Launch launch;
  std::vector<ThreadVar> thread_vars;
  std::vector<SharedPlace> shared;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  ir::Body host_body;  // over symbols; checked before the launch
  ir::Body body;
  std::vector<DispatchNote> dispatch;
  DiagnosticList warnings;

 private:
  LoweredKernel() = default;
  friend class Lowering;
};

}  // namespace tirx::lower
