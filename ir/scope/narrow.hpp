// How do guards narrow the active set?  A condition is a conjunction of atoms about scope ids; each
// atom either narrows the box exactly, or leaves it alone and is remembered as opaque.  So the box
// always contains the threads that pass, and equals them when nothing is opaque.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/scope/active_set.hpp"
#include "ir/scope/scope_id.hpp"

namespace tirx::ir {

enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge };

/// lo <= id < hi, or its negation.
struct IdRange {
  ScopeIdKind id;
  int dim = 0;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  bool negated = false;
};

/// id % modulus == residue (the remainder is floored), or its negation.
struct IdModulo {
  ScopeIdKind id;
  int dim = 0;
  std::int64_t modulus = 1;
  std::int64_t residue = 0;
  bool negated = false;
};

/// T.cuda.elect_sync(): one lane of the warp, of the hardware's choice.
struct Elect {};

/// Anything else: a comparison of values.  `uniform_over` is the largest scope whose threads
/// certainly decide it alike (kernel for constants and parameters, thread when nothing is known).
struct OpaqueAtom {
  ExecScope uniform_over = ExecScope::thread;
  std::string reason;
};

struct Atom {
  std::variant<IdRange, IdModulo, Elect, OpaqueAtom> test;
  Span span;
};

/// sign * id + constant REL value, as a range of ids.
[[nodiscard]] IdRange compare_id(ScopeIdKind id,
                                 int dim,
                                 int sign,
                                 std::int64_t constant,
                                 Relation relation,
                                 std::int64_t value);

/// The largest scope whose threads decide this atom alike.
[[nodiscard]] ExecScope uniform_scope(const Atom& atom, const ThreadSpace& space);

enum class FilterStatus : std::uint8_t {
  narrowed,  // exact: `set` holds the threads that pass
  empty,     // no thread passes
  refused,   // the threads that pass are no box
};

struct Filtered {
  FilterStatus status = FilterStatus::refused;
  ActiveSet set;  // unchanged unless narrowed
  std::string
      reason;  // unless narrowed: "filter on warp_id_in_wg …: warpid spans multiple warpgroups"
};

/// One atom applied to a box.
[[nodiscard]] Filtered filter(const ActiveSet& set, const Atom& atom);

/// The two branches of an `if` whose condition is all of `atoms`.
struct Branches {
  ActiveSet then;
  ActiveSet otherwise;
};

[[nodiscard]] Branches narrow(const ActiveSet& set, const std::vector<Atom>& atoms);

}  // namespace tirx::ir
