#include "backend_cuda/names.hpp"

#include <algorithm>
#include <array>

namespace tirx::cuda {

// reserved/*.txt: names of nvcc's headers without a leading underscore (`nvcc -E -Xcompiler -dM`
// for the macros, a syntax tree of cuda_runtime.h for the rest).
extern const std::string_view reserved_macros[];
extern const std::size_t reserved_macros_count;
extern const std::string_view reserved_file_scope[];
extern const std::size_t reserved_file_scope_count;

namespace {

// C++ keywords and alternative tokens, CUDA's built-in variables, and what emitted code calls;
// these are taken in every scope.  Sorted.
constexpr auto kReserved = std::to_array<std::string_view>({
    "abs",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
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
    "dim3",
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
    "threadIdx",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uint2",
    "uint4",
    "union",
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

/// The words of an embedded text, one a line.
std::set<std::string_view> words_of(const std::string_view* parts, std::size_t count) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view text = parts[i];
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) words.insert(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return words;
}

/// The word, or what is left of it without the suffix of a type: expf, M_PIf32.
bool holds(const std::set<std::string_view>& words, std::string_view word) {
  if (words.count(word) != 0) return true;
  for (const std::string_view suffix : {"f", "l", "f16", "f32", "f64", "f32x", "f64x", "f128"}) {
    if (word.size() > suffix.size() && word.ends_with(suffix) &&
        words.count(word.substr(0, word.size() - suffix.size())) != 0) {
      return true;
    }
  }
  return false;
}

/// cudaMalloc, cudaSuccess, CUDART_INF, CUDA_ARRAY3D_LAYERED: functions, constants and macros
/// alike.
bool is_runtime_name(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("CUDA") || name.starts_with("make_");
}

/// A macro would be replaced in any scope.
bool is_macro(std::string_view name) {
  static const std::set<std::string_view> kMacros =
      words_of(reserved_macros, reserved_macros_count);
  return holds(kMacros, name);
}

/// Declared at file scope by the headers that nvcc includes.
bool is_declared(std::string_view name) {
  static const std::set<std::string_view> kNames =
      words_of(reserved_file_scope, reserved_file_scope_count);
  return holds(kNames, name);
}

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
  if (std::find(kReserved.begin(), kReserved.end(), out) != kReserved.end() || is_macro(out) ||
      is_runtime_name(out)) {
    out += "_1";
  }
  return out;
}

std::string sanitised_for_file(std::string_view name) {
  std::string out = sanitised(name);
  if (is_declared(out)) out += "_1";
  return out;
}

std::string NameScopes::declare_for_file(std::string_view name) {
  return unique(sanitised_for_file(name));
}

std::string NameScopes::declare(std::string_view name) {
  return unique(sanitised(name));
}

std::string NameScopes::unique(const std::string& base) {
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
