// The two branches of a guard.  The then-branch pushes the atoms into the box until nothing
// changes; the else-branch is what is left of the box, if that is a box again.
#include "ir/scope/narrow.hpp"

#include <algorithm>
#include <utility>

namespace tirx::ir {

namespace {

/// Ranges of the same id become one: [34, …) and [0, 40) are no boxes, [34, 40) is.
std::vector<Atom> merge_ranges(const std::vector<Atom>& atoms) {
  std::vector<Atom> out;
  for (const Atom& atom : atoms) {
    const auto* range = std::get_if<IdRange>(&atom.test);
    IdRange* known = nullptr;
    for (Atom& earlier : out) {
      auto* candidate = std::get_if<IdRange>(&earlier.test);
      if (range != nullptr && candidate != nullptr && !range->negated && !candidate->negated &&
          candidate->id == range->id && candidate->dim == range->dim) {
        known = candidate;
      }
    }
    if (known == nullptr) {
      out.push_back(atom);
      continue;
    }
    known->lo = std::max(known->lo, range->lo);
    known->hi = std::min(known->hi, range->hi);
  }
  return out;
}

/// An opaque guard matters only to collective operations of a scope larger than the one it is
/// uniform over; the largest of those is the cluster.
void remember(ActiveSet& set, ExecScope uniform_over, std::string reason, Span span) {
  if (uniform_over >= ExecScope::cluster) return;
  set.opaque.push_back({uniform_over, std::move(reason), span});
}

std::vector<AxisRange*> axes_of(ActiveSet& set) {
  std::vector<AxisRange*> out = {&set.laneid, &set.warpid};
  for (AxisRange& range : set.cta) out.push_back(&range);
  return out;
}

/// The values of `all` that `part` lacks, if they are evenly spaced.
std::optional<AxisRange> subtract(const AxisRange& all, const AxisRange& part) {
  std::vector<std::int64_t> rest;
  for (std::int64_t i = 0; i < all.extent; ++i) {
    if (!part.contains(all.at(i))) rest.push_back(all.at(i));
  }
  if (rest.empty()) return std::nullopt;
  AxisRange out{static_cast<std::int64_t>(rest.size()), rest[0], all.stride};
  if (rest.size() > 1) out.stride = rest[1] - rest[0];
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (out.at(static_cast<std::int64_t>(i)) != rest[i]) return std::nullopt;
  }
  return out;
}

/// set without part, when that is a box: they differ along one axis only.
std::optional<ActiveSet> difference(const ActiveSet& set, ActiveSet part) {
  if (part.elected != set.elected) return std::nullopt;
  ActiveSet out = set;
  const std::vector<AxisRange*> whole = axes_of(out);
  const std::vector<AxisRange*> taken = axes_of(part);
  AxisRange* differing = nullptr;
  std::optional<AxisRange> rest;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i]->same_values(*taken[i])) continue;
    if (differing != nullptr) return std::nullopt;
    differing = whole[i];
    rest = subtract(*whole[i], *taken[i]);
    if (!rest) return std::nullopt;
  }
  if (differing == nullptr) {
    out.empty = true;
  } else {
    *differing = *rest;
  }
  return out;
}

class Narrowing {
 public:
  Narrowing(const ActiveSet& set, const std::vector<Atom>& atoms)
      : set_(set), box_(set), pending_(merge_ranges(atoms)) {}

  Branches run() {
    push_atoms();
    Branches out{box_, set_};
    if (box_.empty) return out;  // the condition is false for every thread
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const ExecScope scope = uniform_scope(pending_[i], set_.space);
      remember(out.then, scope, reasons_[i], pending_[i].span);
      decided_over_ = std::min(decided_over_, scope);
      if (where_.empty()) where_ = pending_[i].span;
    }
    const auto rest = pending_.empty() ? difference(set_, box_) : std::nullopt;
    if (rest) {
      out.otherwise = *rest;
    } else {
      remember(out.otherwise, decided_over_,
               "the threads that fail the condition, of its else branch, are no box", where_);
    }
    return out;
  }

 private:
  void push_atoms() {
    bool changed = true;
    while (changed && !pending_.empty()) {
      changed = false;
      reasons_.clear();
      std::vector<Atom> refused;
      for (const Atom& atom : pending_) {
        Filtered result = filter(box_, atom);
        if (result.status == FilterStatus::empty) {
          box_.empty = true;
          return;
        }
        if (result.status == FilterStatus::refused) {
          refused.push_back(atom);
          reasons_.push_back(std::move(result.reason));
          continue;
        }
        if (!(result.set == box_)) {
          decided_over_ = std::min(decided_over_, uniform_scope(atom, set_.space));
          if (where_.empty()) where_ = atom.span;
          changed = true;
        }
        box_ = std::move(result.set);
      }
      pending_ = std::move(refused);
    }
  }

  const ActiveSet& set_;
  ActiveSet box_;
  std::vector<Atom> pending_;
  std::vector<std::string> reasons_;
  ExecScope decided_over_ = ExecScope::kernel;  // all threads of this scope take the same branch
  Span where_;
};

}  // namespace

Branches narrow(const ActiveSet& set, const std::vector<Atom>& atoms) {
  return Narrowing(set, atoms).run();
}

}  // namespace tirx::ir
