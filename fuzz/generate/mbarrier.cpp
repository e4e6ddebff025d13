// Producers and consumers in stages, ordered by mbarriers instead of barriers of the CTA: each
// stage has one that says full and one that says empty (PTX ISA, "mbarrier").
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

void mbarrier_pipeline(Draft& draft) {
  // One pool of shared memory a program.
  if (draft.pool || draft.warps() < 2) return shared_exchange(draft);
  draft.pool = true;
  const num::DType dtype = draft.dice.one_of({num::DType::f32, num::DType::i32, num::DType::u32});
  const std::string type = type_name(dtype);
  const int producers = draft.dice.between(1, draft.warps() - 1);
  const int consumers = draft.warps() - producers;
  const int stages = draft.dice.between(1, 4), steps = draft.dice.between(2, 6);
  const int row = producers * 32;
  const bool copies = draft.dice.chance(50);
  const std::string in = draft.tile_input(fmt::format("{}, {}", steps, row), dtype, "bits");
  const std::string out = draft.tile_output(fmt::format("{}, {}", steps, consumers * 32), dtype);
  const std::string tile = draft.fresh("S"), full = draft.fresh("full"),
                    empty = draft.fresh("empty"), state = draft.fresh("state"),
                    i = draft.fresh("i");
  draft.line("pool = T.SMEMPool()");
  draft.line("{} = pool.alloc(({}, {}), \"{}\")", tile, stages, row, type);
  draft.line("{} = MBarrier(pool, {})", full, stages);
  draft.line("{} = MBarrier(pool, {})", empty, stages);
  draft.line("{}.init({})", full, row);
  draft.line("{}.init({})", empty, consumers * 32);
  draft.line("T.cuda.cta_sync()");
  draft.line("{} = PipelineState({}, 0)", state, stages);
  const auto each_step = [&](auto&& body) {
    draft.line("for {} in range({}):", i, steps);
    const Draft::Block block(draft);
    body();
    draft.line("{}.advance()", state);
  };
  draft.line("if warp < {}:", producers);
  {
    const Draft::Block block(draft);
    each_step([&] {
      // The first round of every stage is free: the phase before the first is complete.
      draft.line("{0}.wait({1}.stage, {1}.phase ^ 1)", empty, state);
      if (copies) {
        draft.line(
            "T.ptx.cp.async_.ca.shared.global_({}.ptr_to([{}.stage, tx]), {}.ptr_to([bx, {}, tx]), "
            "4)",
            tile, state, in, i);
        draft.line("T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64({}.ptr_to({}.stage))", full,
                   state);
      } else {
        draft.line("{}[{}.stage, tx] = {}[bx, {}, tx]", tile, state, in, i);
        draft.line("{}.arrive({}.stage)", full, state);
      }
    });
  }
  draft.line("else:");
  {
    const Draft::Block block(draft);
    each_step([&] {
      draft.line("{0}.wait({1}.stage, {1}.phase)", full, state);
      draft.line("{}[bx, {}, tx - {}] = {}[{}.stage, (tx * {} + {}) % {}]", out, i, row, tile,
                 state, draft.dice.one_of({1, 3, 5}), draft.dice.below(row), row);
      draft.line("{}.arrive({}.stage)", empty, state);
    });
  }
  cta_barrier(draft);
  draft.mark(fmt::format("mbarrier pipeline, {} stages{}", stages, copies ? ", cp.async" : ""));
}

}  // namespace tirx::fuzz
