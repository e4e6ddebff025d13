// tirx ops: what exists, on which architectures, and how sure its bits are.
#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "dsl/eval/registry.hpp"
#include "ir/all_ops.hpp"
#include "ir/tile_op.hpp"
#include "lower/dispatch.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::cli {

namespace {

struct Row {
  std::string name, kind, from, fidelity, doc;
};

/// "(mask, value, lane, width=)": the operands, optional ones with a '='.
std::string signature(const ir::OpSpec& op) {
  if (op.ptx != nullptr) return "(" + std::string(op.ptx->operands) + ")";
  std::string out;
  for (std::size_t i = 0; i < op.max_operands(); ++i) {
    std::string name(op.operands[i]);
    if (name.back() == '?') name.back() = '=';
    out += (out.empty() ? "" : ", ") + name;
  }
  return "(" + out + ")";
}

/// A tile op: its operands, and the variants that it is lowered by.
Row tile_row(const ir::TileOpSpec& op) {
  std::string operands, variants;
  for (const std::string_view operand : op.operands) {
    std::string name(operand);
    if (name.empty()) continue;
    if (name.back() == '?') name.back() = '=';
    operands += (operands.empty() ? "" : ", ") + name;
  }
  for (const lower::Variant& variant : lower::variants_of(op.op)) {
    variants += (variants.empty() ? "" : " ") + std::string(variant.name);
  }
  return {fmt::format("Tx.{}({})", op.name, operands), "tile", "sm_80", "defined",
          fmt::format("{} [{}]", op.doc, variants)};
}

/// The names of T and T.cuda that are no operation of their own: other spellings, and what is made
/// of several operations.
void add_names(std::string_view module, dsl::Registry& registry, std::vector<Row>& rows) {
  std::set<std::string, std::less<>> listed;
  for (const Row& row : rows) listed.insert(row.name.substr(0, row.name.find('(')));
  const std::string prefix = module == "T" ? "" : std::string(module.substr(2)) + ".";
  std::vector<Row> found;
  for (const auto& [name, value] : registry.module(module)->members) {
    const auto* builtin = value.as<dsl::Builtin>();
    if (builtin == nullptr || listed.count(prefix + name) != 0) continue;
    found.push_back({fmt::format("{}.{}({})", module, name, builtin->row->signature), "call", "",
                     "", std::string(builtin->row->doc)});
  }
  std::sort(found.begin(), found.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
  rows.insert(rows.end(), found.begin(), found.end());
}

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const ir::TileOpSpec& op : ir::tile_ops()) rows.push_back(tile_row(op));
  for (const num::ScalarOpRow& op : num::scalar_op_rows()) {
    std::string types;
    for (const num::DTypeRow& type : num::dtype_rows()) {
      if (!num::is_legal(op.op, type.dtype)) continue;
      types += (types.empty() ? "" : " ") +
               std::string(type.shorthand.empty() ? type.name : type.shorthand);
    }
    rows.push_back(
        {std::string(op.name), "scalar", "sm_80", std::string(num::name(op.evidence)), types});
  }
  for (const ir::OpSpec& op : ir::AllOps::kSpecs) {
    rows.push_back({std::string(op.name) + signature(op), op.ptx != nullptr ? "ptx" : "machine",
                    fmt::format("sm_{}", op.min_sm), std::string(ir::to_string(op.fidelity)),
                    std::string(op.doc)});
  }
  dsl::Registry registry;
  dsl::register_all(registry);
  add_names("T", registry, rows);
  add_names("T.cuda", registry, rows);
  registry.clear();
  return rows;
}

/// The words in lines that fit a terminal, further lines indented.
std::string wrapped(std::string_view words, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (column > indent && column + 1 + end > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += words.substr(0, end);
    column += end;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

}  // namespace

Exit cmd_ops(const Options& options, std::ostream& out, std::ostream&) {
  const std::vector<Row> table = rows();
  if (options.markdown) {
    out << "| operation | kind | from | fidelity | what |\n|---|---|---|---|---|\n";
    for (const Row& row : table)
      out << fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, row.kind, row.from,
                         row.fidelity, row.doc);
    return Exit::clean;
  }
  constexpr std::size_t kName = 30, kWords = kName + 29, kWidth = 116;
  for (const Row& row : table) {
    // A long name has a line of its own.
    const bool wide = row.name.size() > kName;
    if (wide) out << wrapped(row.name, 4, kWidth) << '\n';
    out << fmt::format("{:{}}  {:8} {:6} {:10} {}\n", wide ? "" : row.name, kName, row.kind,
                       row.from, row.fidelity, wrapped(row.doc, kWords, kWidth));
  }
  return Exit::clean;
}

}  // namespace tirx::cli
