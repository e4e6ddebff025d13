// Block sums of a scaled GEMM that are promoted too seldom.  A loop over blocks clears `temp`, sums
// into it, and adds it to the accumulator with its scale: acc = fma(scale, temp, acc).
#include <algorithm>
#include <optional>

#include "fuzz/mutate/places.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using ir::Stmt;
using num::ScalarOp;

bool reads(const Expr& expr, const ir::Storage* storage) {
  bool found = false;
  ir::for_each_expr(expr, [&](const Expr& e) {
    const auto* load = ir::as<ir::Load>(e);
    found = found || (load != nullptr && load->from.buffer->storage.get() == storage);
  });
  return found;
}

/// acc = fma(_, temp, acc), or acc + _ * temp: the storage of temp.
const ir::Storage* promoted(const Stmt& stmt, const std::set<const ir::Storage*>& temporaries) {
  const auto* store = std::get_if<ir::Store>(&stmt.node);
  if (store == nullptr || !num::is_float(store->value->type.dtype)) return nullptr;
  const ir::Storage* sum = store->to.buffer->storage.get();
  if (store->to.buffer->scope() != ir::MemoryScope::local || !reads(store->value, sum))
    return nullptr;
  for (const ir::Storage* temporary : temporaries) {
    if (temporary != sum && reads(store->value, temporary)) return temporary;
  }
  return nullptr;
}

/// A statement with a block inside it: what the loop's body runs in each trip, whatever the guards
/// and inner loops around it.
struct Numbered {
  std::size_t n;
  const Stmt* stmt;
};

/// The statements below a loop, by their numbers.
std::vector<Numbered> below(const ir::Kernel& kernel, std::size_t loop) {
  std::vector<Numbered> out;
  std::optional<std::size_t> last;
  number_statements(kernel, [&](std::size_t n, const Stmt& stmt) {
    if (n == loop) {
      std::size_t inside = 0;
      ir::for_each_in_body(
          {stmt}, [&](const Stmt&) { ++inside; }, [](const Expr&) {});
      last = n + inside;
    } else if (last && n < *last) {
      out.push_back({n, &stmt});
    }
  });
  return out;
}

const ir::For& loop_at(const ir::Kernel& kernel, std::size_t wanted) {
  const ir::For* found = nullptr;
  number_statements(kernel, [&](std::size_t n, const Stmt& stmt) {
    if (n == wanted) found = std::get_if<ir::For>(&stmt.node);
  });
  return *found;
}

Expr is_last(const ir::For& loop, bool negated) {
  const Expr var = ir::make_var(loop.var);
  const Expr step = loop.step ? loop.step : same_type(1, loop.end);
  const Expr next = scalar(ScalarOp::add, var, extent_like(step, var));
  return scalar(negated ? ScalarOp::lt : ScalarOp::ge, next, extent_like(loop.end, var));
}

Expr is_odd(const ir::For& loop, bool negated) {
  const Expr var = ir::make_var(loop.var);
  return scalar(negated ? ScalarOp::eq : ScalarOp::ne,
                scalar(ScalarOp::floormod, var, same_type(2, var)), same_type(0, var));
}

ir::Kernel guarded(const ir::Kernel& kernel, std::size_t n, const Expr& condition) {
  return with_statement(kernel, n, [&](const Stmt& old) { return only_where(condition, old); });
}

void of_loop(Places& places, std::size_t loop, const Stmt& stmt) {
  std::set<const ir::Storage*> temporaries;
  std::vector<Numbered> clears, promotions;
  const std::vector<Numbered> inside = below(places.kernel(), loop);
  for (const Numbered& one : inside) {
    const auto* store = std::get_if<ir::Store>(&one.stmt->node);
    if (store == nullptr || !is_zero(store->value) || !num::is_float(store->value->type.dtype) ||
        store->to.buffer->scope() != ir::MemoryScope::local)
      continue;
    temporaries.insert(store->to.buffer->storage.get());
    clears.push_back(one);
  }
  for (const Numbered& one : inside) {
    const ir::Storage* temporary = promoted(*one.stmt, temporaries);
    if (temporary == nullptr) continue;
    places.whole("last promotion missing", one.stmt->span, describe({*one.stmt}),
                 "not in the last trip of the loop over " + std::get<ir::For>(stmt.node).var->name,
                 [loop, n = one.n](const ir::Kernel& kernel) {
                   return guarded(kernel, n, is_last(loop_at(kernel, loop), true));
                 });
    std::vector<std::size_t> cleared;
    for (const Numbered& clear : clears) {
      if (std::get<ir::Store>(clear.stmt->node).to.buffer->storage.get() == temporary)
        cleared.push_back(clear.n);
    }
    places.whole("promotion every second block", one.stmt->span, describe({*one.stmt}),
                 "in every second trip of the loop over " + std::get<ir::For>(stmt.node).var->name,
                 [loop, n = one.n, cleared](const ir::Kernel& kernel) {
                   // From the end: a statement that gets a guard moves the numbers behind it.
                   std::vector<std::size_t> all = cleared;
                   all.push_back(n);
                   std::sort(all.rbegin(), all.rend());
                   ir::Kernel out = kernel;
                   for (const std::size_t at : all) {
                     const ir::For& over = loop_at(kernel, loop);
                     const Expr promote = ir::make_expr(
                         ir::kBool, {}, ir::Or{is_odd(over, false), is_last(over, false)});
                     out = guarded(out, at, at == n ? promote : is_odd(over, true));
                   }
                   return out;
                 });
  }
}

}  // namespace

void find_promotion(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    if (loop == nullptr || loop->kind == ir::LoopKind::unroll) return;
    if (may_repeat(*loop)) of_loop(places, n, stmt);
  });
}

}  // namespace tirx::fuzz
