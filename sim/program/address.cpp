// Addresses as a lane pattern, uniform parts and a vector part.
//
// An address is linear in values almost always.  Its terms that depend on the thread's place alone
// are tabulated over the CTA; if the table is (a number per warp) + (a number per lane), no vector
// arithmetic is left, and the access is one base address and a fixed pattern.
#include <algorithm>
#include <cstdlib>

#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

bool is_integral(DType dtype) {
  return num::is_int(dtype) || dtype == DType::boolean;
}

}  // namespace

/// Adds scale * value to a linear form.  `exact`: stop at operations that may wrap.
void Compiler::linearise(ValueId id, std::int64_t scale, bool exact, Linear& into) const {
  const ValueNode& node = table_[id];
  const auto term = [&] {
    for (auto& [other, factor] : into.terms) {
      if (other == id) {
        factor += scale;
        return;
      }
    }
    into.terms.emplace_back(id, scale);
  };
  if (node.kind == Kind::constant) {
    into.constant += scale * num::to_int64(node.bits, node.dtype);
    return;
  }
  constexpr int kMaxVisits = 1000;
  if (++into.visits > kMaxVisits) {
    term();
    return;
  }
  const bool wraps = exact && node.may_wrap;
  if (node.kind == Kind::op && num::is_int(node.from) && !wraps) {
    const auto constant = [&](int i) -> std::optional<std::int64_t> {
      const ValueNode& arg = table_[node.args[i]];
      if (arg.kind != Kind::constant) return std::nullopt;
      return num::to_int64(arg.bits, arg.dtype);
    };
    switch (node.op) {
      case ScalarOp::add:
        linearise(node.args[0], scale, exact, into);
        linearise(node.args[1], scale, exact, into);
        return;
      case ScalarOp::sub:
        linearise(node.args[0], scale, exact, into);
        linearise(node.args[1], -scale, exact, into);
        return;
      case ScalarOp::neg:
        linearise(node.args[0], -scale, exact, into);
        return;
      case ScalarOp::mul:
        if (const auto factor = constant(1)) {
          linearise(node.args[0], scale * *factor, exact, into);
          return;
        }
        if (const auto factor = constant(0)) {
          linearise(node.args[1], scale * *factor, exact, into);
          return;
        }
        break;
      case ScalarOp::shl:
        if (const auto shift = constant(1); shift && *shift >= 0 && *shift < 32) {
          linearise(node.args[0], scale * (std::int64_t{1} << *shift), exact, into);
          return;
        }
        break;
      default:
        break;
    }
  }
  if (node.kind == Kind::cast && is_integral(node.from) && num::is_int(node.dtype)) {
    const Interval to = range_of(node.dtype);
    const bool kept = table_[node.args[0]].range.within(to.lo, to.hi) &&
                      (node.from != DType::u64 || table_[node.args[0]].range.lo >= 0);
    // Addresses are counted in 64 bits, in which a cast to 64 bits is the number itself; a cast to
    // fewer can be another number (int16 -1 as uint16), and be an index as it is.
    if (kept || (!exact && num::bits(node.dtype) == 64)) {
      linearise(node.args[0], scale, exact, into);
      return;
    }
  }
  term();
}

const LanePattern* Compiler::pattern(const std::vector<std::int64_t>& offsets) {
  for (const auto& known : program_->patterns) {
    if (std::equal(offsets.begin(), offsets.end(), known->offset.begin())) return known.get();
  }
  auto made = std::make_unique<LanePattern>();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    made->offset[lane] = static_cast<std::int32_t>(offsets[lane]);
  }
  made->min = *std::min_element(offsets.begin(), offsets.end());
  made->max = *std::max_element(offsets.begin(), offsets.end());
  classify(*made);
  program_->patterns.push_back(std::move(made));
  return program_->patterns.back().get();
}

/// Sum of uniform terms as a 64-bit value; constant-in-loop terms first, so that they are hoisted.
ValueId Compiler::uniform_sum(std::vector<std::pair<ValueId, std::int64_t>> terms) {
  std::stable_sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) {
    return table_[a.first].level < table_[b.first].level;
  });
  ValueId sum = kNoValue;
  for (const auto& [id, scale] : terms) {
    ValueId term = table_.cast(id, DType::i64);
    if (scale != 1) {
      term = table_.binary(ScalarOp::mul, DType::i64, term,
                           table_.constant(DType::i64, static_cast<std::uint64_t>(scale)));
    }
    sum = sum == kNoValue ? term : table_.binary(ScalarOp::add, DType::i64, sum, term);
  }
  return sum;
}

Compiler::Address Compiler::split(const Linear& linear) {
  Address address;
  address.imm = linear.constant;
  const auto threads = static_cast<std::size_t>(table_.warps()) * kLanes;
  std::vector<std::int64_t> place(threads, 0);
  bool has_place = false;
  std::vector<std::pair<ValueId, std::int64_t>> uniform, varying;
  for (const auto& [id, scale] : linear.terms) {
    if (scale == 0) continue;
    const ValueNode& node = table_[id];
    if (node.kind == Kind::table) {
      has_place = true;
      const std::vector<std::uint64_t>& rows = table_.rows(id);
      for (std::size_t t = 0; t < threads; ++t) {
        place[t] += scale * num::to_int64(rows[t], node.dtype);
      }
    } else if (node.uniform) {
      uniform.emplace_back(id, scale);
    } else {
      varying.emplace_back(id, scale);
    }
  }
  std::vector<std::int64_t> lanes(kLanes, 0);
  if (has_place) {
    bool separable = true;
    for (std::size_t t = 0; t < threads && separable; ++t) {
      const std::size_t first = t & ~std::size_t{31};
      const std::int64_t offset = place[t & 31] - place[0];
      separable = place[t] - place[first] == offset && std::llabs(offset) < (1LL << 30);
    }
    if (separable) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = place[lane] - place[0];
      std::vector<std::uint64_t> warps(threads);
      for (std::size_t t = 0; t < threads; ++t) {
        warps[t] = static_cast<std::uint64_t>(place[t & ~std::size_t{31}]);
      }
      const ValueId base = table_.table(DType::i64, std::move(warps));
      if (table_[base].kind == Kind::constant) {
        address.imm += static_cast<std::int64_t>(table_[base].bits);
      } else {
        uniform.emplace_back(base, 1);
      }
    } else {
      std::vector<std::uint64_t> rows(threads);
      for (std::size_t t = 0; t < threads; ++t) rows[t] = static_cast<std::uint64_t>(place[t]);
      varying.insert(varying.begin(), {table_.table(DType::i64, std::move(rows)), 1});
    }
  }
  // Uniform terms: those fixed in this loop in one register, one more with its factor.
  std::vector<std::pair<ValueId, std::int64_t>> fixed, moving;
  for (const auto& term : uniform) {
    const bool here = static_cast<std::size_t>(table_[term.first].level) >= depth() && depth() > 0;
    (here ? moving : fixed).push_back(term);
  }
  if (moving.size() == 1) {
    address.u1 = moving[0].first;
    address.k1 = moving[0].second;
    if (!fixed.empty()) address.u0 = uniform_sum(fixed);
  } else if (!uniform.empty()) {
    address.u0 = uniform_sum(uniform);
  }
  if (varying.empty()) {
    address.pattern = pattern(lanes);
    return address;
  }
  // Vector terms, in 32 bits where they fit.
  bool narrow = true;
  std::int64_t reach = 0;
  for (const auto& [id, scale] : varying) {
    const Interval r = range(id);
    if (!r.within(-(1LL << 31), (1LL << 31) - 1) || std::llabs(scale) >= (1LL << 31)) {
      narrow = false;
      break;
    }
    reach += std::max(std::llabs(r.lo), std::llabs(r.hi)) * std::llabs(scale);
    if (reach >= (1LL << 31)) narrow = false;
    if (!narrow) break;
  }
  if (has_place && std::any_of(lanes.begin(), lanes.end(), [](std::int64_t v) { return v != 0; })) {
    std::vector<std::uint64_t> rows(threads);
    for (std::size_t t = 0; t < threads; ++t) rows[t] = static_cast<std::uint64_t>(lanes[t & 31]);
    varying.insert(varying.begin(), {table_.table(DType::i64, std::move(rows)), 1});
    for (const std::int64_t offset : lanes) reach += std::llabs(offset);
    if (reach >= (1LL << 31)) narrow = false;
  }
  std::stable_sort(varying.begin(), varying.end(), [&](const auto& a, const auto& b) {
    return table_[a.first].level < table_[b.first].level;
  });
  const DType dtype = narrow ? DType::i32 : DType::i64;
  for (const auto& [id, scale] : varying) {
    ValueId term = table_.cast(id, dtype);
    if (scale != 1) {
      term = table_.binary(ScalarOp::mul, dtype, term,
                           table_.constant(dtype, num::from_int64(scale, dtype)));
    }
    address.v = address.v == kNoValue ? term : table_.binary(ScalarOp::add, dtype, address.v, term);
  }
  return address;
}

}  // namespace tirx::sim
