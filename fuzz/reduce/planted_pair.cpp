#include "fuzz/reduce/planted_pair.hpp"

#include <algorithm>
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

/// The last function with a decorator of `prim_func`.
ast::FunctionDef* kernel_of(ast::Module& module) {
  ast::FunctionDef* found = nullptr;
  for (ast::Stmt& stmt : module.body) {
    auto* function = stmt.as<ast::FunctionDef>();
    if (function == nullptr || function->decorators.empty()) continue;
    const auto* decorator = function->decorators[0].as<ast::Attribute>();
    if (decorator != nullptr && decorator->name.text == "prim_func") found = function;
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

/// How many threads there are decides which of them a guard takes.
bool counts_threads(const ast::Stmt& stmt) {
  const auto* assign = stmt.as<ast::Assign>();
  return assign != nullptr && called_attribute(assign->value) == "thread_id";
}

bool contains(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::all_of(some.begin(), some.end(), [&](const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  });
}

}  // namespace

PlantedPair PlantedPair::of(ast::Module& module, std::size_t head, std::size_t end) {
  PlantedPair pair;
  ast::FunctionDef* kernel = kernel_of(module);
  const std::vector<std::string> a = printed(kernel->body);
  pair.wrong_.assign(a.begin() + static_cast<std::ptrdiff_t>(head),
                     a.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<std::string> names;
  for (std::size_t i = head; i < end; ++i) add_names(kernel->body[i], names);
  std::set<std::string> seen;
  std::set<std::size_t> kept, above;
  for (std::size_t i = 0; i < kernel->body.size(); ++i) {
    if (counts_threads(kernel->body[i])) kept.insert(i);
  }
  while (!names.empty()) {
    const std::string name = names.back();
    names.pop_back();
    if (!seen.insert(name).second) continue;
    for (std::size_t i = 0; i < kernel->body.size(); ++i) {
      if (defines(kernel->body[i], name) && kept.insert(i).second)
        add_names(kernel->body[i], names);
    }
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

std::optional<PlantedPair> PlantedPair::make(const std::string& wrong, const std::string& right) {
  std::optional<ast::Module> one = parsed(wrong), other = parsed(right);
  ast::FunctionDef* kernel = one ? kernel_of(*one) : nullptr;
  const ast::FunctionDef* twin = other ? kernel_of(*other) : nullptr;
  if (kernel == nullptr || twin == nullptr) return std::nullopt;
  const std::vector<std::string> a = printed(kernel->body), b = printed(twin->body);
  std::size_t head = 0, tail = 0;
  const std::size_t both = std::min(a.size(), b.size());
  while (head < both && a[head] == b[head]) ++head;
  while (tail < both - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  if (head + tail == a.size()) return std::nullopt;
  PlantedPair pair = of(*one, head, a.size() - tail);
  pair.right_.assign(b.begin() + static_cast<std::ptrdiff_t>(head),
                     b.end() - static_cast<std::ptrdiff_t>(tail));
  return pair;
}

std::optional<PlantedPair> PlantedPair::marked(const std::string& text) {
  std::optional<ast::Module> module = parsed(text);
  const ast::FunctionDef* kernel = module ? kernel_of(*module) : nullptr;
  if (kernel == nullptr) return std::nullopt;
  const Source source("fuzz.tx", text);
  std::optional<std::size_t> first;
  std::size_t end = 0;
  for (std::size_t i = 0; i < kernel->body.size(); ++i) {
    const Span span = kernel->body[i].span;
    if (span.empty()) continue;
    const std::size_t from = source.locate(span.begin).line,
                      till = source.locate(span.end - 1).line;
    for (const Expectation& one : expectations_of(text)) {
      if (one.line < from || one.line > till) continue;
      first = first.value_or(i);
      end = i + 1;
    }
  }
  if (!first) return std::nullopt;
  return of(*module, *first, end);
}

bool PlantedPair::holds(const std::string& script) const {
  std::optional<ast::Module> module = parsed(script);
  const ast::FunctionDef* kernel = module ? kernel_of(*module) : nullptr;
  if (kernel == nullptr) return false;
  const std::vector<std::string> body = printed(kernel->body);
  std::vector<std::string> parameters;
  for (const ast::Parameter& parameter : kernel->parameters)
    parameters.push_back(printed(parameter));
  return std::search(body.begin(), body.end(), wrong_.begin(), wrong_.end()) != body.end() &&
         contains(body, kept_) && contains(parameters, parameters_) &&
         contains(printed(module->body), kept_above_);
}

std::string PlantedPair::twin(const std::string& script) const {
  std::optional<ast::Module> module = parsed(script);
  ast::FunctionDef* kernel = module ? kernel_of(*module) : nullptr;
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
