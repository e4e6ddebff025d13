// Register tiles spread over the threads of a warp, a warpgroup or a CTA: which element lies in
// which thread and register is drawn digit by digit (docs/language/tile_ops.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Threads that carry out tile operations together: one instance of a scope in each CTA.
struct Team {
  std::string scope;       // "warp.", "wg.", "cta.", or empty: each thread alone
  std::string guard;       // which instance; empty: all
  std::string mine;        // the number of the instance, where several work at once; or empty
  int instances = 1;       // that work at once
  std::string lanes;       // the axis that counts lanes of a warp, or all threads: "laneid", "tx"
  std::string across;      // the axis that counts warps; empty where `lanes` counts them as well
  bool by_groups = false;  // eight warps, as two warpgroups of four
  int warps = 1;

  [[nodiscard]] int threads() const { return scope.empty() ? 1 : warps * 32; }

  /// A step of one warp, on the axis that has it.
  [[nodiscard]] std::string warp_step(int warps_further) const;
};

/// A random team that the program has room for; `collective`: not a thread alone.
[[nodiscard]] Team any_team(Draft& draft, bool collective);

/// Opens the branch that only the team enters.
void enter(Draft& draft, const Team& team, std::optional<Draft::Block>& block);

/// One digit of a dimension.
struct Digit {
  int extent = 1;
  std::string thread;  // "4 @ laneid"; empty: registers
  bool lanes = false;  // of one warp, so that they may exchange
  int stride = 0;      // in registers
};

/// A tile of up to three dimensions; digits outermost first.
struct Spread {
  std::vector<std::vector<Digit>> dims;
  std::vector<std::string> replicas;  // "4 : 1 @ laneid"

  [[nodiscard]] int extent(std::size_t dim) const;
  [[nodiscard]] std::string shape() const;
  /// How many registers a thread has, gaps included.
  [[nodiscard]] int registers() const;
  [[nodiscard]] std::string layout() const;
  /// How many elements of a thread are neighbours in its registers and in a row-major tensor.
  [[nodiscard]] int neighbours() const;
};

/// A random tile of two dimensions for the team.
[[nodiscard]] Spread any_spread(Draft& draft, const Team& team);

/// New places for the register digits.  `run`: the innermost ones that stay neighbours have so many
/// elements.
void deal_registers(Draft& draft, Spread& spread, int run = 1);

/// What is left of a tile without its dimension `gone` (with extent 1), replicated where it was
/// spread; `partial` keeps one element for each thread that has a part.
[[nodiscard]] Spread without(Draft& draft,
                             const Spread& spread,
                             std::size_t gone,
                             bool partial = false);

/// Whether a dimension lies inside of each warp.
[[nodiscard]] bool inside_warps(const Spread& spread, std::size_t dim);

/// A tile in registers with a layout of its own: its name.
std::string spread_tile(Draft& draft, const Spread& spread, num::DType dtype);

/// Every register of the threads that are here into a tensor of results.
void show_registers(Draft& draft, const Spread& spread, const std::string& tile, num::DType dtype);

}  // namespace tirx::fuzz
