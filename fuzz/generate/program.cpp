#include "fuzz/generate/program.hpp"

#include <vector>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/documented.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/planted.hpp"
#include "fuzz/generate/second.hpp"
#include "fuzz/generate/statement.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void choose_types(Draft& draft) {
  draft.types = {DType::i32};
  const int extra = draft.dice.between(1, 3);
  for (int i = 0; i < extra; ++i) {
    const DType dtype =
        draft.dice.pick(std::vector<DType>(arithmetic_types().begin(), arithmetic_types().end()));
    bool known = false;
    for (const DType other : draft.types) known = known || other == dtype;
    if (!known) draft.types.push_back(dtype);
  }
}

void start(Draft& draft) {
  draft.values = {{"tx", DType::i32}, {"lane", DType::i32}, {"bx", DType::i32}};
  if (draft.dice.chance(30)) {
    const DType dtype = draft.dice.one_of({DType::i32, DType::u32, DType::i64, DType::f32});
    const char* value = num::is_float(dtype)
                            ? draft.dice.one_of<const char*>({"0.75", "-2.5", "0.0", "1e30"})
                            : draft.dice.one_of<const char*>({"0", "1", "7", "2147483647"});
    draft.values.push_back({draft.scalar(dtype, value), dtype});
    draft.mark("scalar parameter");
  }
  for (const DType dtype : draft.types) declare_variable(draft, dtype);
  if (draft.dice.chance(40)) declare_array(draft, draft.dice.pick(draft.types));
}

/// What every thread ends with, so that nothing computed goes unseen; perhaps some leave early.
void finish(Draft& draft) {
  if (draft.dice.chance(15)) {
    draft.line("if {}:", condition(draft, 1));
    const Draft::Block block(draft);
    draft.line("return");
    draft.mark("return");
  }
  int slot = 0;
  // Of the values named on the way, the last ones; then the variables.
  int named = 0;
  for (std::size_t i = draft.values.size(); i-- > 0 && named < 3;) {
    const Name value = draft.values[i];
    if (value.text[0] != 'v') continue;
    if (value.dtype == DType::boolean) {
      draft.line("{}[row, {}] = T.cast({}, \"int32\")", draft.output(DType::i32), slot++,
                 value.text);
    } else {
      draft.line("{}[row, {}] = {}", draft.output(value.dtype), slot++, value.text);
    }
    ++named;
  }
  for (const Name& variable : draft.variables)
    draft.line("{}[row, {}] = {}", draft.output(variable.dtype), slot++ % Draft::kSlots,
               variable.text);
}

void one_phase(Draft& draft, bool synchronised) {
  const int roll = draft.dice.below(100);
  if (synchronised) {
    if (roll < 45) return shared_exchange(draft);
    if (roll < 60) return warp_private_exchange(draft);
    if (roll < 75) return producer_consumer(draft);
    if (roll < 85) return atomics(draft);
    if (roll < 92) return async_pipeline(draft);
    return tile_copies(draft);
  }
  if (draft.cluster && draft.dice.chance(25)) return cluster_exchange(draft);
  if (roll < 20) return straight(draft, 3, draft.dice.between(2, 5));
  if (roll < 23) return inlined(draft);
  if (roll < 30) return shared_exchange(draft);
  if (roll < 34) return warp_private_exchange(draft);
  if (roll < 37) return producer_consumer(draft);
  if (roll < 45) return warp_exchange(draft);
  if (roll < 51) return atomics(draft);
  if (roll < 60) return elementwise(draft);
  if (roll < 64) return async_pipeline(draft);
  if (roll < 68) return tile_reductions(draft);
  if (roll < 70) return permutations(draft);
  if (roll < 78) return matrix_products(draft);
  if (roll < 82) return block_scales(draft);
  if (roll < 85) return mbarrier_pipeline(draft);
  if (roll < 90) return edge_copies(draft);
  if (roll < 97) return instructions(draft);
  tile_copies(draft);
}

/// Of a hundred seeds `percent` have a turn, spread evenly; which turn it is.
std::optional<std::uint64_t> turn_of(std::uint64_t seed, int percent) {
  const auto p = static_cast<std::uint64_t>(percent);
  const auto before = [&](std::uint64_t n) { return n / 100 * p + n % 100 * p / 100; };
  if (before(seed + 1) == before(seed)) return std::nullopt;
  return before(seed);
}

/// A fault on that ground, each as often as the others: nothing comes twice before everything has
/// come. Every round starts elsewhere, so that one of them does not meet even seeds only.
std::size_t in_turn(std::uint64_t turn, Ground ground) {
  const std::size_t count = planted_on(ground);
  return planted_on(ground, static_cast<std::size_t>((turn + turn / count * 7) % count));
}

/// The fault whose right lines the program ends in, what is just not refused; kNone: of no fault.
constexpr std::size_t kNone = ~std::size_t{0};

std::size_t right_lines_of(std::uint64_t seed) {
  const auto turn = turn_of(seed, 18);
  return turn ? in_turn(*turn, Ground::tile) : kNone;
}

}  // namespace

Program generate(std::uint64_t seed, const ProgramOptions& options) {
  Draft draft(seed);
  draft.ctas = draft.dice.between(1, 3);
  draft.threads = 32 * draft.dice.one_of({1, 2, 3, 4});
  if (options.synchronised && draft.threads == 32) draft.threads = 64;
  if (options.planted) draft.threads = draft.dice.one_of({64, 128});
  constexpr std::uint64_t kGroupStream = 0x7767726f75707321U;  // two warpgroups
  if (!options.synchronised && !options.planted && Dice(seed ^ kGroupStream).chance(8))
    draft.threads = 256;
  // Clusters of two.
  draft.cluster = draft.ctas == 2 && !options.synchronised && draft.dice.chance(25);
  const bool alone = options.corner || options.planted || options.synchronised;
  const std::size_t beside = alone || options.second ? kNone : right_lines_of(seed);
  const bool right = beside != kNone;
  if (right) draft.threads = draft.dice.one_of({64, 128});
  if (options.planted || right) draft.cluster = false;
  constexpr std::uint64_t kGridStream = 0x6772696420736967U;  // the rest is what it is without
  draft.sized_at_launch =
      !draft.cluster && !options.planted && !right && Dice(seed ^ kGridStream).chance(12);
  if (draft.sized_at_launch) draft.mark("grid of symbolic size");
  draft.by_name = draft.dice.chance(35);
  if (options.corner) make_room(draft, corner_of(*options.corner));
  if (options.planted) make_room(draft, planted_fault(options.planted->fault));
  if (right) make_room(draft, planted_fault(beside));
  choose_types(draft);
  start(draft);
  int phases = draft.dice.between(2, options.synchronised ? 3 : 5);
  if (options.corner) phases = 0;
  if (options.planted) phases = options.planted->bare ? 0 : phases / 3;
  if (right) phases = planted_fault(beside).right.starts_with("^threads") ? 0 : 1;
  for (int i = 0; i < phases; ++i) one_phase(draft, options.synchronised);
  if (options.corner) {
    corner_of(*options.corner).write(draft);
  } else if (right) {
    plant(draft, beside, false);
  } else if (!options.planted && !options.synchronised) {
    for (int i = corners_in(seed); i > 0; --i) any_corner(draft);
    constexpr std::uint64_t kBesideStream = 0x6265736964652121U;
    if (Dice(seed ^ kBesideStream).chance(12)) beside_a_fault(draft, true);
  }
  if (options.planted) plant(draft, options.planted->fault, options.planted->wrong);
  finish(draft);
  if (options.second || (!alone && has_second_kernel(seed))) second_kernel(draft, seed);
  if (!alone && has_documented_kernel(seed)) documented_kernel(draft, seed);
  Program program;
  program.seed = seed;
  program.features = draft.features;
  program.has_alternative = draft.has_alternative;
  program.text = draft.text();
  return program;
}

std::optional<Planting> refused_planting_of(std::uint64_t seed, int percent) {
  const auto turn = turn_of(seed, percent);
  if (!turn) return std::nullopt;
  return Planting{.fault = in_turn(*turn, Ground::tile)};
}

std::optional<Planting> reported_planting_of(std::uint64_t seed, int percent) {
  const auto turn = turn_of(seed, percent);
  if (!turn) return std::nullopt;
  constexpr std::uint64_t kOwnStream = 0x72756e74696d6521U;
  Dice dice(seed ^ kOwnStream);
  return Planting{
      .fault = in_turn(*turn, Ground::threads), .wrong = dice.chance(85), .bare = dice.chance(90)};
}

}  // namespace tirx::fuzz
