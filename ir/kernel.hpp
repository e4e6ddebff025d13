// What is a kernel?  Parameters, the ids of its threads, and a body.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/source.hpp"
#include "ir/scope/scope_id.hpp"
#include "ir/stmt.hpp"

namespace tirx::ir {

/// One parameter, in the order of the signature.  A tensor parameter has its buffer (whose storage
/// has `parameter` = this index); a scalar has its variable.
struct Param {
  std::string name;     // as in the signature: A_ptr
  Buffer buffer;        // tensor parameters
  Var scalar;           // scalar parameters
  bool absent = false;  // T.Optional specialised to None: takes part in nothing
  Span span;
};

/// A scope-id declaration: T.cta_id([4, 2]), T.lane_id(), …
struct ScopeIdDef {
  ScopeIdKind kind;
  std::vector<Var> vars;        // one per dimension, x first
  std::vector<Expr> extents;    // empty: deferred, inferred from the others
  std::vector<Expr> preferred;  // cta_id_in_cluster(preferred=)
  Span span;
};

/// T.attr({...}).
struct KernelAttributes {
  std::optional<std::int64_t> min_blocks_per_sm;
  std::optional<std::int64_t> max_blocks_per_cluster;
  std::optional<std::int64_t> max_registers;
  std::optional<std::int64_t> dynamic_shared_bytes;
};

/// A kernel as the evaluator builds it: tile IR.
struct Kernel {
  std::string name;
  SourceRef source;
  Span span;
  std::vector<Param> params;
  std::vector<Var> symbols;           // symbolic dimensions, in order of first use
  std::vector<ScopeIdDef> scope_ids;  // in order of declaration
  KernelAttributes attributes;
  Body host_body;  // above T.device_entry(): asserts and lets over symbols
  Body body;
};

}  // namespace tirx::ir
