// A planted fault around a tile in shared memory.
#include <string>

#include "fuzz/generate/planted_ground.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// The guards first: the other words occur in them.
PlantedWords words(Draft& draft, bool wrong) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::f16, DType::bf16});
  const int rows = draft.dice.one_of({16, 32});
  return {
      {"$G", draft.dice.one_of<const char*>(
                 {"(lane + warp) % 3 == 1", "tx * 3 % 7 < 2", "lane < 5 or lane > 20",
                  "tx % 32 % 5 == 2", "(lane ^ 5) < 9", "PIn[bx, 0, tx % $C] > PIn[bx, 1, 0]"})},
      {"$H",
       draft.dice.one_of<const char*>({"warp == $W", "tx // 32 == $W", "bx == 0 and warp == $W",
                                       "tx >= $W * 32 and tx < $W * 32 + 32",
                                       "warp % 2 == $W % 2 and warp // 2 == $W // 2"})},
      {"$I", draft.dice.one_of<const char*>({"bx % 2 == 0", "bx * 3 % 2 == 1 or bx == 0", "bx >= 1",
                                             "PIn[bx, 0, 0] > PIn[bx, 0, 1]"})},
      {"$J", draft.dice.one_of<const char*>({"warp == $W", "tx < 32", "tx // 32 != $W",
                                             "warp * 5 % 3 == 1", "warp < 1 or warp > 2"})},
      {"$D", type_name(dtype)},
      {"$E", type_name(dtype == DType::f16 ? DType::bf16 : DType::f16)},
      {"$R", std::to_string(rows)},
      {"$C", std::to_string(draft.dice.one_of({16, 32}))},
      {"$K", std::to_string(wrong ? 0 : rows)},
      {"$T", std::to_string(draft.threads)},
      {"$W", std::to_string(draft.dice.below(draft.warps()))},
  };
}

/// What is not a line of the kernel's device part.
void above(Draft& draft, const std::string& text) {
  if (text == "PSym") {
    draft.matched("PSym", fmt::format("({},)", draft.symbol()), DType::f32,
                  "tirx.zeros((5,), \"float32\")");
  } else if (text.starts_with("grid ")) {
    draft.grid = text.substr(5);
  } else if (text.starts_with("threads ")) {
    if (const int threads = std::stoi(text.substr(8)); threads > 0) draft.threads = threads;
  } else {
    draft.host_checks += "    " + text + "\n";
  }
}

}  // namespace

void plant_on_tile(Draft& draft, const PlantedFault& fault, bool wrong) {
  const PlantedWords made = words(draft, wrong);
  const auto word = [&](std::string_view text) { return filled_in(std::string(text), made); };
  const auto lines = [&](std::string_view text) {
    const std::string all = word(text);
    for (const std::string_view line : lines_of(all)) {
      if (line.starts_with('^')) {
        above(draft, std::string(line.substr(1)));
      } else {
        draft.line("{}", line);
      }
    }
  };
  const std::string shape = word(fmt::format("({}, $R, $C)", draft.ctas)), type = word("$D");
  const DType dtype = type == "float32" ? DType::f32 : type == "float16" ? DType::f16 : DType::bf16;
  draft.parameter(
      "PIn", shape, dtype,
      fmt::format("tirx.random({}, \"{}\", seed={})", shape, type, draft.dice.below(100000)));
  draft.parameter("POut", shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  if (fault.right.find("PVec") != std::string_view::npos) {
    const std::string vectors = word(fmt::format("({}, $T, 4)", draft.ctas));
    draft.parameter("PVec", vectors, DType::f32,
                    fmt::format("tirx.zeros({}, \"float32\")", vectors));
  }
  lines("ps = T.alloc_shared(($R, $C), \"$D\")");
  lines("Tx.cta.copy(ps[:, :], PIn[bx, :, :])");
  lines("T.cuda.cta_sync()");
  lines(text_of(fault, wrong));
  lines("T.cuda.cta_sync()");
  lines("Tx.cta.copy(POut[bx, :, :], ps[:, :])");
  lines("T.cuda.cta_sync()");
}

}  // namespace tirx::fuzz
