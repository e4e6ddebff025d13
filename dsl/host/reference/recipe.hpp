// How could one element of D have come about?  A recipe lists what was added, scaled by what; the
// definition is one recipe, and each known mistake is another.  Evaluating a recipe shares nothing
// with computing the whole matrix (exact.cpp, model.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dsl/host/reference/problem.hpp"

namespace tirx::dsl::reference {

/// An element of SFA or SFB, or no scale at all (1).
struct ScaleRef {
  enum class From : std::uint8_t { none, sfa, sfb };

  From from = From::none;
  std::int64_t row = 0;  // in problem.sfa, problem.sfb: groups included
  std::int64_t block = 0;

  friend bool operator==(const ScaleRef&, const ScaleRef&) = default;
};

/// scale * scale * extra * P(a_row, b_row, [first, last)).
struct Term {
  std::int64_t first = 0, last = 0;
  std::int64_t a_row = 0, b_row = 0;  // in problem.a, problem.b
  ScaleRef sa, sb, extra;
  bool keep = false;  // the temporary accumulator still holds the term before
};

struct Recipe {
  std::vector<Term> terms;
  Order order = Order::product;
  bool use_alpha = true;
  enum class Bias : std::uint8_t { as_given, none, unscaled } bias = Bias::as_given;
  num::Round round = num::Round::rn;  // of the last conversion
};

/// The element (row, column) of a problem as it is defined; row must belong to a group.
[[nodiscard]] Recipe definition(const Problem& problem, std::int64_t row, std::int64_t column);

/// Evaluates recipes of one element; keeps the sums over k that several of them need.
class Element {
 public:
  Element(const Problem& problem, std::int64_t row, std::int64_t column)
      : problem_(problem), row_(row), column_(column) {}

  /// The bits of problem.out, by problem.model or another.
  [[nodiscard]] num::Bits evaluate(const Recipe& recipe) {
    return evaluate(recipe, problem_.model);
  }

  [[nodiscard]] num::Bits evaluate(const Recipe& recipe, const Model& model);

 private:
  [[nodiscard]] num::Bits exact(const Recipe& recipe) const;
  [[nodiscard]] std::uint32_t product(const Term& term, std::uint32_t start, const Model& model);
  [[nodiscard]] std::uint32_t accumulate(const Recipe& recipe, const Model& model);
  [[nodiscard]] std::uint32_t by_elements(const Recipe& recipe) const;
  [[nodiscard]] std::uint32_t c() const;

  const Problem& problem_;
  std::int64_t row_, column_;
  using Key = std::tuple<std::int64_t,
                         std::int64_t,
                         std::int64_t,
                         std::int64_t,
                         std::uint32_t,
                         const num::MmaRow*>;
  std::map<Key, std::uint32_t> products_;
};

[[nodiscard]] std::uint32_t bits_of(const Problem& problem, const ScaleRef& scale);
/// "SFA[5, 2]", with the group in front where there are several.
[[nodiscard]] std::string text_of(const Problem& problem, const ScaleRef& scale);

}  // namespace tirx::dsl::reference
