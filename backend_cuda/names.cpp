#include "backend_cuda/names.hpp"

#include <algorithm>
#include <array>

namespace tirx::cuda {

namespace {

// Sorted.  C++ keywords and alternative tokens, CUDA's built-in variables, functions that emitted
// code calls, and macros that the headers of nvcc bring.
constexpr auto kReserved = std::to_array<std::string_view>({
    "NULL",
    "abs",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "gridDim",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "main",
    "max",
    "memcpy",
    "memset",
    "min",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "printf",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "threadIdx",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uint2",
    "uint4",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "warpSize",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
});

}  // namespace

std::string sanitised(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (legal) {
      out += c;
    } else if (out.empty() || out.back() != '_') {
      out += '_';  // never two in a row: such names belong to the compiler
    }
  }
  if (out.empty() || out == "_") return "unnamed";
  if (out.front() >= '0' && out.front() <= '9') out.insert(0, "v");
  // _A and tirx_ belong to the implementation and to our helpers.
  if (out.front() == '_' || out.rfind("tirx_", 0) == 0 || out.rfind("Tirx", 0) == 0) {
    out.insert(0, "v");
  }
  if (std::find(kReserved.begin(), kReserved.end(), out) != kReserved.end()) out += "_1";
  return out;
}

std::string NameScopes::declare(std::string_view name) {
  const std::string base = sanitised(name);
  std::string candidate = base;
  for (int i = 1; visible(candidate); ++i) candidate = base + "_" + std::to_string(i);
  scopes_.back().insert(candidate);
  return candidate;
}

bool NameScopes::visible(const std::string& name) const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const std::set<std::string>& scope) { return scope.count(name) != 0; });
}

}  // namespace tirx::cuda
