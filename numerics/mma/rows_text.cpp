// How do the rows read?  Names for messages, and the generated table of docs/numerics_mma.md.
#include <algorithm>
#include <string>
#include <vector>

#include "numerics/mma/rows.hpp"

namespace tirx::num {

std::string_view name(MmaFamily family) {
  switch (family) {
    case MmaFamily::mma_sync:
      return "mma.sync";
    case MmaFamily::wgmma:
      return "wgmma";
    case MmaFamily::tcgen05:
      return "tcgen05";
  }
  return "?";
}

std::string_view ptx_name(DType type) {
  switch (type) {
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::tf32:
      return "tf32";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::e4m3:
      return "e4m3";
    case DType::e5m2:
      return "e5m2";
    case DType::e2m3:
      return "e2m3";
    case DType::e3m2:
      return "e3m2";
    case DType::e2m1:
      return "e2m1";
    case DType::e8m0:
      return "ue8m0";
    case DType::i8:
      return "s8";
    case DType::u8:
      return "u8";
    case DType::i32:
      return "s32";
    default:
      return "?";
  }
}

std::string describe(const MmaRow& row) {
  std::string text = "sm_" + std::to_string(row.arch) + " " + std::string(name(row.family)) + " ";
  text += std::string(ptx_name(row.a)) + " x " + std::string(ptx_name(row.b)) + " -> ";
  text += ptx_name(row.c);
  if (row.saturate) text += " satfinite";
  if (row.scaling.block != 0) {
    const bool unsigned_e4m3 = row.scaling.scale == DType::e4m3;
    text += unsigned_e4m3 ? " ue4m3/" : " ue8m0/";
    text += std::to_string(row.scaling.block);
  }
  return text;
}

std::string fingerprint(const MmaRow& row) {
  std::string text = describe(row);
  const dot::Rule& rule = row.rule;
  for (const int x : {static_cast<int>(row.arithmetic), static_cast<int>(rule.out), rule.fraction,
                      rule.floor, rule.group, int{rule.f16_emulation}, int{row.saturate},
                      row.shape.k[0], row.shape.k[1], row.shape.k[2]}) {
    text += ";" + std::to_string(x);
  }
  for (const char* file : {"mma/fused_dot.inl", "mma/fma_chain.inl", "mma/campaign/inputs.inl"}) {
    text += ";" + std::string(source_fingerprint(file));
  }
  return text_fingerprint(text);
}

namespace {

bool same_class(const MmaRow& x, const MmaRow& y) {
  return x.arch == y.arch && x.family == y.family && x.c == y.c && x.saturate == y.saturate &&
         x.arithmetic == y.arithmetic && x.rule.fraction == y.rule.fraction &&
         x.rule.group == y.rule.group && x.rule.floor == y.rule.floor &&
         x.shape.k[0] == y.shape.k[0] && x.scaling.block == y.scaling.block &&
         x.evidence == y.evidence && x.on == y.on && container_bytes(x.a) == container_bytes(y.a);
}

std::string out_rule(const MmaRow& row) {
  switch (row.arithmetic) {
    case MmaArithmetic::integer:
      return row.saturate ? "clamped" : "modulo 2^32";
    case MmaArithmetic::fma_chain:
      return "nearest even, each fma";
    default:
      break;
  }
  std::string text;
  switch (row.rule.out) {
    case dot::Out::f32_rz:
      text = "truncated";
      break;
    case dot::Out::e8m13_rz:
      text = "truncated to 14 bits";
      break;
    case dot::Out::f16_rne:
      text = "nearest even";
      break;
  }
  return row.arithmetic == MmaArithmetic::f16_emulation ? text + ", then C + t nearest even" : text;
}

std::string number(bool present, int value) {
  return present ? std::to_string(value) : "-";
}

}  // namespace

std::string mma_rows_markdown() {
  struct Line {
    const MmaRow* row;
    std::vector<DType> types;  // of A
    std::vector<std::string> pairs;
  };

  std::vector<Line> lines;
  for (const MmaRow& row : mma_rows()) {
    auto at = std::find_if(lines.begin(), lines.end(),
                           [&](const Line& line) { return same_class(*line.row, row); });
    if (at == lines.end()) at = lines.insert(at, {&row, {}, {}});
    Line& line = *at;
    if (std::find(line.types.begin(), line.types.end(), row.a) == line.types.end()) {
      line.types.push_back(row.a);
    }
    std::string pair(ptx_name(row.a));
    if (row.a != row.b) pair += "*" + std::string(ptx_name(row.b));
    line.pairs.push_back(pair);
  }
  std::string text =
      "| arch | family | operands | result | k | terms per sum | F | floor | result rounding | "
      "evidence | on |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Line& line : lines) {
    const MmaRow& r = *line.row;
    const bool sum =
        r.arithmetic != MmaArithmetic::integer && r.arithmetic != MmaArithmetic::fma_chain;
    std::string k = std::to_string(r.shape.k[0]);
    for (int i : {1, 2}) {
      if (r.shape.k[i] != 0) k += ", " + std::to_string(r.shape.k[i]);
    }
    std::string types;
    const bool any_pair =
        line.types.size() > 1 && line.pairs.size() == line.types.size() * line.types.size();
    if (any_pair) {
      for (const DType type : line.types) types += std::string(ptx_name(type)) + ", ";
      types += "any pair";
    } else {
      for (const std::string& pair : line.pairs) types += (types.empty() ? "" : ", ") + pair;
    }
    if (r.scaling.block != 0) {
      types += r.scaling.scale == DType::e4m3 ? " (ue4m3 per " : " (ue8m0 per ";
      types += std::to_string(r.scaling.block) + ")";
    }
    text += "| sm_" + std::to_string(r.arch) + " | " + std::string(name(r.family)) + " | " + types +
            " | " + std::string(ptx_name(r.c)) + (r.saturate ? " satfinite" : "") + " | " + k +
            " | " + number(sum, r.rule.group) + " | " + number(sum, r.rule.fraction) + " | " +
            number(sum && r.rule.floor != dot::kNoFloor, r.rule.floor) + " | " + out_rule(r) +
            " | " + std::string(name(r.evidence)) + " | " + std::string(r.on) + " |\n";
  }
  return text;
}

}  // namespace tirx::num
