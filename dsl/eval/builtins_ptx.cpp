// T.ptx: instructions by their text.  `T.ptx.bar.sync(…)` and `T.ptx["bar.sync"](…)` name the same
// operation; modifiers may come in any order in the chain form (PTX ISA, "Instruction Statements").
#include <algorithm>
#include <array>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/machine_call.hpp"
#include "dsl/eval/ptx_instruction.hpp"
#include "dsl/eval/ptx_scalar.hpp"
#include "ir/all_ops.hpp"

namespace tirx::dsl {

namespace {

struct PtxChain : Object {
  static const ObjectType kType;

  explicit PtxChain(std::string t, PtxResult r = PtxResult::destinations)
      : Object(kType), text(std::move(t)), result(r) {}

  std::string text;  // "bar.sync", without "ptx."
  PtxResult result;
};

/// T.ptx.addr, a function.
struct PtxAddressMaker : Object {
  static const ObjectType kType;

  PtxAddressMaker() : Object(kType) {}
};

Value make_address(Interpreter&, const Value&, CallArgs args) {
  if (!args.named.empty() || args.positional.size() != 2) {
    fail(args.span, "T.ptx.addr() takes a pointer and a constant number of bytes");
  }
  const ArgumentValue& offset = args.positional[1];
  const auto bytes = offset.value.integer();
  if (!bytes || *bytes < INT32_MIN || *bytes > INT32_MAX) {
    fail(offset.span, "the offset of T.ptx.addr() must be a constant that fits int32");
  }
  return std::make_shared<PtxAddress>(args.positional[0].value, args.positional[0].span, *bytes);
}

constexpr std::size_t kMaxInstruction = 200;

/// `shared__cta` -> "shared::cta", `async_` -> "async".
std::string component(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size() && name[i + 1] == '_') {
      out += "::";
      ++i;
    } else {
      out += name[i];
    }
  }
  if (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

std::vector<std::string> parts(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == '.') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// The same instruction whatever the order of its modifiers; the opcode stays first.
std::vector<std::string> normal_form(std::string_view text) {
  std::vector<std::string> out = parts(text);
  std::sort(out.begin() + 1, out.end());
  return out;
}

/// Other spellings of operations in the list.
struct Spelling {
  std::string_view text;
  std::string_view name;
};

constexpr auto kSpellings = std::to_array<Spelling>({
    {"barrier.sync", "bar.sync"},
    {"barrier.cta.sync.aligned", "bar.sync"},
    {"barrier.arrive", "bar.arrive"},
    {"barrier.cta.arrive.aligned", "bar.arrive"},
    {"barrier.cluster.arrive.aligned", "barrier.cluster.arrive"},
    {"barrier.cluster.arrive.release.aligned", "barrier.cluster.arrive"},
    {"barrier.cluster.wait.aligned", "barrier.cluster.wait"},
    {"barrier.cluster.wait.acquire.aligned", "barrier.cluster.wait"},
});

/// Instructions that have a better way in the language, or none here.
struct Refused {
  std::string_view opcode;
  std::string_view reason;
};

constexpr auto kRefused = std::to_array<Refused>({
    {"cvta", "pointers keep their state space: an address operand takes the pointer itself"},
    {"mov", "assign the value"},
    {"mapa",
     "addresses in other CTAs of a cluster are not built; go through global memory, with "
     "barrier.cluster between"},
    {"setp", "write the comparison"},
    {"selp", "write T.Select(condition, a, b)"},
    {"bra", "write if, while or for"},
    {"barrier.cta.red", "write bar.red, which is its aligned form"},
    {"cp.async.bulk", "bulk and tensor copies are not built"},
    {"wgmma", "warpgroup matrix instructions are not built; their arithmetic is in numerics"},
    {"tcgen05", "tensor memory is not built"},
    {"griddepcontrol", "dependent launches are not built"},
});

const Refused* find_refused(std::string_view text) {
  for (const Refused& row : kRefused) {
    if (text == row.opcode || text.starts_with(std::string(row.opcode) + ".")) return &row;
  }
  return nullptr;
}

std::optional<ir::OpId> find_op(std::string_view text) {
  for (const Spelling& spelling : kSpellings) {
    if (normal_form(spelling.text) == normal_form(text)) {
      return ir::AllOps::find("ptx." + std::string(spelling.name));
    }
  }
  const std::vector<std::string> wanted = normal_form(text);
  for (std::size_t i = 0; i < ir::AllOps::kSize; ++i) {
    const std::string_view name = ir::AllOps::kSpecs[i].name;
    if (ir::AllOps::kSpecs[i].ptx == nullptr && name.starts_with("ptx.") &&
        normal_form(name.substr(4)) == wanted) {
      return static_cast<ir::OpId>(i);
    }
  }
  return std::nullopt;
}

std::vector<std::string> known_instructions() {
  std::vector<std::string> names;
  for (const ir::OpSpec& spec : ir::AllOps::kSpecs) {
    if (spec.ptx != nullptr) {
      names.emplace_back(spec.ptx->opcode);
    } else if (spec.name.starts_with("ptx.")) {
      names.emplace_back(spec.name.substr(4));
    }
  }
  for (const PtxScalar& row : ptx_scalars()) names.emplace_back(row.text);
  return names;
}

/// Whether the last word of the text, its type, is one of the family's.
bool has_type(const ir::ptx::Family& family, std::string_view text) {
  const std::string wanted = fmt::format("|{}|", text.substr(text.rfind('.') + 1));
  return std::any_of(family.slots.begin(), family.slots.end(), [&](const ir::ptx::Slot& slot) {
    return fmt::format("|{}|", slot.words).find(wanted) != std::string::npos;
  });
}

bool has_scalar_rows(std::string_view text) {
  const std::string_view opcode = text.substr(0, text.find('.'));
  return std::any_of(ptx_scalars().begin(), ptx_scalars().end(), [&](const PtxScalar& row) {
    return row.text.substr(0, row.text.find('.')) == opcode;
  });
}

/// The instruction that may have been meant: whole texts first, then opcodes in front of modifiers.
std::string nearest(const std::string& text) {
  const std::vector<std::string> known = known_instructions();
  if (std::string whole = did_you_mean(text, known); !whole.empty()) return whole;
  std::string head;
  for (const std::string& part : parts(text)) {
    head += (head.empty() ? "" : ".") + part;
    if (std::string found = did_you_mean(head, known); !found.empty()) return found;
  }
  return "";
}

std::optional<Value> chain_attribute(Interpreter&,
                                     const Value& self,
                                     std::string_view name,
                                     Span span) {
  const std::string& text = self.as<PtxChain>()->text;
  if (text.size() + name.size() > kMaxInstruction)
    fail(span, "no instruction has such a long name");
  if (text.empty() && name == "SINK") return Value(std::make_shared<PtxSink>());
  if (text.empty() && name == "addr") return Value(std::make_shared<PtxAddressMaker>());
  if (name == "value") return Value(std::make_shared<PtxChain>(text, PtxResult::value));
  if (name == "values") return Value(std::make_shared<PtxChain>(text, PtxResult::values));
  const std::string next = component(name);
  return Value(std::make_shared<PtxChain>(text.empty() ? next : text + "." + next));
}

Value chain_subscript(Interpreter&, const Value& self, const Subscripts& items) {
  if (!self.as<PtxChain>()->text.empty() || items.items.size() != 1 ||
      items.items[0].value.text() == nullptr) {
    fail(items.span, "T.ptx[…] takes the text of one instruction");
  }
  return std::make_shared<PtxChain>(*items.items[0].value.text());
}

Value chain_call(Interpreter& interpreter, const Value& self, CallArgs args) {
  const PtxChain& chain = *self.as<PtxChain>();
  const std::string& text = chain.text;
  const bool value = chain.result != PtxResult::destinations;
  if (const PtxScalar* row = find_ptx_scalar(text)) {
    return ptx_scalar_call(interpreter, *row, std::move(args), value);
  }
  const auto op = find_op(text);
  if (const Refused* refused = op ? nullptr : find_refused(text)) {
    fail_help(args.span, fmt::format("the instruction '{}' is not available", text),
              std::string(refused->reason));
  }
  if (const ir::ptx::Family* family = op ? nullptr : ir::ptx::find_family(text)) {
    Result<ir::ptx::Instruction> parsed = ir::ptx::parse(text);
    // Where scalar rows share the opcode, the family's syntax is not all there is.
    if (parsed.ok() || has_type(*family, text) || !has_scalar_rows(text)) {
      return ptx_call(interpreter, unwrap(std::move(parsed), args.span), std::move(args),
                      chain.result);
    }
  }
  if (!op) {
    fail_help(args.span, fmt::format("no instruction '{}' is available{}", text, nearest(text)),
              "`tirx ops` lists what is");
  }
  const ir::OpSpec& spec = ir::spec(*op);
  std::string semantics;
  for (const auto& [name, argument] : args.named) {
    if (name == "scope" && spec.has_text && argument.value.text() != nullptr) {
      semantics = *argument.value.text();
      continue;
    }
    fail(argument.span, "'{}' takes no keyword '{}'", text, name);
  }
  if (spec.has_text) {
    const std::size_t dot = spec.name.rfind('.');
    semantics =
        std::string(spec.name.substr(dot + 1)) + "." + (semantics.empty() ? "gpu" : semantics);
  }
  return machine_call(interpreter, *op, std::move(args.positional), semantics, args.span);
}

}  // namespace

const ObjectType PtxChain::kType{
    .name = "ptx instruction",
    .attribute = chain_attribute,
    .call = chain_call,
    .subscript = chain_subscript,
    .repr = [](const Value& self, int) { return "T.ptx." + self.as<PtxChain>()->text; }};

const ObjectType PtxAddressMaker::kType{
    .name = "function", .call = make_address, .repr = [](const Value&, int) {
      return std::string("T.ptx.addr");
    }};

void register_ptx(Registry& registry) {
  registry.add("T", "ptx", std::make_shared<PtxChain>(""));
}

}  // namespace tirx::dsl
