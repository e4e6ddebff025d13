#include "fuzz/reduce/planted_pair.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>

#include "dsl/ast/print.hpp"
#include "dsl/parse.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;

std::optional<ast::Module> parsed(const std::string& text) {
  dsl::ParseResult result = dsl::parse(std::make_shared<const Source>("fuzz.tx", text));
  if (!result.ok()) return std::nullopt;
  return std::move(result.module);
}

/// The last function with a decorator of `prim_func`, or the one of that name.
ast::FunctionDef* kernel_of(ast::Module& module, const std::string& name = {}) {
  ast::FunctionDef* found = nullptr;
  for (ast::Stmt& stmt : module.body) {
    auto* function = stmt.as<ast::FunctionDef>();
    if (function == nullptr || function->decorators.empty()) continue;
    const auto* decorator = function->decorators[0].as<ast::Attribute>();
    if (decorator == nullptr || decorator->name.text != "prim_func") continue;
    if (name.empty() || function->name.text == name) found = function;
  }
  return found;
}

std::vector<std::string> printed(const ast::Block& block) {
  std::vector<std::string> texts;
  for (const ast::Stmt& stmt : block) texts.push_back(ast::print(stmt));
  return texts;
}

std::string printed(const ast::Parameter& parameter) {
  return parameter.name.text + ": " +
         (parameter.annotation ? ast::print(*parameter.annotation) : std::string());
}

void add_names(ast::Stmt& stmt, std::vector<std::string>& names) {
  for_each_operand(stmt, [&](ast::Expr& operand) {
    for_each_part(operand, [&](ast::Expr& expr) {
      if (const auto* name = expr.as<ast::Name>()) names.push_back(name->id);
    });
  });
  for_each_body(stmt, [&](ast::Block& body) {
    for (ast::Stmt& inner : body) add_names(inner, names);
  });
}

bool defines(const ast::Stmt& stmt, const std::string& name) {
  const std::vector<std::string> names = defined_names(stmt);
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The buffer that an operand names: `ps` of `ps[i, :]`, of `ps.access_ptr("w")` and of a call on
/// one.
std::string buffer_of(const ast::Expr& operand) {
  if (const auto* name = operand.as<ast::Name>()) return name->id;
  if (const auto* part = operand.as<ast::Subscript>()) return buffer_of(*part->base);
  if (const auto* attribute = operand.as<ast::Attribute>()) return buffer_of(*attribute->base);
  const auto* call = operand.as<ast::Call>();
  if (call == nullptr) return {};
  const std::string own = buffer_of(*call->callee);
  if (own != "T" || call->arguments.empty()) return own;
  return buffer_of(call->arguments[0].value);
}

/// Whether the statement may give the variable or elements of the buffer values: a store, or a call
/// with it among its operands; of what stands `behind` the fault, a call that has it first.
bool gives_values(ast::Stmt& stmt, const std::string& name, bool behind) {
  const auto stored = [&](const ast::Expr& target) { return buffer_of(target) == name; };
  bool gives = false;
  if (const auto* assign = stmt.as<ast::Assign>())
    gives = std::any_of(assign->targets.begin(), assign->targets.end(), stored);
  if (const auto* assign = stmt.as<ast::AugAssign>()) gives = stored(assign->target);
  if (const auto* alone = stmt.as<ast::ExprStmt>()) {
    if (const auto* call = alone->value.as<ast::Call>()) {
      const std::size_t count =
          behind ? std::min<std::size_t>(1, call->arguments.size()) : call->arguments.size();
      for (std::size_t i = 0; i < count; ++i)
        gives = gives || buffer_of(call->arguments[i].value) == name;
    }
  }
  for_each_body(stmt, [&](ast::Block& body) {
    for (ast::Stmt& inner : body) gives = gives || gives_values(inner, name, behind);
  });
  return gives;
}

/// The variables that a statement gives a value.
void add_given(ast::Stmt& stmt, std::set<std::string>& names) {
  for (const std::string& name : defined_names(stmt)) names.insert(name);
  for_each_body(stmt, [&](ast::Block& body) {
    for (ast::Stmt& inner : body) add_given(inner, names);
  });
}

bool mentions_deep(ast::Stmt& stmt, const std::string& name) {
  std::vector<std::string> names;
  add_names(stmt, names);
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// How many threads there are decides which of them a guard takes, and how often; a kernel's
/// attributes are about all of it.
bool counts_threads(const ast::Stmt& stmt, Hangs hangs) {
  const auto* assign = stmt.as<ast::Assign>();
  const auto* alone = stmt.as<ast::ExprStmt>();
  if (assign == nullptr && alone == nullptr) return false;
  const std::string called = called_attribute(assign != nullptr ? assign->value : alone->value);
  return called == "thread_id" ||
         (hangs != Hangs::on_meaning &&
          (called == "cta_id" || called == "attr" || called == "device_entry"));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// Who has left is at no barrier, and does nothing behind it.
bool leaves(ast::Stmt& stmt) {
  bool found = stmt.is<ast::Return>();
  for_each_body(stmt, [&](ast::Block& body) {
    for (ast::Stmt& inner : body) found = found || leaves(inner);
  });
  return found;
}

/// Who comes to a barrier, and when, hangs on all that threads do before.
bool orders(ast::Stmt& stmt) {
  const auto* alone = stmt.as<ast::ExprStmt>();
  bool found = stmt.is<ast::While>() || (alone != nullptr && alone->value.is<ast::Call>());
  for_each_body(stmt, [&](ast::Block& body) {
    for (ast::Stmt& inner : body) found = found || orders(inner);
  });
  return found;
}

bool contains(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::all_of(some.begin(), some.end(), [&](const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  });
}

}  // namespace

PlantedPair PlantedPair::of(ast::Module& module, Fault fault, Hangs hangs) {
  PlantedPair pair;
  ast::FunctionDef* kernel = kernel_of(module, fault.kernel);
  pair.kernel_ = kernel->name.text;
  const std::vector<std::string> a = printed(kernel->body);
  pair.wrong_.assign(a.begin() + static_cast<std::ptrdiff_t>(fault.head),
                     a.begin() + static_cast<std::ptrdiff_t>(fault.end));
  pair.lines_ = std::move(fault.lines);
  std::vector<std::string> names = std::move(fault.names);
  for (std::size_t i = fault.head; i < fault.end && pair.lines_.empty(); ++i)
    add_names(kernel->body[i], names);
  std::set<std::string> seen;
  std::set<std::size_t> kept, above;
  for (std::size_t i = 0; i < kernel->body.size(); ++i) {
    ast::Stmt& stmt = kernel->body[i];
    if (counts_threads(stmt, hangs)) kept.insert(i);
    const bool needed = hangs != Hangs::on_meaning &&
                        (leaves(stmt) || (fault.waits && i < fault.end && orders(stmt)));
    if (needed && kept.insert(i).second) add_names(stmt, names);
  }
  // What a line gives a value may be wrong only where it is used.
  std::set<std::string> given;
  if (hangs != Hangs::on_meaning) {
    for (std::size_t i = fault.head; i < fault.end; ++i) add_given(kernel->body[i], given);
  }
  // What is in a parameter comes from outside; what a comment about the whole kernel says may hang
  // on whether it is stored to.
  std::set<std::string> outside;
  if (hangs == Hangs::on_read_values && fault.end > fault.head) {
    for (const ast::Parameter& parameter : kernel->parameters) outside.insert(parameter.name.text);
  }
  const auto keep_in_kernel = [&](const std::string& name) {
    for (std::size_t i = 0; i < kernel->body.size(); ++i) {
      ast::Stmt& stmt = kernel->body[i];
      bool needed = defines(stmt, name);
      if (hangs != Hangs::on_meaning && i >= fault.head)
        needed = needed || (given.contains(name) && mentions_deep(stmt, name));
      if (hangs != Hangs::on_meaning && !outside.contains(name))
        needed = needed || gives_values(stmt, name, i >= fault.end);
      if (needed && kept.insert(i).second) add_names(stmt, names);
    }
  };
  while (!names.empty()) {
    const std::string name = names.back();
    names.pop_back();
    if (!seen.insert(name).second) continue;
    keep_in_kernel(name);
    for (std::size_t i = 0; i < module.body.size(); ++i) {
      ast::Stmt& stmt = module.body[i];
      if (stmt.as<ast::FunctionDef>() != kernel && defines(stmt, name) && above.insert(i).second)
        add_names(stmt, names);
    }
    for (ast::Parameter& parameter : kernel->parameters) {
      if (parameter.name.text != name) continue;
      pair.parameters_.push_back(printed(parameter));
      // The host's tensor of the same name may be another one.
      std::erase_if(above, [&](std::size_t i) { return defines(module.body[i], name); });
    }
  }
  for (const std::size_t i : kept) pair.kept_.push_back(a[i]);
  for (const std::size_t i : above) pair.kept_above_.push_back(ast::print(module.body[i]));
  return pair;
}

namespace {

/// Statements [head, end) of a kernel.
struct Region {
  std::size_t head = 0, end = 0;
};

/// From the first statement whose lines say something of themselves to the last one.
std::optional<Region> marked_in(const ast::FunctionDef& kernel, const std::string& text) {
  const Source source("fuzz.tx", text);
  const std::vector<std::string_view> lines = lines_of(text);
  std::optional<Region> region;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    const Span span = kernel.body[i].span;
    if (span.empty()) continue;
    for (std::size_t line = source.locate(span.begin).line;
         line <= source.locate(span.end - 1).line; ++line) {
      if (marks_in(lines[line - 1]).empty()) continue;
      region = Region{region ? region->head : i, i + 1};
    }
  }
  return region;
}

/// The first lines of the statements that say something of themselves and of the blocks around
/// them, and their names.
bool add_marked_lines(ast::Stmt& stmt, const Source& source, PlantedPair::Fault& fault) {
  PlantedPair::Fault inner;
  bool marked = !stmt.span.empty() && !marks_in(source.locate(stmt.span.begin).text).empty();
  for_each_body(stmt, [&](ast::Block& body) {
    for (ast::Stmt& one : body) marked = add_marked_lines(one, source, inner) || marked;
  });
  if (!marked) return false;
  const std::string text = ast::print(stmt);
  fault.lines.push_back(text.substr(0, text.find('\n')));
  for_each_operand(stmt, [&](ast::Expr& operand) {
    for_each_part(operand, [&](ast::Expr& expr) {
      if (const auto* name = expr.as<ast::Name>()) fault.names.push_back(name->id);
    });
  });
  fault.lines.insert(fault.lines.end(), inner.lines.begin(), inner.lines.end());
  fault.names.insert(fault.names.end(), inner.names.begin(), inner.names.end());
  return true;
}

/// Whether threads wait for others in vain, or meet at a barrier for different things.
bool waits(const std::string& text) {
  const std::vector<Expectation> all = expectations_of(text);
  return std::any_of(all.begin(), all.end(), [](const Expectation& one) {
    return one.word == "deadlock" || one.word == "divergence";
  });
}

/// What the words of a comment about a kernel's first line are about: the statements that have one
/// of them.
std::vector<std::string> names_in(std::string_view comment, ast::FunctionDef& kernel) {
  static const std::set<std::string> kOfEveryKernel = {"cuda", "const", "int",  "float", "long",
                                                       "void", "not",   "file", "once"};
  std::set<std::string> about;
  for (const std::string& word : words_of(comment)) {
    if (!word.empty() && !kOfEveryKernel.contains(word)) about.insert(word);
  }
  std::vector<std::string> names(about.begin(), about.end());
  for (ast::Stmt& stmt : kernel.body) {
    const std::vector<std::string> words = words_of(ast::print(stmt));
    if (std::any_of(words.begin(), words.end(),
                    [&](const std::string& word) { return about.contains(word); }))
      add_names(stmt, names);
  }
  return names;
}

}  // namespace

std::optional<PlantedPair> PlantedPair::make(const std::string& wrong,
                                             const std::string& right,
                                             Hangs hangs) {
  std::optional<ast::Module> one = parsed(wrong), other = parsed(right);
  ast::FunctionDef* kernel = one ? kernel_of(*one) : nullptr;
  const ast::FunctionDef* twin = other ? kernel_of(*other) : nullptr;
  if (kernel == nullptr || twin == nullptr) return std::nullopt;
  const std::vector<std::string> a = printed(kernel->body), b = printed(twin->body);
  Region region;
  const std::size_t both = std::min(a.size(), b.size());
  while (region.head < both && a[region.head] == b[region.head]) ++region.head;
  std::size_t tail = 0;
  while (tail < both - region.head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  region.end = a.size() - tail;
  if (hangs != Hangs::on_meaning) {
    // What is reported may be at lines that are right by themselves.
    if (const auto marked = marked_in(*kernel, wrong)) {
      region.head = std::min(region.head, marked->head);
      region.end = std::max(region.end, marked->end);
    }
  }
  if (region.head == region.end) return std::nullopt;
  PlantedPair pair =
      of(*one, {kernel->name.text, region.head, region.end, {}, waits(wrong)}, hangs);
  tail = a.size() - region.end;
  pair.right_.assign(b.begin() + static_cast<std::ptrdiff_t>(region.head),
                     b.end() - static_cast<std::ptrdiff_t>(tail));
  return pair;
}

std::optional<PlantedPair> PlantedPair::marked(const std::string& text, Hangs hangs) {
  std::optional<ast::Module> module = parsed(text);
  if (!module) return std::nullopt;
  const Source source("fuzz.tx", text);
  for (ast::Stmt& stmt : module->body) {
    const auto* function = stmt.as<ast::FunctionDef>();
    ast::FunctionDef* kernel =
        function != nullptr ? kernel_of(*module, function->name.text) : nullptr;
    if (kernel == nullptr) continue;
    const std::optional<Region> region = marked_in(*kernel, text);
    Fault fault{.kernel = kernel->name.text, .waits = waits(text)};
    if (region) fault.head = region->head, fault.end = region->end;
    // What is decided by meaning alone needs no other line of a block.
    for (std::size_t i = fault.head; i < fault.end && hangs == Hangs::on_meaning; ++i)
      (void)add_marked_lines(kernel->body[i], source, fault);
    const std::string_view own = marks_in(source.locate(kernel->name.span.begin).text);
    if (!own.empty()) fault.names = names_in(own, *kernel);
    if (region || !own.empty()) return of(*module, std::move(fault), hangs);
  }
  return std::nullopt;
}

bool PlantedPair::holds(const std::string& script) const {
  std::optional<ast::Module> module = parsed(script);
  const ast::FunctionDef* kernel = module ? kernel_of(*module, kernel_) : nullptr;
  if (kernel == nullptr) return false;
  const std::vector<std::string> body = printed(kernel->body);
  std::vector<std::string> parameters;
  for (const ast::Parameter& parameter : kernel->parameters)
    parameters.push_back(printed(parameter));
  bool there = std::search(body.begin(), body.end(), wrong_.begin(), wrong_.end()) != body.end();
  if (!lines_.empty()) {
    std::size_t at = 0;
    for (const std::string& text : body) {
      for (std::string_view line : lines_of(text)) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (at < lines_.size() && line == lines_[at]) ++at;
      }
    }
    there = at == lines_.size();
  }
  return there && contains(body, kept_) && contains(parameters, parameters_) &&
         contains(printed(module->body), kept_above_);
}

std::string PlantedPair::twin(const std::string& script) const {
  std::optional<ast::Module> module = parsed(script);
  ast::FunctionDef* kernel = module ? kernel_of(*module, kernel_) : nullptr;
  if (kernel == nullptr) return {};
  const std::vector<std::string> body = printed(kernel->body);
  const auto found = std::search(body.begin(), body.end(), wrong_.begin(), wrong_.end());
  if (found == body.end()) return {};
  std::string lines;
  for (const std::string& text : right_) lines += text;
  std::optional<ast::Module> right = parsed(lines.empty() ? "pass\n" : lines);
  if (!right) return {};
  const auto at = kernel->body.begin() + (found - body.begin());
  const auto next = kernel->body.erase(at, at + static_cast<std::ptrdiff_t>(wrong_.size()));
  kernel->body.insert(next, right->body.begin(), right->body.end());
  return ast::print(*module);
}

}  // namespace tirx::fuzz
