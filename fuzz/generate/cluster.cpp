// CTAs of a cluster exchange values through global memory, ordered by the cluster's barrier.
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

void cluster_exchange(Draft& draft) {
  if (!draft.cluster) return shared_exchange(draft);
  const num::DType dtype = draft.dice.pick(draft.types);
  const std::string type = type_name(dtype);
  const std::string between = draft.fresh("Between"), out = draft.fresh("Tout");
  const std::string shape = fmt::format("({}, {})", draft.ctas, draft.threads);
  for (const std::string& name : {between, out})
    draft.parameter(name, shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  draft.line("{}[bx, tx] = {}", between, expression(draft, dtype, 2));
  if (draft.dice.chance(50)) {
    draft.line("T.cuda.cluster_sync()");
  } else {
    draft.line("T.ptx.barrier.cluster.arrive()");
    draft.line("T.ptx.barrier.cluster.wait()");
  }
  draft.line("{}[bx, tx] = {}[bx - rank + (1 - rank), (tx * {} + {}) % {}]", out, between,
             draft.dice.one_of({1, 3, 5}), draft.dice.below(draft.threads), draft.threads);
  draft.line("T.cuda.cluster_sync()");
  draft.mark("barrier cluster");
  draft.mark("barrier");
}

}  // namespace tirx::fuzz
