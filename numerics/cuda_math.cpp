// Turns numerics/math/*.inc, embedded at build time, into device code.
#include "numerics/cuda_math.hpp"

#include <cstddef>

namespace tirx::num {

extern const std::string_view math_files[];
extern const std::size_t math_files_count;

namespace {

constexpr std::string_view kBitCasts =
    R"(__device__ __forceinline__ unsigned int tirx_bits(float a) { return __float_as_uint(a); }

__device__ __forceinline__ float tirx_float(unsigned int a) { return __uint_as_float(a); }
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  std::size_t at = 0;
  while ((at = text.find(from, at)) != std::string::npos) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

struct Definition {
  std::string name;
  std::string text;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls `use` with every word of the text that starts like one of our names.
template <class Use>
void for_each_name(std::string_view text, const Use& use) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.substr(0, 5) == "tirx_" || word.substr(0, 4) == "Tirx") use(word);
    at = end;
  }
}

std::string_view without_comments(std::string_view text) {
  while (text.substr(0, 2) == "//") {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text;
}

/// A function's name is the last of our words before the first parenthesis, a type's the first one.
std::string defined_name(std::string_view definition) {
  const std::string_view head = definition.substr(0, definition.find_first_of("({"));
  std::string name;
  for_each_name(head, [&](std::string_view word) { name = word; });
  return name;
}

std::vector<Definition> definitions() {
  std::vector<Definition> out;
  for (const std::string& file : cuda_math_files()) {
    std::string_view rest = file;
    while (!rest.empty()) {
      const std::size_t end = rest.find("\n\n");
      const std::string_view piece = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
      const std::string_view code = without_comments(piece);
      if (!code.empty()) out.push_back({defined_name(code), std::string(piece)});
    }
  }
  return out;
}

}  // namespace

std::string_view cuda_math_name(ScalarOp op) {
  switch (op) {
    case ScalarOp::exp:
      return "tirx_exp_f32";
    case ScalarOp::exp2:
      return "tirx_exp2_f32";
    case ScalarOp::log:
      return "tirx_log_f32";
    case ScalarOp::log2:
      return "tirx_log2_f32";
    case ScalarOp::log1p:
      return "tirx_log1p_f32";
    case ScalarOp::expm1:
      return "tirx_expm1_f32";
    case ScalarOp::sin:
      return "tirx_sin_f32";
    case ScalarOp::cos:
      return "tirx_cos_f32";
    case ScalarOp::tan:
      return "tirx_tan_f32";
    case ScalarOp::tanh:
      return "tirx_tanh_f32";
    case ScalarOp::erf:
      return "tirx_erf_f32";
    case ScalarOp::rsqrt:
      return "tirx_rsqrt_f32";
    case ScalarOp::pow:
      return "tirx_pow_f32";
    case ScalarOp::sigmoid:
      return "tirx_sigmoid_f32";
    case ScalarOp::silu:
      return "tirx_silu_f32";
    case ScalarOp::gelu:
      return "tirx_gelu_f32";
    default:
      return {};
  }
}

const std::vector<std::string>& cuda_math_files() {
  static const std::vector<std::string> files = [] {
    std::vector<std::string> out = {std::string(kBitCasts)};
    for (std::size_t i = 0; i < math_files_count; ++i) {
      std::string text =
          replaced(std::string(math_files[i]), "TIRX_FN", "__device__ __forceinline__");
      out.push_back(replaced(std::move(text), "TIRX_RARELY(", "if ("));
    }
    return out;
  }();
  return files;
}

std::string cuda_source_of(ScalarOp op) {
  const std::string_view wanted = cuda_math_name(op);
  if (wanted.empty()) return {};
  const std::vector<Definition> all = definitions();
  std::vector<bool> needed(all.size(), false);
  // A definition only uses earlier ones: one pass from the end marks everything.
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].name == wanted) needed[i] = true;
    if (!needed[i]) continue;
    for_each_name(all[i].text, [&](std::string_view word) {
      for (std::size_t j = 0; j < i; ++j) {
        if (all[j].name == word) needed[j] = true;
      }
    });
  }
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (needed[i]) out.append(out.empty() ? "" : "\n\n").append(all[i].text);
  }
  return out.append("\n");
}

}  // namespace tirx::num
