// A planted fault of a few threads, with nothing around it.
#include <algorithm>
#include <string>

#include "fuzz/generate/planted_ground.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

PlantedWords words(Draft& draft) {
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
          {"$H", fmt::format("{:X}", n)},
          {"$T", std::to_string(draft.threads)},
          {"$G", std::to_string(draft.ctas)},
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

void plant_on_threads(Draft& draft, const PlantedFault& fault, bool wrong) {
  const std::string all = filled_in(text_of(fault, wrong), words(draft));
  const std::string shape = fmt::format("({}, {}, 8)", draft.ctas, draft.threads);
  if (all.find("PGlob") != std::string::npos)
    draft.parameter("PGlob", shape, DType::i32, fmt::format("tirx.zeros({}, \"int32\")", shape));
  if (all.find("PNone") != std::string::npos)
    draft.parameter("PNone", shape, DType::i32, fmt::format("tirx.empty({}, \"int32\")", shape));
  if (all.find("PFlag") != std::string::npos)
    draft.parameter("PFlag", "(8,)", DType::i32, "tirx.zeros((8,), \"int32\")");
  if (all.find("PMat") != std::string::npos) {
    draft.matched("PMat", fmt::format("({}, 24)", draft.symbol()), DType::f32,
                  "tirx.zeros((16, 24), \"float32\")");
  }
  for (const std::string_view line : lines_of(all)) draft.line("{}", line);
  draft.line("T.cuda.cta_sync()");
}

}  // namespace tirx::fuzz
