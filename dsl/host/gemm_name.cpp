#include "dsl/host/gemm_name.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tirx::dsl {

namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(by);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

struct TypeName {
  std::string_view cutlass, ours;
};

constexpr auto kTypes = std::to_array<TypeName>({
    {"void", "none"},
    {"f64", "float64"},
    {"f32", "float32"},
    {"tf32", "tf32"},
    {"f16", "float16"},
    {"bf16", "bfloat16"},
    {"e4m3", "float8_e4m3fn"},
    {"e5m2", "float8_e5m2"},
    {"ue8m0", "float8_e8m0fnu"},
    {"ue4m3", "float8_e4m3fn"},
    {"e2m1", "float4_e2m1fn"},
    {"e3m2", "float6_e3m2fn"},
    {"e2m3", "float6_e2m3fn"},
    {"s32", "int32"},
    {"s8", "int8"},
    {"u8", "uint8"},
    {"s4", "int4"},
    {"u4", "uint4"},
});

std::optional<std::string> type_name(std::string_view text) {
  for (const TypeName& type : kTypes) {
    if (type.cutlass == text) return std::string(type.ours);
  }
  return std::nullopt;
}

/// "1x128f32xe4m3", "f32xe4m3" or "e4m3": one operand with its scale.
struct Operand {
  std::optional<std::int64_t> rows, k;
  std::optional<std::string> scale;
  std::string type;
};

std::optional<Operand> operand_of(std::string_view text) {
  Operand out;
  std::vector<std::string_view> parts = split(text, 'x');
  if (const auto type = type_name(parts.back())) {
    out.type = *type;
  } else {
    return std::nullopt;
  }
  parts.pop_back();
  if (parts.empty()) return out;
  std::string_view scale = parts.back();
  if (parts.size() == 2) {
    // The granularity along K runs into the type of the scale: 128f32.
    const std::size_t digits = scale.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
    out.rows = number_of(parts[0]);
    out.k = number_of(scale.substr(0, digits));
    if (!out.rows || !out.k) return std::nullopt;
    scale.remove_prefix(digits);
  }
  out.scale = type_name(scale);
  if (parts.size() > 2 || !out.scale) return std::nullopt;
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view name) : parts_(split(name, '_')) {}

  Result<GemmName> read() {
    if (!family() || !arch() || !operation() || !operands() || !types() || !shape("tile", "mma") ||
        !shape("cluster", "cluster") || !stages() || !layouts() || !alignment())
      return *error_;
    suffixes();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view part() const {
    return at_ < parts_.size() ? parts_[at_] : std::string_view();
  }

  void add(std::string key, std::string value, std::string meaning) {
    out_.fields.push_back(
        {std::move(key), std::move(value), std::nullopt, std::string(part()), std::move(meaning)});
  }

  void add(std::string key, std::int64_t value, std::string meaning) {
    out_.fields.push_back(
        {std::move(key), std::to_string(value), value, std::string(part()), std::move(meaning)});
  }

  bool wrong(std::string_view expected) {
    const std::string found = at_ < parts_.size() ? fmt::format("'{}'", part()) : "the end";
    error_ = Diagnostic{
        {},
        fmt::format("field {} of the name: expected {}, found {}", at_ + 1, expected, found),
        {{{},
          "the fields are cutlass3x _ smXX _ tensorop _ gemm _ A _ B _ accumulator "
          "_ C _ D _ MxNxK _ cluster _ stages _ layouts _ alignN _ suffixes"}}};
    return false;
  }

  bool family() {
    if (part() != "cutlass3x") return wrong("cutlass3x");
    add("generation", std::string(part()), "CUTLASS 3.x kernels");
    ++at_;
    return true;
  }

  bool arch() {
    const auto number = part().starts_with("sm") ? number_of(part().substr(2)) : std::nullopt;
    if (!number) return wrong("an architecture, sm90");
    add("arch", *number, fmt::format("compute capability {}.{}", *number / 10, *number % 10));
    ++at_;
    return true;
  }

  bool operation() {
    constexpr auto kClasses = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"simt", "CUDA cores"},
        {"tensorop", "tensor cores"},
        {"sptensorop", "sparse tensor cores"},
        {"bstensorop", "tensor cores with hardware block scaling"},
        {"bssptensorop", "sparse tensor cores with hardware block scaling"},
    });
    bool known = false;
    for (const auto& [name, meaning] : kClasses) {
      if (name != part()) continue;
      add("op_class", std::string(part()), std::string(meaning));
      known = true;
    }
    if (!known) return wrong("an operation class: simt, tensorop, bstensorop, …");
    ++at_;
    if (!part().ends_with("gemm")) return wrong("gemm");
    add("kind", std::string(part()), part() == "gemm" ? "a dense GEMM" : "a GEMM");
    ++at_;
    if (part() == "grouped") {
      out_.fields.back().value += "_grouped";
      out_.fields.back().written += "_grouped";
      out_.fields.back().meaning = "many problems in one launch";
      ++at_;
    }
    return true;
  }

  bool operands() {
    for (const bool a : {true, false}) {
      const auto operand = operand_of(part());
      if (!operand) return wrong("an operand: e4m3, f32xe4m3, or 1x128f32xe4m3");
      const std::string_view rows = a ? "gm" : "gn";
      const std::string letter = a ? "A" : "B";
      if (operand->rows) {
        if (a) {
          add("gm", *operand->rows, "rows of A that share a scale");
          add("gk", *operand->k, "columns of A and of B that share a scale");
          gk_ = *operand->k;
        } else {
          if (!gk_ || *gk_ != *operand->k)
            return wrong(fmt::format("the granularity along K that A has, {}", gk_.value_or(0)));
          add(std::string(rows), *operand->rows, "rows of B (columns of D) that share a scale");
        }
      }
      if (operand->scale) {
        add(a ? "sfa_dtype" : "sfb_dtype", *operand->scale,
            fmt::format("the scales of {}; software scaling has them in the accumulator's type",
                        letter));
      }
      add(a ? "a_dtype" : "b_dtype", operand->type, fmt::format("the elements of {}", letter));
      ++at_;
    }
    return true;
  }

  bool types() {
    constexpr auto kFields = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"acc_dtype",
         "the accumulator (the profiler's documentation calls this field the epilogue "
         "type; the generator prints the accumulator's)"},
        {"c_dtype", "C; void means that there is none, and beta is 0"},
        {"d_dtype", "D"},
    });
    for (const auto& [key, meaning] : kFields) {
      const auto type = type_name(part());
      if (!type) return wrong(fmt::format("a type, {}", key));
      add(std::string(key), *type, std::string(meaning));
      ++at_;
    }
    return true;
  }

  bool shape(std::string_view what, std::string_view prefix) {
    const std::vector<std::string_view> extents = split(part(), 'x');
    if (extents.size() != 3) return wrong(fmt::format("a shape MxNxK, the {}", what));
    constexpr std::array<std::string_view, 3> kSuffixes = {"m", "n", "k"};
    const bool tile = what == "tile";
    for (std::size_t i = 0; i < 3; ++i) {
      const auto extent = number_of(extents[i]);
      if (!extent) return wrong(fmt::format("a shape MxNxK, the {}", what));
      add(fmt::format("{}_{}", tile ? "tile" : prefix, kSuffixes[i]), *extent,
          fmt::format("{} along {}", tile ? "tile of D (sm_100: of one MMA)" : "CTAs of a cluster",
                      kSuffixes[i] == "m"   ? "M"
                      : kSuffixes[i] == "n" ? "N"
                                            : "K"));
    }
    ++at_;
    return true;
  }

  bool stages() {
    const auto number = number_of(part());
    if (!number) return wrong("the number of pipeline stages");
    add("stages", *number,
        *number == 0 ? "as many as fit shared memory" : "tiles of A and B in flight");
    ++at_;
    return true;
  }

  bool layouts() {
    const std::string_view text = part();
    if (text.size() != 3 || text.find_first_not_of("nt") != std::string_view::npos)
      return wrong("three layouts of n (column-major) and t (row-major)");
    constexpr std::array<std::string_view, 3> kNames = {"a_layout", "b_layout", "c_layout"};
    constexpr std::array<std::string_view, 3> kWhat = {"A (M x K)", "B (K x N)", "C and D (M x N)"};
    for (std::size_t i = 0; i < 3; ++i) {
      const bool row = text[i] == 't';
      add(std::string(kNames[i]), row ? "row" : "column",
          fmt::format("{} is {}-major", kWhat[i], row ? "row" : "column"));
    }
    ++at_;
    return true;
  }

  bool alignment() {
    const auto number = part().starts_with("align") ? number_of(part().substr(5)) : std::nullopt;
    if (!number) return wrong("alignN");
    add("alignment", *number, "elements of A and B that a load takes together, at least");
    ++at_;
    return true;
  }

  void suffixes() {
    if (at_ >= parts_.size()) return;
    std::vector<std::string_view> rest(parts_.begin() + static_cast<std::ptrdiff_t>(at_),
                                       parts_.end());
    const std::string text = fmt::format("{}", fmt::join(rest, "_"));
    std::vector<std::string> meanings;
    for (const std::string_view word : rest) {
      if (word == "1sm") meanings.emplace_back("the MMA of one SM");
      if (word == "2sm") meanings.emplace_back("the MMA of two SMs");
      if (word == "warpspecialized") meanings.emplace_back("loads and MMA in different warps");
      if (word == "pingpong") meanings.emplace_back("two consumers take turns on tiles");
      if (word == "cooperative") meanings.emplace_back("two consumers share a tile");
      if (word == "nosmem") meanings.emplace_back("the epilogue does without shared memory");
    }
    std::string meaning = "schedule";
    if (!meanings.empty()) meaning = fmt::format("schedule: {}", fmt::join(meanings, ", "));
    out_.fields.push_back({"schedule", text, std::nullopt, text, std::move(meaning)});
  }

  std::vector<std::string_view> parts_;
  std::size_t at_ = 0;
  std::optional<std::int64_t> gk_;
  std::optional<Diagnostic> error_;
  GemmName out_;
};

}  // namespace

Result<GemmName> parse_gemm_name(std::string_view name) {
  return Reader(name).read();
}

bool looks_like_gemm_name(std::string_view text) {
  return text.starts_with("cutlass") && text.find('/') == std::string_view::npos &&
         !text.ends_with(".tx");
}

}  // namespace tirx::dsl
