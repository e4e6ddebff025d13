#include "sim/program/value.hpp"

#include <algorithm>
#include <bit>

#include "ir/base/check.hpp"
#include "ir/base/common_divisor.hpp"
#include "numerics/convert.hpp"

namespace tirx::sim {

namespace {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

bool is_integral(DType dtype) {
  return num::is_int(dtype) || dtype == DType::boolean;
}

/// A closed interval computed exactly; `exact` is false where 64 bits were not enough.
__extension__ using Int128 = __int128;

struct Wide {
  Int128 lo, hi;
};

Wide wide(Interval r) {
  return {r.lo, r.hi};
}

Wide times(Wide a, Wide b) {
  const Int128 p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

}  // namespace

Interval intersect(Interval a, Interval b) {
  const Interval r{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  return r.lo <= r.hi ? r : a;  // contradictory facts: dead code; any answer will do
}

Interval range_of(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  const int width = num::bits(dtype);
  if (width >= 64 || !num::is_int(dtype)) return {};
  if (num::is_signed(dtype)) {
    return {-(std::int64_t{1} << (width - 1)), (std::int64_t{1} << (width - 1)) - 1};
  }
  return {0, (std::int64_t{1} << width) - 1};
}

ValueId ValueTable::intern(const ValueNode& node) {
  const auto word = [&](int i) { return static_cast<std::uint64_t>(node.args[i]); };
  const Key key{static_cast<std::uint64_t>(node.kind) |
                    static_cast<std::uint64_t>(node.dtype) << 8 |
                    static_cast<std::uint64_t>(node.from) << 16 |
                    static_cast<std::uint64_t>(node.op) << 24 | word(0) << 32,
                word(1) | word(2) << 32, node.bits};
  const auto [at, fresh] = interned_.try_emplace(key, static_cast<ValueId>(nodes_.size()));
  if (fresh) {
    nodes_.push_back(node);
    infer(nodes_.back());
  }
  return at->second;
}

ValueId ValueTable::constant(DType dtype, std::uint64_t bits) {
  ValueNode node;
  node.kind = Kind::constant;
  node.dtype = dtype;
  node.bits = bits;
  return intern(node);
}

ValueId ValueTable::table(DType dtype, std::vector<std::uint64_t> rows) {
  if (std::all_of(rows.begin(), rows.end(), [&](std::uint64_t v) { return v == rows[0]; })) {
    return constant(dtype, rows[0]);
  }
  ValueNode node;
  node.kind = Kind::table;
  node.dtype = dtype;
  node.table = static_cast<std::uint32_t>(tables_.size());
  node.bits = node.table;
  if (is_integral(dtype)) {
    std::int64_t lo = num::to_int64(rows[0], dtype), hi = lo;
    std::int64_t multiple = 0;
    // Lanes beyond the last thread do not count.
    for (std::size_t t = 0; t < static_cast<std::size_t>(threads_); ++t) {
      const std::int64_t v = num::to_int64(rows[t], dtype);
      lo = std::min(lo, v);
      hi = std::max(hi, v);
      multiple = common_divisor(multiple, v);
    }
    node.range = {lo, hi};
    node.multiple = multiple;
  }
  node.uniform = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != rows[i & ~std::size_t{31}]) node.uniform = false;
  }
  tables_.push_back(std::move(rows));
  nodes_.push_back(node);
  return static_cast<ValueId>(nodes_.size() - 1);
}

ValueId ValueTable::leaf(ValueNode node) {
  node.kind = Kind::leaf;
  if (is_integral(node.dtype)) node.range = intersect(range_of(node.dtype), node.range);
  nodes_.push_back(node);
  return static_cast<ValueId>(nodes_.size() - 1);
}

bool ValueTable::per_thread(ValueId id) const {
  return nodes_[id].kind == Kind::constant || nodes_[id].kind == Kind::table;
}

std::uint64_t ValueTable::bits_at(ValueId id, std::size_t thread) const {
  const ValueNode& node = nodes_[id];
  return node.kind == Kind::constant ? node.bits : tables_[node.table][thread];
}

ValueId ValueTable::binary(ScalarOp op_, DType dtype, ValueId a, ValueId b) {
  const ValueId args[2] = {a, b};
  return op(op_, dtype, args, 2);
}

ValueId ValueTable::op(ScalarOp op, DType dtype, const ValueId* args, int arity) {
  ValueNode node;
  node.kind = Kind::op;
  node.op = op;
  node.from = dtype;
  node.dtype = num::result_dtype(op, dtype);
  for (int i = 0; i < arity; ++i) node.args[i] = args[i];
  // x + 0, x - 0, x * 1, x // 1: the same value
  if (arity == 2 && num::is_int(dtype) && nodes_[args[1]].kind == Kind::constant) {
    const std::uint64_t b = nodes_[args[1]].bits;
    if (b == 0 && (op == ScalarOp::add || op == ScalarOp::sub)) return args[0];
    if (b == 1 && (op == ScalarOp::mul || op == ScalarOp::floordiv)) return args[0];
  }
  if (arity == 2 && num::is_int(dtype) && nodes_[args[0]].kind == Kind::constant) {
    const std::uint64_t a = nodes_[args[0]].bits;
    if (a == 0 && op == ScalarOp::add) return args[1];
    if (a == 1 && op == ScalarOp::mul) return args[1];
  }
  const bool known = std::all_of(args, args + arity, [&](ValueId a) { return per_thread(a); });
  if (known) {
    const auto fold = [&](std::size_t thread, bool& ok) {
      std::uint64_t v[3] = {0, 0, 0};
      for (int i = 0; i < arity; ++i) v[i] = bits_at(args[i], thread);
      const num::Evaluated e = num::evaluate(op, dtype, v[0], v[1], v[2]);
      ok = ok && e.status == num::EvalStatus::ok;
      return e.value;
    };
    const bool constants = std::all_of(args, args + arity,
                                       [&](ValueId a) { return nodes_[a].kind == Kind::constant; });
    bool ok = true;
    // Wrapping is decided on the ranges, so the node is made first where it might matter.
    ValueNode probe = node;
    infer(probe);
    if (!probe.may_wrap) {
      if (constants) {
        const std::uint64_t bits = fold(0, ok);
        if (ok) return constant(node.dtype, bits);
      } else if (is_integral(dtype)) {
        std::vector<std::uint64_t> rows(static_cast<std::size_t>(warps_) * 32);
        for (std::size_t t = 0; t < rows.size() && ok; ++t) rows[t] = fold(t, ok);
        if (ok) {
          // The same expression gives the same table again.
          const std::size_t before = nodes_.size();
          const ValueId interned = intern(node);
          if (interned < before) return static_cast<ValueId>(nodes_[interned].table);
          const ValueId made = table(node.dtype, std::move(rows));
          nodes_[interned].table = made;
          return made;
        }
      }
    }
  }
  return intern(node);
}

ValueId ValueTable::cast(ValueId value, DType to) {
  const DType from = nodes_[value].dtype;
  if (from == to) return value;
  if (nodes_[value].kind == Kind::constant) {
    return constant(to, num::convert(nodes_[value].bits, from, to));
  }
  ValueNode node;
  node.kind = Kind::cast;
  node.from = from;
  node.dtype = to;
  node.args[0] = value;
  if (nodes_[value].kind == Kind::table && is_integral(from) && is_integral(to)) {
    const std::size_t before = nodes_.size();
    const ValueId interned = intern(node);
    if (interned < before) return static_cast<ValueId>(nodes_[interned].table);
    std::vector<std::uint64_t> rows = tables_[nodes_[value].table];
    for (std::uint64_t& bits : rows) bits = num::convert(bits, from, to);
    const ValueId made = table(to, std::move(rows));
    nodes_[interned].table = made;
    return made;
  }
  return intern(node);
}

ValueId ValueTable::reinterpret(ValueId value, DType to) {
  if (nodes_[value].dtype == to) return value;
  if (nodes_[value].kind == Kind::constant) return constant(to, nodes_[value].bits);
  ValueNode node;
  node.kind = Kind::reinterpret;
  node.from = nodes_[value].dtype;
  node.dtype = to;
  node.args[0] = value;
  return intern(node);
}

ValueId ValueTable::select(ValueId condition, ValueId when_true, ValueId when_false) {
  if (nodes_[condition].kind == Kind::constant) {
    return nodes_[condition].bits != 0 ? when_true : when_false;
  }
  ValueNode node;
  node.kind = Kind::select;
  node.dtype = nodes_[when_true].dtype;
  node.from = node.dtype;
  node.args[0] = condition;
  node.args[1] = when_true;
  node.args[2] = when_false;
  return intern(node);
}

/// Uniformity, level, poison, range and divisibility from the operands.
void ValueTable::infer(ValueNode& node) const {
  node.range = is_integral(node.dtype) ? range_of(node.dtype) : Interval{};
  if (node.kind == Kind::constant) {
    if (is_integral(node.dtype)) {
      const std::int64_t v = num::to_int64(node.bits, node.dtype);
      if (node.dtype != DType::u64 || v >= 0) {
        node.range = {v, v};
        node.multiple = v == std::numeric_limits<std::int64_t>::min() ? 1 : std::abs(v);
      }
    }
    return;
  }
  const auto arg = [&](int i) -> const ValueNode& { return nodes_[node.args[i]]; };
  for (int i = 0; i < 3; ++i) {
    if (node.args[i] == kNoValue) continue;
    node.uniform = node.uniform && arg(i).uniform;
    node.poison = node.poison || arg(i).poison;
    node.alias = node.alias || arg(i).alias;
    node.level = std::max(node.level, arg(i).level);
  }
  if (!is_integral(node.dtype)) return;
  const Interval all = range_of(node.dtype);
  const auto fit = [&](Wide r) {
    if (node.dtype == DType::u64) {
      // Only what int64 can say is kept.
      const bool small = r.lo >= 0 && r.hi <= std::numeric_limits<std::int64_t>::max();
      if (small) node.range = {static_cast<std::int64_t>(r.lo), static_cast<std::int64_t>(r.hi)};
      node.may_wrap = !small;
      return small;
    }
    const bool fits = r.lo >= all.lo && r.hi <= all.hi;
    if (fits) node.range = {static_cast<std::int64_t>(r.lo), static_cast<std::int64_t>(r.hi)};
    node.may_wrap = !fits;
    return fits;
  };
  if (node.kind == Kind::select) {
    node.range = {std::min(arg(1).range.lo, arg(2).range.lo),
                  std::max(arg(1).range.hi, arg(2).range.hi)};
    node.multiple = common_divisor(arg(1).multiple, arg(2).multiple);
    return;
  }
  if (node.kind == Kind::reinterpret) return;
  if (node.kind == Kind::cast) {
    if (!is_integral(node.from)) return;
    const bool unknown = node.from == DType::u64 && arg(0).range.lo < 0;
    if (node.dtype != DType::boolean && !unknown && arg(0).range.within(all.lo, all.hi) &&
        (node.dtype != DType::u64 || arg(0).range.lo >= 0)) {
      node.range = arg(0).range;
      node.multiple = arg(0).multiple;
    }
    return;
  }
  if (!is_integral(node.from)) return;
  const Interval a = arg(0).range;
  const Interval b = node.args[1] == kNoValue ? Interval{0, 0} : arg(1).range;
  const std::int64_t ma = arg(0).multiple;
  const std::int64_t mb = node.args[1] == kNoValue ? 0 : arg(1).multiple;
  const bool known = node.from != DType::u64 || (a.lo >= 0 && b.lo >= 0);
  switch (node.op) {
    case ScalarOp::add:
      if (fit({wide(a).lo + b.lo, wide(a).hi + b.hi})) node.multiple = common_divisor(ma, mb);
      break;
    case ScalarOp::sub:
      if (fit({wide(a).lo - b.hi, wide(a).hi - b.lo})) node.multiple = common_divisor(ma, mb);
      break;
    case ScalarOp::mul:
      if (fit(times(wide(a), wide(b)))) {
        const Int128 m = static_cast<Int128>(ma) * mb;
        if (m <= std::numeric_limits<std::int32_t>::max())
          node.multiple = static_cast<std::int64_t>(m);
      }
      break;
    case ScalarOp::neg:
      if (fit({-wide(a).hi, -wide(a).lo})) node.multiple = ma;
      break;
    case ScalarOp::shl:
      if (b.single() && b.lo >= 0 && b.lo < 62) {
        if (fit(times(wide(a), {Int128{1} << b.lo, Int128{1} << b.lo}))) {
          const Int128 m = static_cast<Int128>(ma) << b.lo;
          if (m <= std::numeric_limits<std::int32_t>::max()) {
            node.multiple = static_cast<std::int64_t>(m);
          }
        }
      } else {
        node.may_wrap = true;
      }
      break;
    case ScalarOp::shr:
      if (known && b.single() && b.lo >= 0 && b.lo < 63) node.range = {a.lo >> b.lo, a.hi >> b.lo};
      break;
    case ScalarOp::floordiv:
    case ScalarOp::truncdiv:
      if (known && b.single() && b.lo > 0 && (node.op == ScalarOp::floordiv || a.lo >= 0)) {
        node.range = {floor_div(a.lo, b.lo), floor_div(a.hi, b.lo)};
        if (ma % b.lo == 0) node.multiple = ma / b.lo;
      }
      break;
    case ScalarOp::floormod:
    case ScalarOp::truncmod:
      if (known && b.lo > 0 && (node.op == ScalarOp::floormod || a.lo >= 0)) {
        node.range = a.lo >= 0 && a.hi < b.lo ? a : Interval{0, b.hi - 1};
        if (b.single()) node.multiple = common_divisor(ma, b.lo);
      }
      break;
    case ScalarOp::min:
      if (known) node.range = {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      node.multiple = common_divisor(ma, mb);
      break;
    case ScalarOp::max:
      if (known) node.range = {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      node.multiple = common_divisor(ma, mb);
      break;
    case ScalarOp::bit_and:
      if (b.lo >= 0) node.range = {0, b.hi};
      if (a.lo >= 0) node.range = {0, b.lo >= 0 ? std::min(a.hi, b.hi) : a.hi};
      break;
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      if (a.lo >= 0 && b.lo >= 0) {
        const auto top = static_cast<std::uint64_t>(std::max(a.hi, b.hi));
        const int width = static_cast<int>(std::bit_width(top));
        if (width < 63) node.range = {0, (std::int64_t{1} << width) - 1};
        // The low zero bits that both share stay zero.
        if (ma > 0 && mb > 0) {
          node.multiple = std::int64_t{1}
                          << std::min(std::countr_zero(static_cast<std::uint64_t>(ma)),
                                      std::countr_zero(static_cast<std::uint64_t>(mb)));
        }
      }
      break;
    case ScalarOp::abs:
      // Of an unsigned integer it is the value itself; an unknown uint64 spans all of int64 here.
      if (!num::is_signed(node.dtype)) {
        node.range = a;
        break;
      }
      node.may_wrap = a.lo == all.lo;
      if (!node.may_wrap) {
        node.range = {a.lo <= 0 && a.hi >= 0 ? 0 : std::min(std::abs(a.lo), std::abs(a.hi)),
                      std::max(std::abs(a.lo), std::abs(a.hi))};
      }
      break;
    default:
      break;
  }
  // Two's complement operations on bool are logical; they cannot wrap.
  if (node.dtype == DType::boolean) node.may_wrap = false;
}

}  // namespace tirx::sim
