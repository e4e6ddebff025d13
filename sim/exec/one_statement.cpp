#include "sim/exec/one_statement.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/exec/element.hpp"

namespace tirx::sim::exec {

namespace {

/// What the value of an index comes from.
struct Origins {
  bool thread = false;  // the thread's place in the CTA
  bool cta = false;     // the CTA's in the grid
  bool data = false;    // what differs between lanes and is known while they run only
  bool other = false;   // variables of whole warps, such as those of loops
};

Origins origins_of(const Program& program, const std::vector<ValueId>& index) {
  Origins found;
  std::vector<ValueId> pending = index;
  std::unordered_set<ValueId> seen;
  while (!pending.empty()) {
    const ValueId id = pending.back();
    pending.pop_back();
    if (id == kNoValue || !seen.insert(id).second) continue;
    const ValueNode& node = program.values.nodes[id];
    if (node.kind == ValueNode::Kind::table) found.thread = true;
    if (node.kind == ValueNode::Kind::leaf) {
      const bool cta =
          node.uniform && std::find(program.cta_register.begin(), program.cta_register.end(),
                                    node.reg) != program.cta_register.end();
      (cta ? found.cta : node.uniform ? found.other : found.data) = true;
    }
    pending.insert(pending.end(), std::begin(node.args), std::end(node.args));
  }
  return found;
}

bool in_a_loop(const Program& program, const Place& place) {
  return std::any_of(program.loops.begin(), program.loops.end(), [&](const LoopPlaces& loop) {
    return loop.begin <= place.id && place.id < loop.end;
  });
}

/// The indices as the script writes them, "t // 2" and "0" of "s[t // 2, 0]"; none where it does
/// not (a tile operation's).
std::vector<std::string> written_indices(const Cta& cta, const Place& place) {
  if (cta.machine.source == nullptr || place.span.empty()) return {};
  const std::string_view text = cta.machine.source->text(place.span);
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']') return {};
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text.substr(open + 1, text.size() - open - 2)) {
    depth += static_cast<int>(c == '(' || c == '[') - static_cast<int>(c == ')' || c == ']');
    if (depth < 0) return {};
    if (depth == 0 && c == ',') {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

/// Both sides write at one site.
std::string collision(const Side& prior, const Side& now, const Cta& cta) {
  const Program& program = *cta.machine.program;
  const MemSite& mem = *now.site->mem;
  const Origins all = origins_of(program, mem.index);
  if (prior.cta != now.cta) {
    const bool alike = !all.cta && !all.data && !all.other;
    return fmt::format(
        "{}: let one CTA write it, give each CTA elements of its own, or use an atomic",
        alike
            ? fmt::format("no index of {} depends on the CTA, and each of them writes the element",
                          mem.buffer->name)
            : "the parts that the CTAs write overlap");
  }
  if (!all.thread && !all.data) {
    return fmt::format(
        "no index of {} depends on the thread, and each that comes here writes the element: let "
        "one of them do it (guard it with a condition), or use an atomic",
        mem.buffer->name);
  }
  const std::vector<std::string> texts = written_indices(cta, now.place());
  if (texts.size() != mem.index.size()) {
    return "both threads write the element in this one operation: let one thread, or one warp, do "
           "it (guard it with a condition), or a scope that holds both, whose threads share it";
  }
  std::vector<std::string> same, fixed;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (program.values.nodes[mem.index[i]].kind == ValueNode::Kind::constant) continue;
    const Origins origins = origins_of(program, {mem.index[i]});
    (origins.thread || origins.data ? same : fixed).push_back(fmt::format("'{}'", texts[i]));
  }
  const auto thread = [](const Side& side) {
    return static_cast<std::int64_t>(side.warp) * kLanes + side.lane;
  };
  const auto [low, high] = std::minmax({thread(prior), thread(now)});
  std::string text = fmt::format("{} {} the same in threads {} and {}", fmt::join(same, " and "),
                                 same.size() == 1 ? "is" : "are", low, high);
  if (!fixed.empty()) {
    text += fmt::format(", and {} {} not depend on the thread", fmt::join(fixed, " and "),
                        fixed.size() == 1 ? "does" : "do");
  }
  return text +
         ": give each thread an element of its own, let one of them write it (guard it with a "
         "condition), or use an atomic";
}

/// Some order between CTAs may be meant: by accesses of theirs, or the barrier of a cluster.
bool takes_turns(const Program& program) {
  const bool accesses = std::any_of(program.race_sites.begin(), program.race_sites.end(),
                                    [](const auto& site) { return site->strong && !site->shared; });
  return accesses ||
         std::any_of(program.call_sites.begin(), program.call_sites.end(), [](const auto& site) {
           return site->op == ir::AllOps::id_of<ir::ClusterWait>();
         });
}

/// One line of the script, and one statement of it.
bool one_line(const Cta& cta, Span a, Span b) {
  if (cta.machine.source == nullptr || a.empty() || b.empty()) return false;
  if (b.begin < a.begin) std::swap(a, b);
  if (b.begin < a.end) return false;
  const std::string_view between = cta.machine.source->text({a.end, b.begin});
  return between.find_first_of(";\n") == std::string_view::npos;
}

}  // namespace

std::string at_one_statement(const Side& prior, const Side& now, const Warp& w, std::int64_t byte) {
  const Cta& cta = *w.cta;
  const Program& program = *cta.machine.program;
  const RaceSite &a = *prior.site, &b = *now.site;
  if (a.kind == RaceSite::Kind::atomic || b.kind == RaceSite::Kind::atomic) return {};
  if (prior.strong || now.strong || a.mem->buffer != b.mem->buffer) return {};
  const bool one_site = &a == &b;
  const bool update = !one_site && a.mem->index == b.mem->index;
  if (!one_site && (a.call != nullptr || b.call != nullptr || prior.writes == now.writes ||
                    !one_line(cta, prior.span(), now.span()))) {
    return {};
  }
  const bool by_data = origins_of(program, a.mem->index).data;
  if (prior.cta != now.cta) {
    // Where CTAs take turns, who comes when is for what orders them.
    if (takes_turns(program)) return {};
  } else if (in_a_loop(program, now.place())) {
    // In one round?  Roles may take turns, and so may the lanes that are not here now.
    if (!now.place().role.empty() || (w.mask >> prior.lane & 1) == 0) return {};
    // Only of who is here it is known what its data would be.
    const bool here = one_site && prior.warp == now.warp;
    if (by_data && !here && !update) return {};
    const bool known = !by_data || here;
    const std::vector<std::int64_t> index = index_at(w, *b.mem, now.lane, byte);
    if (known && !would_access(w, *a.mem, prior.warp, prior.lane, index)) return {};
  }
  if (update) {
    return "several threads read, compute and write the element at once: use an atomic, such as "
           "cuda.atomic_add, or let one thread do it";
  }
  if (one_site) return collision(prior, now, cta);
  if (prior.cta != now.cta) return {};
  return fmt::format(
      "the one thread writes what the other reads in the same statement: read it into a variable, "
      "let both pass a {}, and write then",
      prior.warp == now.warp ? "cuda.warp_sync()" : "barrier, such as cuda.cta_sync()");
}

}  // namespace tirx::sim::exec
