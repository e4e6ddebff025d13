#include "fuzz/check/promises.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fuzz/expect/expectation.hpp"
#include "fuzz/expect/promise.hpp"
#include "ir/tile_op.hpp"

namespace tirx::fuzz {

namespace {

std::string_view line_at(const ir::Kernel& kernel, Span span) {
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

/// Takes a word off the end, and says whether it was there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  text.remove_suffix(word.size());
  return true;
}

}  // namespace

std::optional<std::string> broken_promise(const ir::Kernel& kernel,
                                          const lower::LoweredKernel& lowered) {
  for (const lower::DispatchNote& note : lowered.dispatch) {
    if (ir::spec(note.op).family != ir::TileFamily::copy &&
        promise_in(line_at(kernel, note.span)).empty())
      continue;
    const std::string_view line = line_at(kernel, note.span);
    const std::string words = promise_in(line);
    std::string_view promised = words;
    const bool anything = promised.empty();
    take(promised, kNoConflicts);
    const bool must_warn = take(promised, kWarns);
    const bool warned = std::any_of(lowered.warnings.begin(), lowered.warnings.end(),
                                    [&](const Diagnostic& warning) {
                                      return warning.text.starts_with("copy/" + note.variant) &&
                                             line_at(kernel, warning.span).data() == line.data();
                                    });
    const bool asked = line.find("clip=True") != std::string_view::npos ||
                       line.find("fill=") != std::string_view::npos;
    const bool single = note.variant == "fallback";
    const bool sure = !anything || single || asked;
    if (sure && warned != (anything ? single : must_warn))
      return fmt::format("{} a warning: {}", warned ? "with" : "without", line);
    if (anything) continue;
    const std::string vector = fmt::format("{}, vec {}", note.variant, note.vector);
    if (promised == vector || promised == note.variant) continue;
    return fmt::format("lowered as {}, not as promised: {}", vector, line);
  }
  return std::nullopt;
}

bool promises_counts(const ir::Kernel& kernel) {
  return kernel.source && kernel.source->text().find(kNoConflicts) != std::string_view::npos;
}

std::optional<std::string> broken_count(const ir::Kernel& kernel, const ir::LaunchStats& stats) {
  for (const ir::AccessStats& access : stats.accesses) {
    const std::string_view line = line_at(kernel, access.span);
    if (!access.shared || !promise_in(line).ends_with(kNoConflicts)) continue;
    if (access.transfers != access.least)
      return fmt::format("{} passes over the banks instead of {}: {}", access.transfers,
                         access.least, line);
  }
  return std::nullopt;
}

}  // namespace tirx::fuzz
