#include "lower/exits.hpp"

#include <algorithm>
#include <initializer_list>

#include "ir/visit.hpp"

namespace tirx::lower {

using ir::ExecScope;

namespace {

using MayBe = std::optional<ExecScope>;

MayBe smallest(std::initializer_list<MayBe> scopes) {
  MayBe found;
  for (const MayBe& one : scopes) {
    if (one) found = std::min(found.value_or(*one), *one);
  }
  return found;
}

/// `exits` of threads that come there in groups of the scope `around`.
Exits within(ExecScope around, Exits exits) {
  for (MayBe* one : {&exits.returns, &exits.breaks, &exits.continues}) {
    if (*one) *one = std::min(**one, around);
  }
  return exits;
}

void add(Exits& all, const Exits& more) {
  all.returns = smallest({all.returns, more.returns});
  all.breaks = smallest({all.breaks, more.breaks});
  all.continues = smallest({all.continues, more.continues});
}

}  // namespace

std::optional<ExecScope> Exits::any() const {
  return smallest({returns, breaks, continues});
}

Exits exits_of(const ir::Stmt& stmt, const Guards& guards) {
  Exits all;
  if (std::holds_alternative<ir::Return>(stmt.node)) all.returns = ExecScope::kernel;
  if (std::holds_alternative<ir::Break>(stmt.node)) all.breaks = ExecScope::kernel;
  if (std::holds_alternative<ir::Continue>(stmt.node)) all.continues = ExecScope::kernel;
  ExecScope around = ExecScope::kernel;
  bool loops = true;
  if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
    around = std::min(guards.uniform_over(loop->begin), guards.uniform_over(loop->end));
  } else if (const auto* repeat = std::get_if<ir::While>(&stmt.node)) {
    around = guards.uniform_over(repeat->condition);
  } else {
    loops = false;
    if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
      around = guards.uniform_over(branch->condition);
    }
  }
  ir::for_each_body(stmt, [&](const ir::Body& nested) {
    Exits below = exits_of(nested, guards);
    if (loops) {
      // Who has left the loop does not return in a later round.
      const MayBe returns = below.returns ? smallest({below.returns, below.breaks}) : MayBe();
      below = {returns, {}, {}};
    }
    add(all, within(around, below));
  });
  return all;
}

Exits exits_of(const ir::Body& body, const Guards& guards) {
  Exits all;
  for (const ir::Stmt& stmt : body) {
    // Who is gone for the rest of the round does not come to this statement.
    const MayBe gone = smallest({all.breaks, all.continues});
    add(all, within(gone.value_or(ExecScope::kernel), exits_of(stmt, guards)));
  }
  return all;
}

bool always_leaves(const ir::Body& body) {
  if (body.empty()) return false;
  const auto& last = body.back().node;
  if (const auto* branch = std::get_if<ir::If>(&last)) {
    return always_leaves(branch->then_body) && always_leaves(branch->else_body);
  }
  return std::holds_alternative<ir::Return>(last) || std::holds_alternative<ir::Break>(last) ||
         std::holds_alternative<ir::Continue>(last);
}

}  // namespace tirx::lower
