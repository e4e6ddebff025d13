#include "fuzz/generate/planted.hpp"

#include <array>

#include "fuzz/generate/planted_ground.hpp"
#include "ir/base/check.hpp"

namespace tirx::fuzz {

namespace {

constexpr auto kLists = std::to_array<PlantedList (*)()>(
    {planted_in_copies,    planted_in_products,  planted_in_language, planted_in_memory,
     planted_in_fragments, planted_in_gemm,      planted_in_parts,    planted_in_threads,
     planted_in_guards,    faults_of_one_thread, faults_of_values,    faults_of_order,
     faults_between_ctas,  faults_of_copies,     faults_at_barriers,  faults_of_exits,
     faults_of_operands,   faults_of_scopes,     faults_of_patterns,  faults_of_registers,
     faults_of_holes,      faults_of_facts,      faults_of_machine,   faults_of_accesses,
     faults_of_tiles,      planted_in_overlap,   planted_in_limits,   planted_in_leaving});

struct Numbered {
  const PlantedFault& fault;
  Ground ground;
};

Numbered numbered(std::size_t number) {
  TIRX_CHECK(number < planted_faults());
  auto list = kLists.begin();
  while (number >= (*list)().faults.size()) number -= (*list++)().faults.size();
  return {(*list)().faults[number], (*list)().ground};
}

}  // namespace

std::size_t planted_faults() {
  std::size_t count = 0;
  for (const auto list : kLists) count += list().faults.size();
  return count;
}

const PlantedFault& planted_fault(std::size_t number) {
  return numbered(number).fault;
}

std::size_t planted_on(Ground ground) {
  std::size_t count = 0;
  for (const auto list : kLists) count += list().ground == ground ? list().faults.size() : 0;
  return count;
}

std::size_t planted_on(Ground ground, std::size_t which) {
  TIRX_CHECK(which < planted_on(ground));
  std::size_t first = 0;
  for (const auto make : kLists) {
    const PlantedList list = make();
    if (list.ground == ground) {
      if (which < list.faults.size()) return first + which;
      which -= list.faults.size();
    }
    first += list.faults.size();
  }
  return 0;
}

std::size_t any_planted(Dice& dice, Ground ground) {
  const auto count = static_cast<int>(planted_on(ground));
  return planted_on(ground, static_cast<std::size_t>(dice.below(count)));
}

namespace {

/// CTAs follow each other along y or z, and so do those of a cluster.
void along_another_dimension(Draft& draft) {
  const bool deep = draft.dice.chance(50);
  const auto ids = [&](std::string_view one, std::string_view last, std::string_view of,
                       int count) {
    draft.head +=
        deep ? fmt::format("    {0}0, {0}1, {1} = T.{2}([1, 1, {3}])\n", one, last, of, count)
             : fmt::format("    {0}0, {1} = T.{2}([1, {3}])\n", one, last, of, count);
  };
  ids("pg", "bx", "cta_id", draft.ctas);
  if (draft.cluster) ids("pc", "rank", "cta_id_in_cluster", 2);
  draft.cluster = false;  // its rank is declared
  draft.head += fmt::format(
      "    warp = T.warp_id([{0}])\n    lane = T.lane_id([32])\n    tx = T.thread_id([{1}])\n"
      "    row: T.let = bx * {1} + tx\n",
      draft.warps(), draft.threads);
}

}  // namespace

std::string filled_in(std::string text, const PlantedWords& words) {
  for (const auto& [word, by] : words) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), by);
      at += by.size();
    }
  }
  return text;
}

std::string text_of(const PlantedFault& fault, bool wrong) {
  std::string all;
  for (const std::string_view part :
       {fault.common, fault.setup, wrong ? fault.wrong : fault.right}) {
    if (part.empty()) continue;
    all += part;
    all += '\n';
  }
  return all;
}

bool has_room(const Draft& draft, const PlantedFault& fault) {
  return draft.warps() >= 2 && draft.ctas >= fault.needs.ctas &&
         (draft.cluster || !fault.needs.pairs);
}

void make_room(Draft& draft, const PlantedFault& fault) {
  draft.ctas = std::max(draft.ctas, fault.needs.ctas);
  if (fault.needs.pairs) draft.ctas = 2;
  draft.cluster = fault.needs.pairs;
  // A kernel has one allocation of dynamic memory: no pool beside it.
  for (const std::string_view lines : {fault.common, fault.setup, fault.right, fault.wrong})
    draft.pool = draft.pool || lines.find("shared.dyn") != std::string_view::npos;
  if (fault.needs.ctas > 1 && draft.dice.chance(35)) along_another_dimension(draft);
}

void plant(Draft& draft, std::size_t number, bool wrong) {
  const auto [fault, ground] = numbered(number);
  (ground == Ground::tile ? plant_on_tile : plant_on_threads)(draft, fault, wrong);
  draft.mark(fmt::format("{} {}", wrong ? "wrong" : "beside", fault.name));
}

}  // namespace tirx::fuzz
