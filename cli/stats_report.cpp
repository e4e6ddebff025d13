#include "cli/stats_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tirx::cli {

namespace {

using nlohmann::json;

/// Launches of one kernel, added up.
struct Total {
  const ir::Kernel* kernel = nullptr;
  std::uint64_t launches = 0;
  ir::LaunchStats stats;
};

/// Adds what has the same place, or appends it.
template <typename Item, typename Same, typename Add>
void merge(std::vector<Item>& into, const std::vector<Item>& more, Same&& same, Add&& add) {
  for (const Item& item : more) {
    const auto at = std::find_if(into.begin(), into.end(),
                                 [&](const Item& known) { return same(known, item); });
    if (at == into.end()) {
      into.push_back(item);
    } else {
      add(*at, item);
    }
  }
}

void add(ir::LaunchStats& total, const ir::LaunchStats& more) {
  total.ctas += more.ctas;
  total.threads = more.threads;
  total.instructions += more.instructions;
  merge(
      total.accesses, more.accesses,
      [](const ir::AccessStats& a, const ir::AccessStats& b) {
        return a.span == b.span && a.buffer == b.buffer && a.what == b.what;
      },
      [](ir::AccessStats& a, const ir::AccessStats& b) {
        a.requests += b.requests;
        a.bytes += b.bytes;
        a.transfers += b.transfers;
        a.least += b.least;
        a.worst = std::max(a.worst, b.worst);
      });
  merge(
      total.waits, more.waits,
      [](const ir::WaitStats& a, const ir::WaitStats& b) {
        return a.span == b.span && a.what == b.what;
      },
      [](ir::WaitStats& a, const ir::WaitStats& b) { a.passed += b.passed; });
  merge(
      total.lines, more.lines,
      [](const ir::LineStats& a, const ir::LineStats& b) { return a.line == b.line; },
      [](ir::LineStats& a, const ir::LineStats& b) { a.instructions += b.instructions; });
}

std::vector<Total> totals(const dsl::ScriptResult& result) {
  std::vector<Total> all;
  for (const dsl::LaunchRecord& launch : result.launches) {
    if (!launch.outcome.stats) continue;
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const Total& known) { return known.kernel == launch.kernel.get(); });
    if (at == all.end()) {
      all.push_back({launch.kernel.get(), 0, {}});
      at = std::prev(all.end());
    }
    ++at->launches;
    add(at->stats, *launch.outcome.stats);
  }
  return all;
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::uint32_t line_of(const Source& source, Span span) {
  return span.empty() ? 0 : source.locate(span.begin).line;
}

/// The line as the script has it, without its indentation.
std::string line_text(const Source& source, std::uint32_t line) {
  std::string_view text = source.text();
  for (std::uint32_t i = 1; i < line && !text.empty(); ++i) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t indent = text.find_first_not_of(' ');
  return std::string(indent == std::string_view::npos ? std::string_view{} : text.substr(indent));
}

std::string accesses_text(const Source& source, const ir::LaunchStats& stats, bool shared) {
  std::size_t name = 6;
  bool any = false;
  for (const ir::AccessStats& access : stats.accesses) {
    if (access.shared != shared) continue;
    any = true;
    name = std::max(name, access.buffer.size() + access.what.size() + 1);
  }
  if (!any) return {};
  std::string text = fmt::format("  {}\n  {:>5}  {:{}}  {:>10}  {:>12}  {:>10}  {:>10}  {}\n",
                                 shared ? "shared memory" : "global memory", "line", "access", name,
                                 "requests", "bytes", shared ? "passes" : "sectors", "at least",
                                 shared ? "conflicts" : "worst request");
  for (const ir::AccessStats& access : stats.accesses) {
    if (access.shared != shared) continue;
    const std::string worst = !shared            ? fmt::format("{}", access.worst)
                              : access.worst > 1 ? fmt::format("{}-way", access.worst)
                                                 : std::string("none");
    text += fmt::format("  {:>5}  {:{}}  {:>10}  {:>12}  {:>10}  {:>10}  {}\n",
                        line_of(source, access.span), access.buffer + " " + access.what, name,
                        access.requests, access.bytes, access.transfers, access.least, worst);
  }
  return text;
}

}  // namespace

std::string stats_text(const Source& source, const dsl::ScriptResult& result) {
  std::string text;
  for (const Total& total : totals(result)) {
    const ir::LaunchStats& stats = total.stats;
    text +=
        fmt::format("stats of {}: {}, {} of {}, {}\n", total.kernel->name,
                    total.launches == 1 ? "1 launch" : fmt::format("{} launches", total.launches),
                    counted(stats.ctas, "CTA"), counted(stats.threads, "thread"),
                    counted(stats.instructions, "instruction"));
    text += accesses_text(source, stats, false);
    text += accesses_text(source, stats, true);
    if (!stats.waits.empty()) text += "  barriers and waits\n   line  passed by warps\n";
    for (const ir::WaitStats& wait : stats.waits) {
      text +=
          fmt::format("  {:>5}  {:>15}  {}\n", line_of(source, wait.span), wait.passed, wait.what);
    }
    if (!stats.lines.empty()) text += "  instructions\n   line       count\n";
    for (const ir::LineStats& line : stats.lines) {
      text += fmt::format("  {:>5}  {:>10}  {}\n", line.line, line.instructions,
                          line_text(source, line.line));
    }
  }
  return text;
}

json stats_json(const Source& source, const ir::LaunchStats& stats) {
  json accesses = json::array(), waits = json::array(), lines = json::array();
  for (const ir::AccessStats& access : stats.accesses) {
    accesses.push_back({{"line", line_of(source, access.span)},
                        {"text", std::string(source.text(access.span))},
                        {"buffer", access.buffer},
                        {"what", access.what},
                        {"space", access.shared ? "shared" : "global"},
                        {"requests", access.requests},
                        {"bytes", access.bytes},
                        {access.shared ? "passes" : "sectors", access.transfers},
                        {"least", access.least},
                        {"worst", access.worst}});
  }
  for (const ir::WaitStats& wait : stats.waits) {
    waits.push_back(
        {{"line", line_of(source, wait.span)}, {"what", wait.what}, {"passed", wait.passed}});
  }
  for (const ir::LineStats& line : stats.lines) {
    lines.push_back({{"line", line.line}, {"instructions", line.instructions}});
  }
  return {{"ctas", stats.ctas},
          {"threads", stats.threads},
          {"instructions", stats.instructions},
          {"accesses", std::move(accesses)},
          {"waits", std::move(waits)},
          {"lines", std::move(lines)}};
}

}  // namespace tirx::cli
