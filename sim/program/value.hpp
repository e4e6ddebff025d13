// What is known about a value before the kernel runs?  The bytecode compiler builds every pure
// expression as a node of one hash-consed table: equal expressions are one node, and each knows its
// range, whether it is the same in all lanes, and in which loop it varies.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "numerics/scalar.hpp"

namespace tirx::sim {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffU;
inline constexpr std::uint32_t kNoRegister = 0xffffffffU;

/// Bounds of an integer value, inclusive.
struct Interval {
  std::int64_t lo = std::numeric_limits<std::int64_t>::min();
  std::int64_t hi = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool within(std::int64_t low, std::int64_t high) const {
    return lo >= low && hi <= high;
  }

  [[nodiscard]] bool single() const { return lo == hi; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

[[nodiscard]] Interval intersect(Interval a, Interval b);
/// All values of an integer or boolean type (uint64: all of int64, which says "unknown").
[[nodiscard]] Interval range_of(num::DType dtype);

struct ValueNode {
  enum class Kind : std::uint8_t {
    constant,     // `bits`
    table,        // depends on the thread's place in the CTA only: tables[table][warp * 32 + lane]
    leaf,         // lives in register `reg`: loop variables, loads, mutable scalars
    op,           // scalar operation on args
    cast,         // conversion of args[0]
    reinterpret,  // same bits
    select,       // args[0] ? args[1] : args[2]
  };
  Kind kind = Kind::constant;
  num::DType dtype = num::DType::i32;
  num::DType from = num::DType::i32;  // dtype of the operands of op, cast and reinterpret
  num::ScalarOp op = num::ScalarOp::add;
  bool uniform = true;    // the same in all lanes of the warp that execute
  bool poison = false;    // may be poisoned
  bool may_wrap = false;  // an integer operation whose exact result may not fit the type
  bool alias = false;     // reads a register that may be overwritten later (a mutable variable)
  int level = 0;          // number of enclosing loops in which it varies
  ValueId args[3] = {kNoValue, kNoValue, kNoValue};
  std::uint64_t bits = 0;
  std::uint32_t table = 0;
  std::uint32_t reg = kNoRegister;
  Interval range;
  std::int64_t multiple = 1;  // integers: always a multiple of this (0: always zero)
};

/// Table of values for one kernel.
class ValueTable {
 public:
  explicit ValueTable(std::int64_t threads) : threads_(threads), warps_((threads + 31) / 32) {}

  [[nodiscard]] const ValueNode& operator[](ValueId id) const { return nodes_[id]; }

  [[nodiscard]] ValueId constant(num::DType dtype, std::uint64_t bits);
  /// Per-thread constants; becomes a constant if all entries agree.
  [[nodiscard]] ValueId table(num::DType dtype, std::vector<std::uint64_t> rows);
  [[nodiscard]] ValueId leaf(ValueNode node);
  [[nodiscard]] ValueId op(num::ScalarOp op, num::DType dtype, const ValueId* args, int arity);
  [[nodiscard]] ValueId binary(num::ScalarOp op, num::DType dtype, ValueId a, ValueId b);
  [[nodiscard]] ValueId cast(ValueId value, num::DType to);
  [[nodiscard]] ValueId reinterpret(ValueId value, num::DType to);
  [[nodiscard]] ValueId select(ValueId condition, ValueId when_true, ValueId when_false);

  [[nodiscard]] std::int64_t warps() const { return warps_; }

  [[nodiscard]] const std::vector<std::uint64_t>& rows(ValueId id) const {
    return tables_[nodes_[id].table];
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  [[nodiscard]] std::vector<ValueNode>& nodes() { return nodes_; }

  [[nodiscard]] std::vector<std::vector<std::uint64_t>>& tables() { return tables_; }

 private:
  struct Key {
    std::uint64_t a, b, c;
    friend bool operator==(const Key&, const Key&) = default;
  };

  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = key.a * 0x9e3779b97f4a7c15U;
      h = (h ^ (h >> 29) ^ key.b) * 0xbf58476d1ce4e5b9U;
      h = (h ^ (h >> 32) ^ key.c) * 0x94d049bb133111ebU;
      return static_cast<std::size_t>(h ^ (h >> 31));
    }
  };

  [[nodiscard]] ValueId intern(const ValueNode& node);
  [[nodiscard]] bool per_thread(ValueId id) const;
  [[nodiscard]] std::uint64_t bits_at(ValueId id, std::size_t thread) const;
  void infer(ValueNode& node) const;

  std::int64_t threads_;
  std::int64_t warps_;
  std::vector<ValueNode> nodes_;
  std::vector<std::vector<std::uint64_t>> tables_;
  std::unordered_map<Key, ValueId, KeyHash> interned_;
};

}  // namespace tirx::sim
