// See dispatch.hpp.  The table has the form that TIRx's own dispatcher prints.
#include "lower/dispatch.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lower/explain.hpp"
#include "lower/overlap.hpp"

namespace tirx::lower {

namespace {

/// `dispatch="vec_auto"` is TIRx's name for the two copies that choose their vector themselves.
bool selects(std::string_view wanted, const Variant& variant) {
  if (wanted.empty()) return !variant.only_by_name;
  if (wanted == "vec_auto") return variant.name == "gmem_smem" || variant.name == "reg";
  return wanted == variant.name;
}

std::string names_of(std::span<const Variant> variants) {
  std::string out;
  for (const Variant& variant : variants) {
    if (!out.empty()) out += ", ";
    out += variant.name;
  }
  return out;
}

struct Row {
  const Variant* variant;
  std::string_view verdict;
  std::string reason;
};

Diagnostic table(const Site& site, const std::vector<Row>& rows) {
  std::string text = fmt::format("TIRx schedule dispatch failed: op=tirx.tile.{} target=cuda",
                                 ir::spec(site.call.op).name);
  const std::span<const Variant> variants = variants_of(site.call.op);
  if (variants.empty()) {
    return {site.span, text + "\n  no registered variants for this op/target", {}};
  }
  if (rows.empty()) {
    return {site.span,
            fmt::format("{}\n  no variant named '{}' is registered", text, site.call.dispatch),
            {{{}, fmt::format("the variants are {}", names_of(variants))}}};
  }
  std::size_t width = std::string_view("Variant").size();
  std::vector<std::string> heads;
  for (const Row& row : rows) {
    heads.push_back(fmt::format("{} (prio={})", row.variant->name, row.variant->priority));
    width = std::max(width, heads.back().size());
  }
  text += fmt::format("\n  {:<{}} | Error\n  {:-<{}}-+------", "Variant", width, "", width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("\n  {:<{}} | {}{}", heads[i], width, rows[i].verdict, rows[i].reason);
  }
  return {site.span, std::move(text), {}};
}

}  // namespace

void add_later_refusals(const Site& site, DispatchNote& note) {
  if (!site.call.dispatch.empty()) return;
  bool behind = false;
  for (const Variant& variant : variants_of(site.call.op)) {
    const bool chosen = variant.name == note.variant;
    behind = behind || chosen;
    if (chosen || !(behind || variant.only_by_name)) continue;
    if (const Result<Taken> taken = variant.take(site); !taken) {
      note.refused.push_back({std::string(variant.name), taken.error().text});
    }
  }
}

Result<Dispatched> dispatch(const Site& site) {
  std::vector<Row> refusals;
  std::optional<std::optional<std::string>> meeting;
  for (const Variant& variant : variants_of(site.call.op)) {
    if (!selects(site.call.dispatch, variant)) continue;
    Row row{&variant, "rejected: ", {}};
    if (const Result<Taken> taken = variant.take(site); !taken) {
      row.reason = taken.error().text;
    } else {
      Result<Expansion> expansion = (*taken)();
      // Last, where nothing else stands against it.
      if (expansion && !meeting) meeting = refuse_meeting(site);
      if (expansion && *meeting) {
        row.reason = **meeting;
      } else if (expansion) {
        DispatchNote note;
        note.span = site.span;
        note.op = site.call.op;
        note.scope = site.scope;
        note.threads = site.threads;
        note.variant = variant.name;
        note.vector = expansion->vector;
        note.rounds = expansion->rounds;
        note.wider = expansion->wider;
        for (const Row& earlier : refusals) {
          note.refused.push_back({std::string(earlier.variant->name), earlier.reason});
        }
        return Dispatched{std::move(expansion).value(), std::move(note)};
      }
      if (!expansion) {
        row.verdict = "declined — ";
        row.reason = expansion.error().text;
      }
    }
    refusals.push_back(std::move(row));
  }
  return table(site, refusals);
}

}  // namespace tirx::lower
