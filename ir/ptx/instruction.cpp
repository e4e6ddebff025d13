#include "ir/ptx/instruction.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/all_ops.hpp"

namespace tirx::ir::ptx {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return out;
    begin = end + 1;
  }
}

/// The word as the row spells it (rows live for ever), or an empty one.
std::string_view find_word(std::string_view words, std::string_view wanted) {
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('|', begin), words.size());
    if (words.substr(begin, end - begin) == wanted) return words.substr(begin, end - begin);
    begin = end + 1;
  }
  return {};
}

std::string choice(std::string_view words) {
  const std::vector<std::string_view> all = split(words, '|');
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 0) out += i + 1 == all.size() ? " or " : ", ";
    out += "." + std::string(all[i]);
  }
  return out;
}

Diagnostic complaint(std::string text, std::string help = {}) {
  Diagnostic made{{}, std::move(text), {}, Severity::error};
  if (!help.empty()) made.notes.push_back({{}, std::move(help)});
  return made;
}

/// Numbers the operands: outputs by lane, the others by argument, required ones first.
void number(Instruction& made) {
  std::size_t lane = 0, argument = 0;
  for (const bool optional : {false, true}) {
    for (Operand& operand : made.operands) {
      if (operand.optional != optional) continue;
      if (operand.kind == Operand::Kind::output) {
        operand.at = lane;
        lane += static_cast<std::size_t>(operand.count);
      } else {
        operand.at = argument++;
      }
    }
  }
}

bool has_word(const Family& family, std::string_view word) {
  return std::any_of(family.slots.begin(), family.slots.end(),
                     [&](const Slot& slot) { return !find_word(slot.words, word).empty(); });
}

std::optional<OpId> op_of(const Family& family) {
  for (std::size_t i = 0; i < AllOps::kSize; ++i) {
    if (AllOps::kSpecs[i].ptx == &family) return static_cast<OpId>(i);
  }
  return std::nullopt;
}

}  // namespace

int Instruction::choice(std::size_t slot) const {
  const std::vector<std::string_view> all = split(family->slots[slot].words, '|');
  const auto found = std::find(all.begin(), all.end(), words[slot]);
  return words[slot].empty() || found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

bool Instruction::has(std::string_view wanted) const {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

std::string Instruction::text() const {
  std::string out(family->opcode);
  for (const std::string_view word : words) {
    if (!word.empty()) out += "." + std::string(word);
  }
  return out;
}

std::size_t Instruction::outputs(bool all) const {
  std::size_t count = 0;
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::Kind::output && (all || !operand.optional)) {
      count += static_cast<std::size_t>(operand.count);
    }
  }
  return count;
}

Type Instruction::value_type(bool all) const {
  const std::size_t count = outputs(all);
  if (count == 0) return kVoid;
  std::optional<num::DType> dtype;
  for (const Operand& operand : operands) {
    if (operand.kind != Operand::Kind::output || (operand.optional && !all)) continue;
    if (dtype && *dtype != operand.type.dtype) {
      dtype = num::DType::u32;  // of several kinds: their bits, a predicate as 0 or 1
    } else {
      dtype = operand.type.dtype;
    }
  }
  return {*dtype, static_cast<std::uint16_t>(count)};
}

const Operand& Instruction::argument(std::size_t at) const {
  for (const Operand& operand : operands) {
    if (operand.kind != Operand::Kind::output && operand.at == at) return operand;
  }
  TIRX_CHECK(false && "an argument beyond the instruction's operands");
  return operands[0];
}

Operand& Instruction::output(std::string_view name, Register type, int count) {
  Operand made;
  made.kind = Operand::Kind::output;
  made.name = name;
  made.type = type;
  made.count = count;
  return operands.emplace_back(made);
}

Operand& Instruction::input(std::string_view name, Register type, int count) {
  Operand& made = output(name, type, count);
  made.kind = Operand::Kind::input;
  return made;
}

Operand& Instruction::address(std::string_view name, Space space, int bytes, bool writes) {
  Operand& made = output(name, kU64);
  made.kind = Operand::Kind::address;
  made.space = space;
  made.bytes = bytes;
  made.writes = writes;
  return made;
}

Operand& Instruction::immediate(std::string_view name, std::string_view legal) {
  Operand& made = output(name, kU32);
  made.kind = Operand::Kind::immediate;
  made.legal = legal;
  return made;
}

Operand& Instruction::immediate(std::string_view name, std::int64_t low, std::int64_t high) {
  Operand& made = immediate(name, {});
  made.low = low;
  made.high = high;
  return made;
}

Register register_of(std::string_view word) {
  using num::DType;
  if (word == "pred") return kPredicate;
  if (word == "b8") return {DType::u8, true};
  if (word == "b16" || word == "e4m3x2" || word == "e5m2x2" || word == "ue8m0x2") return kB16;
  if (word == "b32" || word == "f16x2" || word == "bf16x2") return kB32;
  if (word == "b64") return kB64;
  if (word == "tf32") return kB32;
  if (word == "f16") return {DType::f16, false};
  if (word == "bf16") return {DType::bf16, false};
  if (word == "f32") return kF32;
  if (word == "f64") return {DType::f64, false};
  constexpr std::pair<std::string_view, DType> kIntegers[] = {
      {"s8", DType::i8}, {"s16", DType::i16}, {"s32", DType::i32}, {"s64", DType::i64},
      {"u8", DType::u8}, {"u16", DType::u16}, {"u32", DType::u32}, {"u64", DType::u64}};
  for (const auto& [name, dtype] : kIntegers) {
    if (name == word) return {dtype, false};
  }
  TIRX_CHECK(false && "a row names a type that it does not have");
  return {};
}

Space space_of(std::string_view word) {
  if (word.starts_with("shared")) return Space::shared;
  return word == "global" ? Space::global : Space::generic;
}

const Family* find_family(std::string_view text) {
  // The opcode, and after it the end or a modifier.
  const auto opens = [text](std::string_view opcode) {
    return text.starts_with(opcode) && (text.size() == opcode.size() || text[opcode.size()] == '.');
  };
  const std::string_view type = text.substr(text.rfind('.') + 1);
  const Family* best = nullptr;
  for (const OpSpec& spec : AllOps::kSpecs) {
    if (spec.ptx == nullptr || !opens(spec.ptx->opcode)) continue;
    const bool longer = best == nullptr || best->opcode.size() < spec.ptx->opcode.size();
    // Two rows of one opcode (mul.lo.s32, mul.f16x2) differ in the types they have.
    const bool fits = best != nullptr && best->opcode == spec.ptx->opcode &&
                      has_word(*spec.ptx, type) && !has_word(*best, type);
    if (longer || fits) best = spec.ptx;
  }
  return best;
}

std::string syntax(const Family& family) {
  std::string out(family.opcode);
  for (const Slot& slot : family.slots) {
    const bool several = slot.words.find('|') != std::string_view::npos;
    const std::string words(slot.words);
    const std::string word = several ? ".{" + words + "}" : "." + words;
    out += slot.required ? word : "[" + word + "]";
  }
  return out;
}

Result<Instruction> parse(std::string_view text) {
  const Family* family = find_family(text);
  if (family == nullptr) return complaint(fmt::format("no instruction '{}' is available", text));
  Instruction made;
  made.family = family;
  made.op = *op_of(*family);
  made.words.resize(family->slots.size());
  std::vector<std::string_view> parts = split(text, '.');
  parts.erase(parts.begin(),
              parts.begin() + static_cast<std::ptrdiff_t>(split(family->opcode, '.').size()));
  for (const std::string_view part : parts) {
    std::string_view taken;
    bool placed = false;
    for (std::size_t i = 0; i < family->slots.size() && !placed; ++i) {
      const std::string_view word = find_word(family->slots[i].words, part);
      if (word.empty()) continue;
      if (made.words[i].empty()) {
        made.words[i] = word;
        placed = true;
      } else {
        taken = made.words[i];
      }
    }
    if (placed) continue;
    const std::string form = "the instruction is " + syntax(*family);
    if (!taken.empty()) {
      return complaint(taken == part ? fmt::format("'.{}' is given twice", part)
                                     : fmt::format("'.{}' and '.{}' exclude each other in {}",
                                                   taken, part, family->opcode),
                       form);
    }
    return complaint(fmt::format("'.{}' is not a valid modifier of {}", part, family->opcode),
                     form);
  }
  for (std::size_t i = 0; i < family->slots.size(); ++i) {
    const Slot& slot = family->slots[i];
    if (!slot.required || !made.words[i].empty()) continue;
    return complaint(
        fmt::format("missing required modifier of {}: {}", family->opcode, choice(slot.words)),
        "the instruction is " + syntax(*family));
  }
  if (std::string error = family->shape(made); !error.empty()) return complaint(std::move(error));
  number(made);
  return made;
}

bool Instruction::exists_on(int sm) const {
  return sm >= min_sm && (family->exists == nullptr || family->exists(*this, sm));
}

bool exists_on(const MachineCall& call, int sm) {
  const OpSpec& facts = spec(call.op);
  if (facts.ptx != nullptr) {
    const auto made = decode(call);
    for (const Operand& operand : made->operands) {
      const bool given = operand.kind != Operand::Kind::output && operand.at < call.args.size();
      if (given && operand.min_sm > sm) return false;
    }
    return made->exists_on(sm);
  }
  return sm >= facts.min_sm;
}

std::string_view name_of(const MachineCall& call) {
  const OpSpec& facts = spec(call.op);
  return facts.ptx != nullptr ? std::string_view(call.text) : facts.name;
}

bool writes_through(const MachineCall& call, std::size_t at) {
  const OpSpec& facts = spec(call.op);
  if (facts.effect == Effect::opaque) return true;
  if (facts.effect != Effect::memory) return false;
  if (facts.ptx != nullptr) return decode(call)->argument(at).writes;
  return call.op != AllOps::id_of<LoadAcquire>() && call.op != AllOps::id_of<LoadReadOnly>() &&
         call.op != AllOps::id_of<PrintBuffer>();
}

std::shared_ptr<const Instruction> decode(const MachineCall& call) {
  if (call.instruction != nullptr) return call.instruction;
  Result<Instruction> made = parse(call.text);
  TIRX_CHECK(made.ok() && made->op == call.op);
  return std::make_shared<const Instruction>(std::move(made).value());
}

MachineCall make_call(Instruction instruction, std::vector<Expr> args) {
  auto kept = std::make_shared<const Instruction>(std::move(instruction));
  std::string text = kept->text();
  return {kept->op, std::move(args), std::move(text), std::move(kept)};
}

int immediate_of(const MachineCall& call) {
  const auto made = decode(call);
  for (const Operand& operand : made->operands) {
    std::int64_t value = 0;
    if (operand.kind == Operand::Kind::immediate && operand.at < call.args.size() &&
        is_const_int(call.args[operand.at], value)) {
      return static_cast<int>(value);
    }
  }
  return 0;
}

Expr call(std::string_view text, std::vector<Expr> args, Span span, bool all) {
  Result<Instruction> made = parse(text);
  TIRX_CHECK(made.ok());
  const Type type = made->value_type(all);
  return make_expr(type, span, make_call(std::move(made).value(), std::move(args)));
}

}  // namespace tirx::ir::ptx
