// A change may break the kernel elsewhere as well (a grid that is larger leaves a tensor): then
// nothing is said.  What is taken must be taken rightly, and a refusal that is not due must not
// have the limit's words.
#include "fuzz/check/limits.hpp"

#include <string_view>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

class Limits {
 public:
  Limits(const ir::Kernel& kernel, const lower::LoweredKernel& lowered)
      : kernel_(kernel),
        lowered_(lowered),
        target_(lowered.target != nullptr ? *lowered.target : ir::default_target()) {}

  std::optional<std::string> run() {
    threads_and_memory();
    clusters();
    dynamic_memory();
    grids();
    oldest();
    return wrong_;
  }

 private:
  void wrong(std::string_view what, std::string_view how) {
    if (!wrong_) wrong_ = fmt::format("{}: {}", what, how);
  }

  void allowed(const Result<lower::LoweredKernel>& made,
               std::string_view words,
               std::string_view what) {
    if (!made && made.error().text.find(words) != std::string::npos)
      wrong(what, fmt::format("refused: {}", made.error().text));
  }

  void refused(const Result<lower::LoweredKernel>& made, std::string_view what) {
    if (made) wrong(what, "the lowering does not refuse it");
  }

  void threads_and_memory() {
    ir::Target exact = target_;
    exact.max_threads_per_cta = lowered_.launch.threads();
    exact.max_static_shared = lowered_.static_shared_bytes;
    exact.max_dynamic_shared = lowered_.static_shared_bytes + lowered_.dynamic_shared_bytes;
    const Result<lower::LoweredKernel> made = lower::lower(kernel_, exact);
    if (!made) return wrong("an architecture that allows just as much", made.error().text);
    ir::Target less = exact;
    --less.max_threads_per_cta;
    refused(lower::lower(kernel_, less), "a thread too many");
    less = exact;
    if (--less.max_static_shared >= 0)
      refused(lower::lower(kernel_, less), "a byte too much of static shared memory");
    less = exact;
    if (--less.max_dynamic_shared >= 0)
      refused(lower::lower(kernel_, less), "a byte too much of shared memory");
  }

  [[nodiscard]] std::int64_t cluster() const {
    const auto& c = lowered_.launch.cluster;
    return c[0] * c[1] * c[2];
  }

  void clusters() {
    ir::Target target = target_;
    target.max_cluster = cluster();
    allowed(lower::lower(kernel_, target), "cluster", "a cluster that just fits");
    if (--target.max_cluster > 0) refused(lower::lower(kernel_, target), "a CTA too many");
  }

  void dynamic_memory() {
    const auto with = [&](std::int64_t bytes) {
      ir::Kernel changed = kernel_;
      changed.attributes.dynamic_shared_bytes = bytes;
      return lower::lower(changed, target_);
    };
    const std::int64_t most = target_.max_dynamic_shared - lowered_.static_shared_bytes;
    const Result<lower::LoweredKernel> made = with(most);
    allowed(made, "bytes", "all of the dynamic shared memory");
    if (made && made->dynamic_shared_bytes != most)
      wrong("all of the dynamic shared memory", "it gets another size");
    refused(with(most + 1), "a byte more of dynamic shared memory than there is");
    std::int64_t needed = 0;
    for (const lower::SharedPlace& place : lowered_.shared) {
      if (place.storage->scope == ir::MemoryScope::shared_dynamic) needed = place.bytes;
    }
    allowed(with(needed), "bytes", "as much dynamic shared memory as is allocated");
    if (needed > 0) refused(with(needed - 1), "less dynamic shared memory than is allocated");
  }

  /// The grid as another number along one dimension, where the kernel says a number.
  void grids() {
    for (std::size_t at = 0; at < kernel_.scope_ids.size(); ++at) {
      const ir::ScopeIdDef& def = kernel_.scope_ids[at];
      if (def.kind != ir::ScopeIdKind::cta_id) continue;
      for (std::size_t d = 0; d < def.extents.size() && d < 3; ++d) {
        std::int64_t extent = 0;
        if (!ir::is_const_int(def.extents[d], extent)) continue;
        const auto with = [&](std::int64_t ctas) {
          ir::Kernel changed = kernel_;
          changed.scope_ids[at].extents[d] = ir::make_int(ctas, ir::kInt64);
          return lower::lower(changed, target_);
        };
        const std::int64_t own = lowered_.launch.cluster[d],
                           most = d == 0 ? (std::int64_t{1} << 31) - 1 : 65535;
        allowed(with(most / own * own), "the grid has at most", "the largest grid");
        refused(with((most / own + 1) * own), "a grid that is too large");
        if (own > 1) refused(with(own + 1), "a part of a cluster");
      }
    }
  }

  /// What is lowered for it exists there.
  void oldest() {
    const ir::Target& old = *ir::find_target("sm_80");
    const Result<lower::LoweredKernel> made = lower::lower(kernel_, old);
    if (!made) return;
    ir::for_each_in_body(
        made->body, [](const ir::Stmt&) {},
        [&](const ir::Expr& expr) {
          const auto* call = ir::as<ir::MachineCall>(expr);
          if (call == nullptr) return;
          const auto* address = call->args.empty() ? nullptr : ir::as<ir::AddressOf>(call->args[0]);
          const bool halves = call->op == ir::AllOps::id_of<ir::AtomicAdd>() &&
                              address != nullptr &&
                              address->element.buffer->dtype == num::DType::bf16;
          if (halves || !ir::ptx::exists_on(*call, old.sm))
            wrong("lowered for sm_80", fmt::format("{} is not there", ir::ptx::name_of(*call)));
        });
    if (cluster() > 1) wrong("lowered for sm_80", "there are no clusters");
  }

  const ir::Kernel& kernel_;
  const lower::LoweredKernel& lowered_;
  const ir::Target& target_;
  std::optional<std::string> wrong_;
};

}  // namespace

std::optional<std::string> wrong_limits(const ir::Kernel& kernel,
                                        const lower::LoweredKernel& lowered) {
  return Limits(kernel, lowered).run();
}

}  // namespace tirx::fuzz
