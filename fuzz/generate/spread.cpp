#include "fuzz/generate/spread.hpp"

#include <algorithm>

#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

std::string Team::warp_step(int warps_further) const {
  if (by_groups)
    return warps_further >= 4 ? fmt::format("{} @ wgid", warps_further / 4)
                              : fmt::format("{} @ wid_in_wg", warps_further);
  if (across.empty()) return fmt::format("{} @ {}", warps_further * 32, lanes);
  return fmt::format("{} @ {}", warps_further, across);
}

Team any_team(Draft& draft, bool collective) {
  const int roll = draft.dice.below(100);
  Team team;
  team.lanes = "laneid";
  if (!collective && roll < 15) {
    team.mine = "tx";
    team.instances = draft.threads;
    return team;
  }
  const bool alone = draft.dice.chance(60);
  if (roll < (draft.threads % 128 == 0 ? 32 : 45)) {
    team.scope = "warp.";
    if (alone || draft.warps() == 1) {
      team.guard = one_warp(draft);
    } else {
      team.mine = draft.dice.one_of<const char*>({"warp", "(tx // 32)"});
      team.instances = draft.warps();
    }
    return team;
  }
  const bool by_threads = draft.dice.chance(40);
  team.scope = "cta.";
  team.lanes = by_threads ? "tx" : "laneid";
  team.across = by_threads ? "" : "warpid";
  team.warps = draft.warps();
  team.by_groups = !by_threads && team.warps == 8 && draft.dice.chance(60);
  if (draft.threads % 128 != 0 || roll > 75) return team;
  team.by_groups = false;
  team.scope = "wg.";
  team.lanes = by_threads ? "tid_in_wg" : "laneid";
  team.across = by_threads ? "" : "wid_in_wg";
  team.warps = 4;
  const int groups = draft.threads / 128;
  if (groups > 1 && alone) {
    team.guard = draft.dice.one_of<const char*>(
        {"warp // 4 == 1", "warp // 4 == 0", "tx >= 128", "warp < 4", "tx // 128 != 0"});
  } else if (groups > 1) {
    team.mine = "(warp // 4)";
    team.instances = groups;
  }
  return team;
}

void enter(Draft& draft, const Team& team, std::optional<Draft::Block>& block) {
  if (team.guard.empty()) return;
  draft.line("if {}:", team.guard);
  block.emplace(draft);
}

int Spread::extent(std::size_t dim) const {
  int product = 1;
  for (const Digit& digit : dims[dim]) product *= digit.extent;
  return product;
}

std::string Spread::shape() const {
  std::string text;
  for (std::size_t dim = 0; dim < dims.size(); ++dim)
    text += fmt::format("{}{}", dim == 0 ? "" : ", ", extent(dim));
  return text;
}

int Spread::registers() const {
  int last = 0;
  for (const auto& dim : dims) {
    for (const Digit& digit : dim) {
      if (digit.thread.empty()) last += (digit.extent - 1) * digit.stride;
    }
  }
  return last + 1;
}

std::string Spread::layout() const {
  std::string extents, strides;
  for (const auto& dim : dims) {
    for (const Digit& digit : dim) {
      const char* comma = extents.empty() ? "" : ", ";
      extents += fmt::format("{}{}", comma, digit.extent);
      strides += fmt::format("{}{}", comma,
                             digit.thread.empty() ? fmt::to_string(digit.stride) : digit.thread);
    }
  }
  std::string text = fmt::format("TileLayout(S[({}):({})]", extents, strides);
  for (const std::string& replica : replicas) text += fmt::format(" + R[{}]", replica);
  return text + ")";
}

int Spread::neighbours() const {
  int run = 1;
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    for (std::size_t k = dims[dim].size(); k-- > 0;) {
      const Digit& digit = dims[dim][k];
      if (digit.extent == 1) continue;
      if (!digit.thread.empty() || digit.stride != run) return run;
      run *= digit.extent;
    }
  }
  return run;
}

void deal_registers(Draft& draft, Spread& spread, int run) {
  std::vector<Digit*> digits;
  for (auto& dim : spread.dims) {
    for (Digit& digit : dim) {
      if (digit.thread.empty()) digits.push_back(&digit);
    }
  }
  int next = 1;
  std::vector<Digit*> left;
  for (std::size_t k = digits.size(); k-- > 0;) {
    // Neighbours first, as they are.
    if (next < run) {
      digits[k]->stride = next;
      next *= digits[k]->extent;
    } else {
      left.push_back(digits[k]);
    }
  }
  if (draft.dice.chance(55)) {
    for (std::size_t k = left.size(); k > 1; --k)
      std::swap(left[k - 1], left[static_cast<std::size_t>(draft.dice.below(static_cast<int>(k)))]);
  }
  if (run == 1 && draft.dice.chance(8)) next = 2;  // every other register
  for (Digit* digit : left) {
    digit->stride = next;
    next *= digit->extent;
  }
}

Spread any_spread(Draft& draft, const Team& team) {
  Spread spread;
  spread.dims.resize(2);
  const auto place = [&](const Digit& digit) {
    auto& dim = spread.dims[static_cast<std::size_t>(draft.dice.below(2))];
    dim.insert(dim.begin() + draft.dice.below(static_cast<int>(dim.size()) + 1), digit);
  };
  if (!team.scope.empty()) {
    const int copies = draft.dice.chance(25) ? draft.dice.below(4) : 9;  // which digit is repeated
    int at = 0;
    for (int bits = 5, step = 1; bits > 0; ++at) {
      const int some = std::min(bits, draft.dice.between(1, 3));
      const std::string thread = fmt::format("{} @ {}", step, team.lanes);
      if (at == copies) {
        spread.replicas.push_back(fmt::format("{} : {}", 1 << some, thread));
      } else {
        place({1 << some, thread, true, 0});
      }
      bits -= some;
      step <<= some;
    }
    if (team.warps > 1) {
      if (team.by_groups) {
        draft.mark("warps of two warpgroups");
        place({2, team.warp_step(4), false, 0});
        place({4, team.warp_step(1), false, 0});
      } else if (draft.dice.chance(12)) {
        spread.replicas.push_back(fmt::format("{} : {}", team.warps, team.warp_step(1)));
      } else if (team.warps % 2 == 0 && team.warps > 2 && draft.dice.chance(30)) {
        place({2, team.warp_step(1), false, 0});
        place({team.warps / 2, team.warp_step(2), false, 0});
      } else {
        place({team.warps, team.warp_step(1), false, 0});
      }
    }
  }
  const int most = team.scope.empty() ? 24 : 12;
  int registers = 1;
  for (int i = draft.dice.between(0, 3); i > 0; --i) {
    const int extent = draft.dice.one_of({2, 2, 3, 4, 4, 8});
    if (registers * extent > most) continue;
    registers *= extent;
    Digit digit{extent, {}, false, 0};
    // Mostly the innermost: vectors.
    if (draft.dice.chance(40)) {
      spread.dims[1].push_back(digit);
    } else {
      place(digit);
    }
  }
  for (auto& dim : spread.dims) {
    if (dim.empty()) dim.push_back({1, {}, false, 1});
  }
  deal_registers(draft, spread);
  return spread;
}

Spread without(Draft& draft, const Spread& spread, std::size_t gone, bool partial) {
  Spread left;
  left.replicas = spread.replicas;
  left.dims = spread.dims;
  left.dims[gone].clear();
  for (const Digit& digit : spread.dims[gone]) {
    if (digit.thread.empty()) continue;
    if (partial) {
      left.dims[gone].push_back(digit);
    } else {
      left.replicas.push_back(fmt::format("{} : {}", digit.extent, digit.thread));
    }
  }
  if (left.dims[gone].empty()) left.dims[gone].push_back({1, {}, false, 1});
  deal_registers(draft, left);
  return left;
}

bool inside_warps(const Spread& spread, std::size_t dim) {
  for (const Digit& digit : spread.dims[dim]) {
    if (!digit.thread.empty() && !digit.lanes) return false;
  }
  return true;
}

std::string spread_tile(Draft& draft, const Spread& spread, num::DType dtype) {
  const std::string layout = draft.fresh("layout"), name = draft.fresh("regs");
  draft.host("{} = {}", layout, spread.layout());
  draft.line("{} = T.alloc_buffer(({}), \"{}\", scope=\"local\", layout={})", name, spread.shape(),
             type_name(dtype), layout);
  return name;
}

void show_registers(Draft& draft, const Spread& spread, const std::string& tile, num::DType dtype) {
  std::vector<int> held{0};
  for (const auto& dim : spread.dims) {
    for (const Digit& digit : dim) {
      if (!digit.thread.empty()) continue;
      std::vector<int> next;
      for (const int at : held) {
        for (int i = 0; i < digit.extent; ++i) next.push_back(at + i * digit.stride);
      }
      held = next;
    }
  }
  const int count = spread.registers();
  const std::string all = draft.fresh("Tout"), own = draft.fresh("mine");
  const std::string shape = fmt::format("({}, {}, {})", draft.ctas, draft.threads, count);
  draft.parameter(all, shape, dtype,
                  fmt::format("tirx.zeros({}, \"{}\")", shape, type_name(dtype)));
  draft.line("{} = {}.local({})", own, tile, count);
  if (static_cast<int>(held.size()) == count) {
    const std::string i = draft.fresh("i");
    draft.line("for {} in T.unroll({}):", i, count);
    const Draft::Block block(draft);
    draft.line("{0}[bx, tx, {1}] = {2}[{1}]", all, i, own);
  } else {
    for (const int at : held) draft.line("{0}[bx, tx, {1}] = {2}[{1}]", all, at, own);
  }
}

}  // namespace tirx::fuzz
