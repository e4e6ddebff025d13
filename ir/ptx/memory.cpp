// Loads, stores, atomics, fences (PTX ISA 9.7.9 "Data movement", 9.7.13 "Parallel
// synchronization").
#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/ptx_memory.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

namespace {

constexpr std::string_view kScopes = "cta|cluster|gpu|sys";
constexpr std::string_view kSpaces = "global|shared|shared::cta";
constexpr std::string_view kTypes = "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64";
constexpr std::string_view kEviction =
    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate";
constexpr std::string_view kPrefetchSizes = "L2::64B|L2::128B|L2::256B";

// Positions of slots in loads and stores.
constexpr std::size_t kOrder = 0, kScope = 1, kSpace = 2;

constexpr Slot kLdSlots[] = {{"weak|volatile|relaxed|acquire", false},
                             {kScopes, false},
                             {kSpaces, false},
                             {"ca|cg|cs|lu|cv", false},
                             {"nc", false},
                             {kEviction, false},
                             {"L2::cache_hint", false},
                             {kPrefetchSizes, false},
                             {"v2|v4|v8", false},
                             {kTypes}};

constexpr Slot kStoreSlots[] = {{"weak|volatile|relaxed|release", false},
                                {kScopes, false},
                                {kSpaces, false},
                                {"wb|cg|cs|wt", false},
                                {kEviction, false},
                                {"L2::cache_hint", false},
                                {"v2|v4|v8", false},
                                {kTypes}};

/// Order and scope come together: relaxed, acquire and release name one, the others do not.
std::string check_order(const Instruction& made) {
  const std::string_view order = made.word(kOrder), scope = made.word(kScope);
  const bool scoped = order == "relaxed" || order == "acquire" || order == "release";
  if (scoped && scope.empty()) {
    return fmt::format("'.{}' requires a scope: .cta, .cluster, .gpu or .sys", order);
  }
  if (!scoped && !scope.empty()) {
    return fmt::format("'.{}' requires .relaxed, .acquire or .release in front of it", scope);
  }
  return {};
}

/// Cache operators, eviction priorities, .nc and memory order exclude each other in pairs.
std::string check_caches(const Instruction& made, bool load) {
  const std::string_view order = made.word(kOrder), operation = made.word(3);
  const std::string_view eviction = made.word(load ? 5 : 4);
  const bool nc = made.has("nc");
  const auto exclude = [](std::string_view a, std::string_view b) {
    return fmt::format("'.{}' and '.{}' exclude each other", a, b);
  };
  if (nc && !order.empty()) return exclude(order, "nc");
  if (!operation.empty() && !order.empty() && order != "weak") return exclude(order, operation);
  if (!operation.empty() && !eviction.empty()) return exclude(operation, eviction);
  if (nc && (operation == "lu" || operation == "cv")) return exclude(operation, "nc");
  if (order == "volatile" && !eviction.empty()) return exclude(order, eviction);
  if (order == "volatile" && made.has("L2::cache_hint")) return exclude(order, "L2::cache_hint");
  return {};
}

std::string access(Instruction& made, bool load) {
  if (std::string error = check_order(made); !error.empty()) return error;
  if (std::string error = check_caches(made, load); !error.empty()) return error;
  const std::size_t vector = load ? 8 : 6, type = vector + 1;
  const std::string_view word = made.word(type);
  if (word == "f16" || word == "bf16") {
    return fmt::format("'.{}' is not a type of {}; use .b16, which holds any 16 bits", word,
                       made.family->opcode);
  }
  const Register element = register_of(word);
  const int lanes = made.word(vector).empty() ? 1 : made.word(vector)[1] - '0';
  const int bytes = num::bits(element.dtype) / 8 * lanes;
  if (bytes > 16 && !(bytes == 32 && made.word(kSpace) == "global")) {
    return fmt::format("{} moves at most 16 bytes; these are {}", made.family->opcode, bytes);
  }
  if (bytes > 16 && made.word(kScope) == "cluster" && !(load && made.word(kOrder) == "relaxed")) {
    return fmt::format(
        "the assembler of CUDA 13.0 crashes on '.{}.cluster' with 32 bytes; '.gpu' orders the "
        "cluster "
        "as well",
        made.word(kOrder));
  }
  if (bytes > 16) made.min_sm = 100;
  if (lanes == 8 && bytes != 32) return ".v8 exists for 32-bit types only";
  if (made.has("cluster")) made.min_sm = std::max(made.min_sm, 90);
  const Space space = space_of(made.word(kSpace));
  const bool hinted = made.has("L2::cache_hint");
  const bool global_only = hinted || made.has("nc") || (load && !made.word(7).empty()) ||
                           !made.word(load ? 5 : 4).empty();
  if (global_only && space != Space::global) return "cache hints and .nc require .global";
  if (load) {
    Operand& to = made.output("d", element, lanes);
    to.braces = lanes > 1;
    made.address("a", space, bytes, false);
  } else {
    made.address("a", space, bytes, true);
    made.input("b", element, lanes).braces = lanes > 1;
  }
  if (hinted) made.input("cache_policy", kU64);
  return {};
}

std::string load(Instruction& made) {
  return access(made, true);
}

std::string store(Instruction& made) {
  return access(made, false);
}

constexpr std::string_view kAtomTypes = "b16|b32|b64|u32|u64|s32|s64|f16x2|bf16x2|f16|bf16|f32|f64";

constexpr Slot kAtomSlots[] = {{"relaxed|acquire|release|acq_rel", false},
                               {kScopes, false},
                               {kSpaces, false},
                               {"and|or|xor|cas|exch|add|inc|dec|min|max"},
                               {"noftz", false},
                               {"L2::cache_hint", false},
                               {kAtomTypes}};

constexpr Slot kRedSlots[] = {{"relaxed|release", false},
                              {kScopes, false},
                              {kSpaces, false},
                              {"and|or|xor|add|inc|dec|min|max"},
                              {"noftz", false},
                              {"L2::cache_hint", false},
                              {kAtomTypes}};

constexpr std::size_t kAtomOp = 3, kAtomType = 6;

bool is_one_of(std::string_view word, std::string_view words) {
  const std::string all = "|" + std::string(words) + "|";
  return all.find("|" + std::string(word) + "|") != std::string::npos;
}

/// The types that an operation has (PTX ISA, table of atom).
std::string_view types_of(std::string_view op) {
  if (op == "cas") return "b16|b32|b64";
  if (op == "and" || op == "or" || op == "xor" || op == "exch") return "b32|b64";
  if (op == "inc" || op == "dec") return "u32";
  if (op == "add") return "u32|s32|u64|f32|f64|f16|bf16|f16x2|bf16x2";
  return "u32|u64|s32|s64";  // min, max
}

std::string modify(Instruction& made, bool value) {
  const std::string_view op = made.word(kAtomOp), type = made.word(kAtomType);
  if (!is_one_of(type, types_of(op))) {
    return fmt::format("{}.{} has no form for .{}", made.family->opcode, op, type);
  }
  const bool half = is_one_of(type, "f16|bf16|f16x2|bf16x2");
  if (half != made.has("noftz")) {
    return half ? fmt::format("missing required modifier of {}: .noftz (for .{})",
                              made.family->opcode, type)
                : fmt::format("'.noftz' is not a valid modifier of {} for .{}", made.family->opcode,
                              type);
  }
  if (!made.word(kOrder).empty() && made.word(kScope).empty()) {
    return fmt::format("'.{}' requires a scope: .cta, .cluster, .gpu or .sys", made.word(kOrder));
  }
  if (made.has("L2::cache_hint") && (op == "cas" || made.word(kSpace) != "global")) {
    return op == "cas" ? "atom.cas takes no '.L2::cache_hint'" : "cache hints require .global";
  }
  if (type == "bf16" || type == "bf16x2" || made.has("cluster")) made.min_sm = 90;
  const Register element = register_of(type);
  const int bytes = num::bits(element.dtype) / 8;
  if (value) made.output("d", element);
  made.address("a", space_of(made.word(kSpace)), bytes, true);
  made.input("b", element);
  if (op == "cas") made.input("c", element);
  if (made.has("L2::cache_hint")) made.input("cache_policy", kU64);
  return {};
}

std::string atom(Instruction& made) {
  return modify(made, true);
}

std::string red(Instruction& made) {
  return modify(made, false);
}

constexpr Slot kFenceSlots[] = {{"sc|acq_rel", false}, {kScopes}};
constexpr Slot kMembarSlots[] = {{"cta|gl|sys"}};
constexpr Slot kPrefetchSlots[] = {{"global", false}, {"L1|L2"}};

std::string fence(Instruction& made) {
  if (made.has("cluster")) made.min_sm = 90;
  return {};
}

std::string prefetch(Instruction& made) {
  made.address("a", space_of(made.word(0)), 1, false).lanes = 0;  // any address is harmless
  return {};
}

}  // namespace

constinit const Family kLoad{"ld", kLdSlots, "d…, [a], cache_policy=", load};
constinit const Family kStore{"st", kStoreSlots, "[a], b…, cache_policy=", store};
constinit const Family kAtom{"atom", kAtomSlots, "d, [a], b, c=, cache_policy=", atom};
constinit const Family kRed{"red", kRedSlots, "[a], b, cache_policy=", red};
constinit const Family kFence{"fence", kFenceSlots, "", fence};
constinit const Family kMembar{"membar", kMembarSlots, "", fence};
constinit const Family kPrefetch{"prefetch", kPrefetchSlots, "[a]", prefetch};

}  // namespace tirx::ir::ptx
