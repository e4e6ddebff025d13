#include "fuzz/generate/planted_run.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kLists = std::to_array<std::span<const RunFault> (*)()>(
    {faults_of_one_thread, faults_of_values, faults_of_order, faults_at_barriers});

using Words = std::vector<std::pair<std::string_view, std::string>>;

Words words(Draft& draft) {
  Dice& dice = draft.dice;
  const int w = dice.below(draft.warps());
  const int v = (w + dice.between(1, draft.warps() - 1)) % draft.warps();
  const int l = dice.below(32), m = (l + dice.between(1, 31)) % 32;
  const int k = dice.between(1, 7), n = dice.between(33, 60);
  return {{"$a", fmt::format("{:5}", -(32 * w + l))},
          {"$i", std::to_string(std::min(w, v))},
          {"$j", std::to_string(std::max(w, v))},
          {"$k", std::string(1, static_cast<char>('A' + k))},
          {"$n", fmt::format("{:x}", n)},
          {"$T", std::to_string(draft.threads)},
          {"$W", std::to_string(w)},
          {"$V", std::to_string(v)},
          {"$L", std::to_string(l)},
          {"$M", std::to_string(m)},
          {"$A", std::to_string(32 * w + l)},
          {"$Z", std::to_string(32 * v + m)},
          {"$K", std::to_string(k)},
          {"$Q", std::to_string(dice.between(1, 7))},
          {"$N", std::to_string(n)},
          {"$B", std::to_string(dice.between(1, 15))},
          {"$D", type_name(dice.one_of({DType::i32, DType::f32, DType::u32, DType::f16, DType::u8,
                                        DType::i16, DType::i64, DType::f64}))}};
}

}  // namespace

std::size_t run_faults() {
  std::size_t count = 0;
  for (const auto list : kLists) count += list().size();
  return count;
}

const RunFault& run_fault(std::size_t number) {
  for (const auto list : kLists) {
    if (number < list().size()) return list()[number];
    number -= list().size();
  }
  return faults_of_one_thread()[0];
}

bool has_room(const Draft& draft, const RunFault& fault) {
  return draft.warps() >= 2 && draft.ctas >= fault.ctas && (draft.cluster || !fault.pairs);
}

void make_room(Draft& draft, const RunFault& fault) {
  draft.ctas = std::max(draft.ctas, fault.ctas);
  if (fault.pairs) draft.ctas = 2;
  draft.cluster = fault.pairs;
}

void plant(Draft& draft, const RunFault& fault, bool wrong) {
  const Words made = words(draft);
  std::string all = std::string(fault.common) + (fault.common.empty() ? "" : "\n") +
                    std::string(wrong ? fault.wrong : fault.right);
  for (const auto& [word, by] : made) {
    for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at)) {
      all.replace(at, word.size(), by);
      at += by.size();
    }
  }
  const std::string shape = fmt::format("({}, {}, 8)", draft.ctas, draft.threads);
  if (all.find("PGlob") != std::string::npos)
    draft.parameter("PGlob", shape, DType::i32, fmt::format("tirx.zeros({}, \"int32\")", shape));
  if (all.find("PNone") != std::string::npos)
    draft.parameter("PNone", shape, DType::i32, fmt::format("tirx.empty({}, \"int32\")", shape));
  if (all.find("PFlag") != std::string::npos)
    draft.parameter("PFlag", "(8,)", DType::i32, "tirx.zeros((8,), \"int32\")");
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    draft.line("{}", all.substr(at, end - at));
    at = end + 1;
  }
  draft.line("T.cuda.cta_sync()");
  draft.mark(fmt::format("{} {}", wrong ? "reported" : "beside", fault.name));
}

}  // namespace tirx::fuzz
