#include "dsl/host/reference/blame.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dsl/host/compare.hpp"
#include "dsl/host/elements.hpp"
#include "dsl/host/reference/hypotheses.hpp"
#include "dsl/host/reference/positions.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl::reference {

namespace {

/// A mistake is believed if it gives the value of all elements that are wrong: of these many first,
/// and of the others as far as the time goes.
constexpr std::size_t kSample = 48;
constexpr std::int64_t kProductsForAll = 4'000'000;

/// Some of the wrong elements; not those with a NaN if there are others, which tell more.
std::vector<Wrong> sample_of(std::vector<Wrong> wrong, num::DType type) {
  std::vector<Wrong> numbers = wrong;
  std::erase_if(numbers, [&](const Wrong& w) { return num::is_nan(w.seen, type); });
  if (!numbers.empty()) wrong = std::move(numbers);
  if (wrong.size() <= kSample) return wrong;
  std::vector<Wrong> out;
  for (std::size_t i = 0; i < kSample; ++i)
    out.push_back(wrong[i * (wrong.size() - 1) / (kSample - 1)]);
  return out;
}

/// Elements that are as they should be, spread over the result.
std::vector<Wrong> right_ones(const Context& context, const std::vector<Wrong>& wrong) {
  const Problem& p = context.problem;
  const auto flat = [&](const Wrong& w) { return w.row * p.n + w.column; };
  std::vector<Wrong> out;
  const std::int64_t step = std::max<std::int64_t>(p.rows * p.n / 101, 1);
  for (std::int64_t at = 0; at < p.rows * p.n; at += step) {
    const std::int64_t row = at / p.n;
    const num::Bits right = context.values[static_cast<std::size_t>(at)];
    const auto place =
        std::lower_bound(wrong.begin(), wrong.end(), at,
                         [&](const Wrong& w, std::int64_t i) { return flat(w) < i; });
    const bool is_wrong = place != wrong.end() && flat(*place) == at;
    if (!is_wrong && p.row_group[static_cast<std::size_t>(row)] >= 0)
      out.push_back({row, at % p.n, right, right});
  }
  return out;
}

std::string coordinates(const Context& context, const ir::Tensor& seen, const Wrong& at) {
  return fmt::format("{}",
                     fmt::join(unravel(at.row * context.problem.n + at.column, seen.shape), ", "));
}

/// "rows 128 … 255, columns 0 … 127 (all 16384)".
std::string box_text(const Context& context, const std::vector<Wrong>& wrong) {
  std::int64_t top = INT64_MAX, bottom = 0, left = INT64_MAX, right = 0;
  for (const Wrong& w : wrong) {
    top = std::min(top, w.row);
    bottom = std::max(bottom, w.row);
    left = std::min(left, w.column);
    right = std::max(right, w.column);
  }
  std::int64_t counted = 0;
  for (std::int64_t row = top; row <= bottom; ++row) {
    if (context.problem.row_group[static_cast<std::size_t>(row)] >= 0) counted += right - left + 1;
  }
  const auto found = static_cast<std::int64_t>(wrong.size());
  const auto span = [](std::string_view what, std::int64_t from, std::int64_t to) {
    return from == to ? fmt::format("{} {}", what, from)
                      : fmt::format("{}s {} … {}", what, from, to);
  };
  return fmt::format("{}, {} ({} of the {} elements there)", span("row", top, bottom),
                     span("column", left, right), found == counted ? "all" : std::to_string(found),
                     counted);
}

/// Two scales as one factor; exact, as they are float32.
double factor(const Problem& p, const ScaleRef& a, const ScaleRef& b) {
  return num::to_double(bits_of(p, a), num::DType::f32) *
         num::to_double(bits_of(p, b), num::DType::f32);
}

/// What the first term of a recipe that has another value does to the element, in indices.
std::string first_step(const Problem& p, const Recipe& right, const Recipe& wrong) {
  const std::size_t both = std::min(right.terms.size(), wrong.terms.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Term& r = right.terms[i];
    const Term& w = wrong.terms[i];
    const std::int64_t kb = r.sa.block;
    if (r.first != w.first) return fmt::format("block kb = {}", kb);
    if (w.extra.from != ScaleRef::From::none && bits_of(p, w.extra) != bits_of(p, {})) {
      return fmt::format("kb = {}: {} once more", kb, text_of(p, w.extra));
    }
    std::vector<std::string> parts;
    // Scales that happen to be equal do no harm, and tell nothing.
    const bool other = factor(p, r.sa, r.sb) != factor(p, w.sa, w.sb);
    if (other && bits_of(p, r.sa) != bits_of(p, w.sa))
      parts.push_back(fmt::format("{} instead of {}", text_of(p, w.sa), text_of(p, r.sa)));
    if (other && bits_of(p, r.sb) != bits_of(p, w.sb))
      parts.push_back(fmt::format("{} instead of {}", text_of(p, w.sb), text_of(p, r.sb)));
    if (!parts.empty()) return fmt::format("kb = {}: {}", kb, fmt::join(parts, ", "));
    if (r.last != w.last)
      return fmt::format("kb = {}: k ends at {}, not at {}", kb, w.last, r.last);
  }
  if (right.terms.size() != wrong.terms.size()) {
    const auto& longer = right.terms.size() > wrong.terms.size() ? right.terms : wrong.terms;
    return fmt::format("block kb = {}", longer[both].sa.block);
  }
  return {};
}

struct Score {
  const Hypothesis* hypothesis = nullptr;
  std::size_t fits = 0;
  std::size_t contradictions = 0;  // right elements that the mistake would have made wrong

  [[nodiscard]] bool as_good_as(const Score& other) const {
    return fits == other.fits && contradictions == other.contradictions;
  }
};

class Search {
 public:
  Search(const Context& context, const std::vector<Wrong>& sample, std::vector<Wrong> right)
      : context_(context), sample_(sample), right_(std::move(right)) {
    for (const Wrong& w : sample) elements_.emplace_back(context.problem, w.row, w.column);
  }

  /// The mistake that explains most of the sample, the first of equals; with the runners-up.
  std::vector<Score> best(const std::vector<Hypothesis>& all) {
    std::vector<Score> scores;
    for (const Hypothesis& h : all) {
      // A few elements first: most mistakes explain none.
      const std::size_t few = std::min<std::size_t>(sample_.size(), 6);
      std::size_t fits = 0;
      const std::size_t step = std::max<std::size_t>(sample_.size() / few, 1);
      for (std::size_t i = 0; i < sample_.size(); i += step) fits += fit(h, i) ? 1 : 0;
      if (fits == 0) continue;
      fits = 0;
      for (std::size_t i = 0; i < sample_.size(); ++i) fits += fit(h, i) ? 1 : 0;
      scores.push_back({&h, fits});
    }
    std::size_t most = 0;
    for (const Score& score : scores) most = std::max(most, score.fits);
    for (Score& score : scores) {
      if (score.fits == most) score.contradictions = contradictions(*score.hypothesis);
    }
    std::stable_sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
      return a.fits != b.fits ? a.fits > b.fits : a.contradictions < b.contradictions;
    });
    return scores;
  }

  /// The first element that the mistake explains, with the first index it gets wrong.
  std::string example(const Hypothesis& h, const ir::Tensor& seen) {
    for (std::size_t i = 0; i < sample_.size(); ++i) {
      if (!fit(h, i)) continue;
      const Wrong& w = sample_[i];
      const std::string step =
          first_step(context_.problem, definition(context_.problem, w.row, w.column),
                     *h.recipe(w.row, w.column));
      if (step.empty()) return {};
      return fmt::format("at [{}], {}", coordinates(context_, seen, w), step);
    }
    return {};
  }

  struct Support {
    std::size_t having = 0;  // wrong elements with this mistake's value
    std::size_t silent = 0;  // … of which it says nothing: its index is outside of the tensor
    std::size_t examined = 0;

    friend bool operator==(const Support&, const Support&) = default;
  };

  /// Whether the wrong elements bear a mistake out: none has another value than its, and at least
  /// half have its value.  All of them are asked, or the sample alone where there are too many.
  std::optional<Support> supported(const Score& score, const std::vector<Wrong>& wrong) const {
    const Problem& p = context_.problem;
    const auto all = static_cast<std::int64_t>(wrong.size());
    const bool ask_all = all * std::max<std::int64_t>(p.k, 1) <= kProductsForAll;
    const std::vector<Wrong>& asked = ask_all ? wrong : sample_;
    const Hypothesis& h = *score.hypothesis;
    Support support;
    support.examined = asked.size();
    for (const Wrong& w : asked) {
      const auto recipe = h.recipe(w.row, w.column);
      if (!recipe) {
        ++support.silent;
        continue;
      }
      const num::Bits value =
          Element(p, w.row, w.column).evaluate(*recipe, h.model.value_or(p.model));
      if (!num::same_value(value, w.seen, p.out)) return std::nullopt;
      ++support.having;
    }
    if (support.having < support.silent) return std::nullopt;
    return support;
  }

  /// One scale of one K block from anywhere in its matrix, the same for all wrong elements.
  std::optional<std::string> single_scale(const ir::Tensor& seen) {
    const Problem& p = context_.problem;
    const bool exact = p.model.arithmetic == Arithmetic::exact;
    std::int64_t budget = exact ? 200'000 / std::max<std::int64_t>(p.k, 1) : 20'000;
    const Wrong& w = sample_.front();
    const Recipe right = definition(p, w.row, w.column);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < right.terms.size(); ++i) {
      for (const bool a : {true, false}) {
        const auto entries = static_cast<std::int64_t>(a ? p.sfa.size() : p.sfb.size());
        for (std::int64_t at = 0; at < entries; ++at) {
          if (--budget < 0) return std::nullopt;
          Recipe recipe = right;
          ScaleRef& scale = a ? recipe.terms[i].sa : recipe.terms[i].sb;
          const ScaleRef before = scale;
          scale.row = at / p.blocks();
          scale.block = at % p.blocks();
          if (scale == before || elements_.front().evaluate(recipe) != w.seen) continue;
          if (!all_take(a, i, before, scale)) continue;
          found.push_back(fmt::format("kb = {}: {} instead of {}", before.block, text_of(p, scale),
                                      text_of(p, before)));
        }
      }
    }
    if (found.empty()) return std::nullopt;
    std::string text =
        fmt::format("the value at [{}]{} one wrong scale: {}", coordinates(context_, seen, w),
                    sample_.size() == 1 ? " fits" : " and the others fit", found.front());
    if (found.size() > 1) text += fmt::format("; or one of {} others", found.size() - 1);
    return text;
  }

 private:
  /// Whether every element of the sample uses this scale in this block, and has its value with the
  /// other one.
  bool all_take(bool of_a, std::size_t block, const ScaleRef& before, const ScaleRef& other) {
    for (std::size_t i = 0; i < sample_.size(); ++i) {
      const Wrong& w = sample_[i];
      Recipe recipe = definition(context_.problem, w.row, w.column);
      ScaleRef& scale = of_a ? recipe.terms[block].sa : recipe.terms[block].sb;
      if (!(scale == before)) return false;
      scale = other;
      if (!num::same_value(elements_[i].evaluate(recipe), w.seen, context_.problem.out))
        return false;
    }
    return true;
  }

  bool fit(const Hypothesis& h, std::size_t i) {
    const Wrong& w = sample_[i];
    const auto recipe = h.recipe(w.row, w.column);
    if (!recipe) return false;
    const num::Bits value =
        elements_[i].evaluate(*recipe, h.model.value_or(context_.problem.model));
    return num::same_value(value, w.seen, context_.problem.out);
  }

  std::size_t contradictions(const Hypothesis& h) const {
    const Problem& p = context_.problem;
    std::size_t found = 0;
    for (const Wrong& r : right_) {
      const auto recipe = h.recipe(r.row, r.column);
      if (!recipe) continue;
      const num::Bits value =
          Element(p, r.row, r.column).evaluate(*recipe, h.model.value_or(p.model));
      found += num::same_value(value, r.right, p.out) ? 0 : 1;
    }
    return found;
  }

  const Context& context_;
  const std::vector<Wrong>& sample_;
  std::vector<Wrong> right_;
  std::vector<Element> elements_;
};

std::string support_text(const Search::Support& known, std::size_t wrong) {
  if (wrong == 1) return "the wrong element has just this value";
  if (known.silent != 0) {
    return fmt::format(
        "{} of the {} wrong elements{} have just this value; for the others it is outside of the "
        "tensor",
        known.having, known.examined, known.examined == wrong ? "" : " that were examined");
  }
  if (known.examined == wrong)
    return fmt::format("all {} wrong elements have just this value", wrong);
  return fmt::format("all {} of the {} wrong elements that were examined have just this value",
                     known.examined, wrong);
}

std::string cause_text(const Context& context,
                       const ir::Tensor& seen,
                       const std::vector<Wrong>& wrong) {
  if (auto text = pattern(context, wrong)) return *text;
  const std::vector<Wrong> sample = sample_of(wrong, context.problem.out);
  const std::vector<Hypothesis> all = hypotheses(context.problem);
  Search search(context, sample, right_ones(context, wrong));
  const std::vector<Score> scores = search.best(all);
  for (std::size_t first = 0; first < scores.size(); ++first) {
    const Score& best = scores[first];
    if (best.fits * 2 < sample.size()) break;
    // One element alone has many explanations; those that spare its neighbours are worth saying.
    if (wrong.size() == 1 && best.contradictions > 0) continue;
    if (best.hypothesis->everywhere && best.contradictions > 0) continue;
    const auto known = search.supported(best, wrong);
    if (!known) continue;
    std::string text = best.hypothesis->text;
    const std::string example = search.example(*best.hypothesis, seen);
    if (!example.empty()) text += fmt::format("\n         {}", example);
    text += "\n         " + support_text(*known, wrong.size());
    for (std::size_t i = first + 1; i < scores.size() && i < first + 3; ++i) {
      if (scores[i].as_good_as(best) && search.supported(scores[i], wrong) == known)
        text += fmt::format("\n         as good: {}", scores[i].hypothesis->text);
    }
    return text;
  }
  if (auto text = displaced(context, wrong)) return *text;
  if (auto text = search.single_scale(seen)) return *text;
  if (wrong.size() > 1 && !scores.empty()) {
    const Score& nearest = scores.front();
    std::string text = fmt::format(
        "none of {} known mistakes gives all these values; nearest, {} of {} wrong elements "
        "examined: {}",
        all.size(), nearest.fits, sample.size(), nearest.hypothesis->text);
    // At an edge a mistake reads what lies outside: where most elements fit, the place helps.
    const std::string example = search.example(*nearest.hypothesis, seen);
    if (2 * nearest.fits > sample.size() && !example.empty())
      text += fmt::format("\n         {}", example);
    return text;
  }
  return fmt::format("none of {} known mistakes gives these values", all.size());
}

}  // namespace

std::optional<std::string> difference(const Context& context,
                                      const ir::Tensor& seen,
                                      bool nan_bits) {
  const Problem& p = context.problem;
  const std::vector<num::Bits> values = read_all(seen);
  std::vector<Wrong> wrong;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (p.row_group[static_cast<std::size_t>(row)] < 0) continue;
    for (std::int64_t column = 0; column < p.n; ++column) {
      const auto at = static_cast<std::size_t>(row * p.n + column);
      const num::Bits right = context.values[at];
      if (values[at] == right || (!nan_bits && num::same_value(values[at], right, p.out))) continue;
      wrong.push_back({row, column, values[at], right});
    }
  }
  if (wrong.empty()) return std::nullopt;
  const Wrong& first = wrong.front();
  return fmt::format("{}\n  where: {}\n  cause: {}",
                     difference_text(seen, static_cast<std::int64_t>(wrong.size()),
                                     first.row * p.n + first.column, first.seen, first.right),
                     box_text(context, wrong), cause_text(context, seen, wrong));
}

std::optional<std::string> unwritten(const Context& context, const ir::Tensor& seen) {
  const Problem& p = context.problem;
  if (!first_uninitialised(seen)) return std::nullopt;
  std::vector<Wrong> missing;
  std::int64_t flat = 0;
  for (ElementCursor at(seen); !at.done(); at.next(), ++flat) {
    const std::int64_t row = flat / p.n;
    if (p.row_group[static_cast<std::size_t>(row)] < 0 || is_written(seen, at.offset())) continue;
    missing.push_back({row, flat % p.n, 0, 0});
  }
  if (missing.empty()) return std::nullopt;
  return fmt::format("[{}] was never written, nor were {} others\n  where: {}",
                     coordinates(context, seen, missing.front()), missing.size() - 1,
                     box_text(context, missing));
}

}  // namespace tirx::dsl::reference
