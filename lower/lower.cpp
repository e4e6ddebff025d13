// Order of the steps: thread ids and launch, body, shared memory, limits.
#include "lower/lower.hpp"

#include <utility>

#include "ir/known_values.hpp"
#include "ir/verify.hpp"
#include "lower/explain.hpp"
#include "lower/lowering.hpp"
#include "lower/whole_bytes.hpp"

namespace tirx::lower {

Lowering::Lowering(const ir::Kernel& kernel, const ir::Target& target)
    : kernel_(kernel), target_(target), expressions_(target, facts_), guards_(kernel, facts_) {
  result_.name = kernel.name;
  result_.source = kernel.source;
  result_.span = kernel.span;
  result_.target = &target;
  result_.params = kernel.params;
  result_.symbols = kernel.symbols;
  result_.attributes = kernel.attributes;
}

void Lowering::fail(Diagnostic diagnostic) {
  expressions_.fail(diagnostic.span, std::move(diagnostic.text), std::move(diagnostic.notes));
}

Result<LoweredKernel> Lowering::run() {
  for (const ir::Var& symbol : kernel_.symbols) facts_.set(symbol, ir::facts_of_symbol(symbol));
  bind_thread_ids();
  if (!failed()) {
    result_.host_body = lower_body(kernel_.host_body);
    result_.body = lower_body(kernel_.body);
  }
  if (!failed()) {
    const auto refused =
        shared_.finish(target_, kernel_.attributes.dynamic_shared_bytes, kernel_.span);
    if (refused) fail(*refused);
  }
  if (!failed()) check_launch();
  if (!failed()) {
    if (const auto refused = check_whole_bytes(result_.body)) fail(*refused);
  }
  if (failed()) return *expressions_.error();
  drop_unused_thread_vars();
  result_.shared = shared_.places;
  result_.static_shared_bytes = shared_.static_bytes;
  result_.dynamic_shared_bytes = shared_.dynamic_bytes;
  return std::move(result_);
}

Result<LoweredKernel> lower(const ir::Kernel& kernel, const ir::Target& target) {
  if (auto wrong = ir::verify(kernel)) return *std::move(wrong);
  return Lowering(kernel, target).run();
}

Result<LoweredKernel> lower_explained(const ir::Kernel& kernel, const ir::Target& target) {
  if (auto wrong = ir::verify(kernel)) return *std::move(wrong);
  Lowering lowering(kernel, target);
  lowering.explain();
  return lowering.run();
}

}  // namespace tirx::lower
