#include "fuzz/check/promises.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fuzz/check/lowered_facts.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/expect/promise.hpp"
#include "ir/tile_op.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

std::string_view promised_line(const ir::Kernel& kernel, Span span) {
  if (!kernel.source || span.empty()) return {};
  return kernel.source->locate(span.begin).text;
}

/// Empty: the line says nothing of its lowering.
std::string promise_in(std::string_view line) {
  for (Expectation& one : expectations_of(line)) {
    if (one.word == "lowered") return std::move(one.words);
  }
  return {};
}

/// What each tile operation became, in the order of the notes.
std::vector<const ir::Group*> groups_of(const lower::LoweredKernel& lowered) {
  std::vector<const ir::Group*> found;
  ir::for_each_in_body(
      lowered.body,
      [&](const ir::Stmt& stmt) {
        const auto* group = std::get_if<ir::Group>(&stmt.node);
        if (group != nullptr && !group->body.empty()) found.push_back(group);
      },
      [](const ir::Expr&) {});
  if (found.size() != lowered.dispatch.size()) found.clear();
  return found;
}

/// Elements of its longest store.
std::int64_t longest_store(const ir::Group& group) {
  std::int64_t longest = 0;
  ir::for_each_in_body(
      group.body,
      [&](const ir::Stmt& stmt) {
        if (const auto* store = std::get_if<ir::Store>(&stmt.node))
          longest = std::max<std::int64_t>(longest, store->value->type.lanes);
      },
      [](const ir::Expr&) {});
  return longest;
}

/// Takes a word off the end, and says whether it was there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  text.remove_suffix(word.size());
  return true;
}

}  // namespace

std::optional<std::string> broken_promise(const ir::Kernel& kernel,
                                          const lower::LoweredKernel& lowered) {
  const std::vector<const ir::Group*> groups = groups_of(lowered);
  for (std::size_t i = 0; i < lowered.dispatch.size(); ++i) {
    const lower::DispatchNote& note = lowered.dispatch[i];
    if (ir::spec(note.op).family != ir::TileFamily::copy &&
        promise_in(promised_line(kernel, note.span)).empty())
      continue;
    const std::string_view line = promised_line(kernel, note.span);
    const std::string words = promise_in(line);
    std::string_view promised = words;
    const bool anything = promised.empty();
    take(promised, kNoConflicts);
    take(promised, kCoalesced);
    const bool must_warn = take(promised, kWarns), whole = take(promised, kWhole);
    const bool warned = std::any_of(
        lowered.warnings.begin(), lowered.warnings.end(), [&](const Diagnostic& warning) {
          return warning.text.starts_with("copy/" + note.variant) &&
                 promised_line(kernel, warning.span).data() == line.data();
        });
    const bool asked = line.find("clip=True") != std::string_view::npos ||
                       line.find("fill=") != std::string_view::npos;
    const bool single = note.variant == "fallback";
    const bool sure = !anything || single || asked;
    if (sure && warned != (anything ? single : must_warn))
      return fmt::format("{} a warning: {}", warned ? "with" : "without", line);
    if (anything) continue;
    if (whole && !groups.empty() && longest_store(*groups[i]) != note.vector)
      return fmt::format("stored in pieces of {}: {}", longest_store(*groups[i]), line);
    const std::string vector = fmt::format("{}, vec {}", note.variant, note.vector);
    if (promised == vector || promised == note.variant) continue;
    return fmt::format("lowered as {}, not as promised: {}", vector, line);
  }
  return wrong_facts(kernel, lowered);
}

bool promises_counts(const ir::Kernel& kernel) {
  const auto has = [&](std::string_view words) {
    return kernel.source->text().find(words) != std::string_view::npos;
  };
  return kernel.source && (has(kNoConflicts) || has(kCoalesced));
}

std::optional<std::string> broken_count(const ir::Kernel& kernel, const ir::LaunchStats& stats) {
  for (const ir::AccessStats& access : stats.accesses) {
    const std::string_view line = promised_line(kernel, access.span);
    if (!promise_in(line).ends_with(access.shared ? kNoConflicts : kCoalesced)) continue;
    if (access.transfers != access.least)
      return fmt::format("{} {} instead of {}: {}", access.transfers,
                         access.shared ? "passes over the banks" : "sectors", access.least, line);
  }
  return std::nullopt;
}

}  // namespace tirx::fuzz
