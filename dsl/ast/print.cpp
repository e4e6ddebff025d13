// Statements -> text.
#include "dsl/ast/print.hpp"

#include <utility>

#include <fmt/format.h>

#include "dsl/ast/expr_printer.hpp"
#include "dsl/parse.hpp"

namespace tirx::dsl::ast {
namespace {

class StmtPrinter {
 public:
  explicit StmtPrinter(const Remark* remark = nullptr) : remark_(remark) {}

  void block(const Block& body) {
    for (const Stmt& stmt : body) statement(stmt);
  }

  void statement(const Stmt& stmt) {
    if (!inline_) out_.append(static_cast<std::size_t>(depth_) * 4, ' ');
    if (remark_ != nullptr && !inline_) behind_ = (*remark_)(stmt);
    std::visit(*this, stmt.node);
    if (out_.back() != '\n' && !inline_) end_line();
  }

  std::string take() { return std::move(out_); }

  void operator()(const Pass&) { out_ += "pass"; }

  void operator()(const Break&) { out_ += "break"; }

  void operator()(const Continue&) { out_ += "continue"; }

  void operator()(const ExprStmt& n) { expr_.list(n.value); }

  void operator()(const Assign& n) {
    for (const Expr& target : n.targets) {
      expr_.list(target);
      out_ += " = ";
    }
    expr_.list(n.value);
  }

  void operator()(const AnnAssign& n) {
    expr_.expr(n.target);
    out_ += ": ";
    expr_.expr(n.annotation);
    if (!n.value) return;
    out_ += " = ";
    expr_.list(*n.value);
  }

  void operator()(const AugAssign& n) {
    expr_.expr(n.target);
    out_ += fmt::format(" {}= ", spelling(n.op));
    expr_.list(n.value);
  }

  void operator()(const Return& n) { keyword("return", n.value, true); }

  void operator()(const Assert& n) {
    out_ += "assert ";
    expr_.expr(n.condition);
    if (!n.message) return;
    out_ += ", ";
    expr_.expr(*n.message);
  }

  void operator()(const Raise& n) {
    keyword("raise", n.value, false);
    if (!n.cause) return;
    out_ += " from ";
    expr_.expr(*n.cause);
  }

  void operator()(const Import& n) {
    out_ += "import ";
    imported(n.names);
  }

  void operator()(const FromImport& n) {
    out_ +=
        "from " + std::string(static_cast<std::size_t>(n.level), '.') + n.module.text + " import ";
    n.star ? static_cast<void>(out_ += '*') : imported(n.names);
  }

  void operator()(const Global& n) { names("global ", n.names); }

  void operator()(const Nonlocal& n) { names("nonlocal ", n.names); }

  void operator()(const Del& n) {
    out_ += "del ";
    for (const Expr& target : n.targets) {
      if (&target != n.targets.data()) out_ += ", ";
      expr_.expr(target);
    }
  }

  void operator()(const For& n) {
    out_ += "for ";
    expr_.list(n.target);
    out_ += " in ";
    expr_.list(n.iterable);
    suite(n.body);
  }

  void operator()(const While& n) {
    out_ += "while ";
    expr_.expr(n.condition);
    suite(n.body);
  }

  void operator()(const If& n) {
    for (const Branch& branch : n.branches) {
      if (&branch != n.branches.data()) indent();
      out_ += &branch == n.branches.data() ? "if " : "elif ";
      expr_.expr(branch.condition);
      suite(branch.body);
    }
    if (n.otherwise.empty()) return;
    indent();
    out_ += "else";
    suite(n.otherwise);
  }

  void operator()(const With& n) {
    out_ += "with ";
    // `with (a, b):` would be two items.
    const bool tuple = n.items.size() == 1 && !n.items[0].target && n.items[0].context.is<Tuple>();
    if (tuple) out_ += '(';
    for (const WithItem& item : n.items) {
      if (&item != n.items.data()) out_ += ", ";
      expr_.expr(item.context);
      if (!item.target) continue;
      out_ += " as ";
      expr_.expr(*item.target);
    }
    if (tuple) out_ += ')';
    suite(n.body);
  }

  void operator()(const FunctionDef& n) {
    decorators(n.decorators);
    out_ += "def " + n.name.text + '(';
    expr_.parameters(n.parameters);
    out_ += ')';
    if (n.returns) {
      out_ += " -> ";
      expr_.expr(*n.returns);
    }
    suite(n.body);
  }

  void operator()(const ClassDef& n) {
    decorators(n.decorators);
    out_ += "class " + n.name.text;
    if (!n.bases.empty()) expr_.arguments(n.bases);
    suite(n.body);
  }

 private:
  void end_line() {
    out_ += std::exchange(behind_, {});
    out_ += '\n';
  }

  void indent() { out_.append(static_cast<std::size_t>(depth_) * 4, ' '); }

  void suite(const Block& body) {
    out_ += ':';
    if (depth_ + 1 > static_cast<int>(kMaxIndentDepth)) {
      // The deepest level has room for simple statements on the header's line only.
      inline_ = true;
      for (const Stmt& stmt : body) {
        out_ += &stmt == body.data() ? " " : "; ";
        statement(stmt);
      }
      inline_ = false;
      end_line();
      return;
    }
    end_line();
    ++depth_;
    block(body);
    --depth_;
  }

  void keyword(const char* word, const Box<Expr>& value, bool list) {
    out_ += word;
    if (!value) return;
    out_ += ' ';
    list ? expr_.list(*value) : expr_.expr(*value);
  }

  void imported(const std::vector<ImportName>& names) {
    for (const ImportName& name : names) {
      if (&name != names.data()) out_ += ", ";
      out_ += name.name.text;
      if (!name.alias.text.empty()) out_ += " as " + name.alias.text;
    }
  }

  void names(const char* word, const std::vector<Identifier>& names) {
    out_ += word;
    for (const Identifier& name : names) {
      if (&name != names.data()) out_ += ", ";
      out_ += name.text;
    }
  }

  void decorators(const std::vector<Expr>& decorators) {
    for (const Expr& decorator : decorators) {
      out_ += '@';
      expr_.expr(decorator);
      out_ += '\n';
      indent();
    }
  }

  const Remark* remark_;
  std::string behind_;  // the line that is being written
  std::string out_;
  ExprPrinter expr_{out_};
  int depth_ = 0;
  bool inline_ = false;
};

}  // namespace

std::string print(const Stmt& stmt) {
  StmtPrinter printer;
  printer.statement(stmt);
  return printer.take();
}

std::string print(const Module& module) {
  StmtPrinter printer;
  printer.block(module.body);
  return printer.take();
}

std::string print(const Module& module, const Remark& remark) {
  StmtPrinter printer(&remark);
  printer.block(module.body);
  return printer.take();
}

}  // namespace tirx::dsl::ast
