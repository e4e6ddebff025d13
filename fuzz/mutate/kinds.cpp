// The table of mutations: what `tirx mutate --list` prints and `--only` chooses from.
#include "fuzz/mutate/places.hpp"
#include "ir/verify.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kSync = "synchronisation", kOrder = "memory order",
                           kBarriers = "mbarriers", kBounds = "bounds and loops",
                           kStores = "stores and addresses", kScales = "scales",
                           kValues = "arithmetic", kTiles = "tiles";

constexpr MutationKind kKinds[] = {
    {"barrier removed", kSync, "one cta_sync, warp_sync, named or cluster barrier"},
    {"barrier under a condition", kSync, "one cta_sync that only half of the threads reach"},
    {"barrier's thread count off", kSync, "one named barrier for a warp more"},
    {"wrong barrier id", kSync, "one named barrier with the next id"},
    {"wait removed", kSync, "one wait_group, wait_all, mbarrier wait, or the loop around try_wait"},
    {"wait for one group less", kSync, "wait_group(n) becomes wait_group(n + 1)"},
    {"commit removed", kSync, "one commit_group"},
    {"arrival removed", kSync, "one arrival at a named barrier, a cluster barrier or an mbarrier"},
    {"shuffle distance off", kSync, "a shuffle reads the lane one further"},
    {"fence removed", kOrder, "one fence"},
    {"release made relaxed", kOrder, "one release or acq_rel of a store, an atomic or an arrival"},
    {"acquire made relaxed", kOrder, "one acquire or acq_rel of a load or an atomic"},
    {"scope narrowed", kOrder,
     "an order or a fence of .gpu, .sys or .cluster holds in the CTA only"},
    {"atomic made plain", kOrder, "one atomic without result becomes a load and a store"},
    {"arrival twice", kBarriers, "one arrival at an mbarrier is made twice"},
    {"phase not flipped", kBarriers, "a wait's parity is always 0; phase ^ 1 is not stored"},
    {"wrong parity", kBarriers, "one wait for the other phase"},
    {"arrival count off by one", kBarriers,
     "an mbarrier is initialised for one arrival more, or less"},
    {"transaction bytes off", kBarriers, "expect_tx expects 16 bytes more"},
    {"guard missing", kBounds, "`if i < n:` without the `if`"},
    {"guard of one thread missing", kBounds, "`if tx == 0:` without the `if`"},
    {"condition dropped", kBounds, "one side of an `and` or `or`"},
    {"bound one too large", kBounds, "`<` becomes `<=`, `>` becomes `>=`"},
    {"bound one too small", kBounds, "`i < n` becomes `i < n - 1`, `<=` becomes `<`"},
    {"floor for ceil", kBounds, "`(x + n - 1) // n` becomes `x // n`"},
    {"last block of a loop missing", kBounds, "a loop around loops ends one step early"},
    {"last trip of a loop missing", kBounds, "an innermost loop ends one step early"},
    {"tile missing", kBounds, "the first CTA does nothing"},
    {"last row unwritten", kStores, "one store to a global tensor leaves its last row out"},
    {"neighbouring columns swapped", kStores, "one store to a global tensor"},
    {"row and column exchanged", kStores, "one store to a global tensor"},
    {"address one element off", kStores, "one pointer operand of an instruction"},
    {"wrong stage", kStores, "a ring of buffers or barriers is used one stage on"},
    {"accumulator not cleared", kStores, "one `acc = 0` in registers"},
    {"padding not cleared", kStores, "one zero stored to shared memory"},
    {"wrong swizzle", kStores, "one access through the layout without its swizzle"},
    {"scale index shifted", kScales, "one scale, of the next block"},
    {"scale of the block before", kScales, "one scale, of the block before"},
    {"scale of the first block of four", kScales, "one scale, of block 4 * (k // 4)"},
    {"scale transposed", kScales, "one scale, its two indices exchanged"},
    {"scale along the other axis", kScales, "SFA by the column's index, SFB by the row's"},
    {"offset of a scale dropped", kScales, "one addend of a scale's index"},
    {"scaled twice", kScales, "one product with a scale"},
    {"not scaled", kScales, "one product with a scale"},
    {"promotion every second block", kScales, "the sum of a block is promoted every second time"},
    {"last promotion missing", kScales, "the sum of the last block is not promoted"},
    {"promotion interval ignored", kScales, "gemm without promotion_interval"},
    {"rounded toward zero", kValues, "one cast from float32 to a smaller float"},
    {"rounded twice", kValues, "fma(a, b, c) becomes a * b + c"},
    {"contracted", kValues, "a * b + c becomes fma(a, b, c)"},
    {"products in another order", kValues, "(a * b) * c becomes a * (b * c)"},
    {"clamp missing", kValues, "max(x, constant) or min(x, constant) becomes x"},
    {"factor ignored", kValues, "one product with a scalar parameter; alpha of gemm"},
    {"tile operation missing", kTiles, "one tile call"},
    {"wrong tile", kTiles, "one region lies one tile further"},
    {"half of a copy missing", kTiles, "one copy of half as many rows"},
    {"fill missing", kTiles, "one copy or gemm without its fill_mode"},
    {"accumulation lost", kTiles, "gemm with beta = 0"},
    {"accumulator added", kTiles, "gemm with beta = 1 where it was 0"},
    {"operand transposed", kTiles,
     "gemm with transpose_A or transpose_B the other way; ldmatrix .trans"},
};

}  // namespace

std::span<const MutationKind> mutation_kinds() {
  return kKinds;
}

std::vector<Mutation> synchronisation_mutations(const ir::Kernel& kernel) {
  Places places(kernel);
  find_synchronisation(places);
  return places.take();
}

std::vector<Mutation> possible_mutations(const ir::Kernel& kernel) {
  Places places(kernel);
  find_synchronisation(places);
  find_memory_order(places);
  find_mbarriers(places);
  find_conditions(places);
  find_stores(places);
  find_stages(places);
  find_scales(places);
  find_promotion(places);
  find_arithmetic(places);
  find_tiles(places);
  find_gemm(places);
  return places.take();
}

std::vector<Mutation> all_mutations(const ir::Kernel& kernel) {
  std::vector<Mutation> found;
  for (Mutation& mutation : possible_mutations(kernel)) {
    // An index may name what is not bound at the other place; a region may leave its buffer.
    if (!ir::verify(mutation.apply(kernel))) found.push_back(std::move(mutation));
  }
  return found;
}

}  // namespace tirx::fuzz
