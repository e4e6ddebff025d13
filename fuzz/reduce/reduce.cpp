#include "fuzz/reduce/reduce.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "dsl/ast/children.hpp"
#include "dsl/ast/print.hpp"
#include "dsl/parse.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;

class Reducer {
 public:
  Reducer(ast::Module module,
          const std::function<bool(const std::string&)>& still_fails,
          const ReduceOptions& options)
      : module_(std::move(module)),
        text_(ast::print(module_)),
        still_fails_(still_fails),
        attempts_left_(options.max_attempts),
        end_(std::chrono::steady_clock::now() +
             std::chrono::milliseconds(static_cast<std::int64_t>(options.max_seconds * 1000))) {}

  std::string run() {
    for (bool progress = true; progress && !spent();) {
      const std::size_t before = text_.size();
      statements();
      headers();
      parameters();
      expressions();
      progress = text_.size() < before;
    }
    return text_;
  }

 private:
  [[nodiscard]] bool spent() const {
    return attempts_left_ <= 0 || std::chrono::steady_clock::now() > end_;
  }

  /// Keeps the edit where the script still fails with it.
  template <typename Edit>
  bool attempt(Edit edit) {
    if (spent()) return false;
    ast::Module candidate = module_;
    if (!edit(candidate)) return false;
    std::string text = ast::print(candidate);
    if (text.size() > text_.size() || text == text_) return false;
    --attempts_left_;
    if (!still_fails_(text)) return false;
    module_ = std::move(candidate);
    text_ = std::move(text);
    return true;
  }

  static void fill(ast::Block& block) {
    if (block.empty()) block.push_back(ast::Stmt{{}, ast::Pass{}});
  }

  /// Removes runs of statements: half of a block, then quarters, then single ones.
  void statements() {
    for (std::size_t n = 0; nth_block(module_, n) != nullptr; ++n) {
      for (std::size_t length = nth_block(module_, n)->size(); length > 0; length /= 2) {
        const ast::Block* block = nth_block(module_, n);
        if (block == nullptr) break;
        for (std::size_t at = block->size(); at > 0 && !spent();) {
          const std::size_t count = std::min(length, at);
          at -= count;
          attempt([&](ast::Module& candidate) {
            ast::Block& inside = *nth_block(candidate, n);
            if (at + count > inside.size()) return false;
            if (inside.size() == 1 && inside[0].is<ast::Pass>()) return false;
            const auto begin = inside.begin() + static_cast<std::ptrdiff_t>(at);
            inside.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            if (n > 0) fill(inside);
            return true;
          });
          block = nth_block(module_, n);
          if (block == nullptr) break;
          at = std::min(at, block->size());
        }
      }
    }
  }

  /// A block in place of the statement that holds it.
  void headers() {
    for (std::size_t n = 0; nth_block(module_, n) != nullptr; ++n) {
      for (std::size_t at = 0;
           nth_block(module_, n) != nullptr && at < nth_block(module_, n)->size(); ++at) {
        for (std::size_t which = 0; which < 3; ++which) {
          attempt([&](ast::Module& candidate) {
            ast::Block& block = *nth_block(candidate, n);
            if (at >= block.size() || block[at].is<ast::FunctionDef>()) return false;
            std::vector<ast::Block> bodies;
            for_each_body(block[at], [&](ast::Block& body) { bodies.push_back(body); });
            if (which >= bodies.size()) return false;
            const auto place = block.begin() + static_cast<std::ptrdiff_t>(at);
            block.erase(place);
            block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), bodies[which].begin(),
                         bodies[which].end());
            return true;
          });
        }
      }
    }
  }

  /// A parameter of a function with the argument in every call of it.
  void parameters() {
    for (std::size_t i = 32; i-- > 0;) {
      attempt([&](ast::Module& candidate) {
        std::string name;
        for (ast::Stmt& stmt : candidate.body) {
          auto* function = stmt.as<ast::FunctionDef>();
          if (function == nullptr || i >= function->parameters.size()) continue;
          function->parameters.erase(function->parameters.begin() + static_cast<std::ptrdiff_t>(i));
          name = function->name.text;
        }
        if (name.empty()) return false;
        for_each_expr(candidate, [&](ast::Expr& expr) {
          auto* call = expr.as<ast::Call>();
          const auto* callee = call != nullptr ? call->callee->as<ast::Name>() : nullptr;
          if (callee == nullptr || callee->id != name || i >= call->arguments.size()) return;
          call->arguments.erase(call->arguments.begin() + static_cast<std::ptrdiff_t>(i));
        });
        return true;
      });
    }
  }

  static ast::Expr number(std::uint64_t value) {
    return ast::Expr{{}, 1, ast::IntLit{std::to_string(value), value, false}};
  }

  /// A part in place of the whole, then a small number.
  void expressions() {
    for (std::size_t n = 0; nth_expr(module_, n) != nullptr && !spent();) {
      if (!simplify(n)) ++n;
    }
  }

  bool simplify(std::size_t n) {
    const ast::Expr& expr = *nth_expr(module_, n);
    std::vector<ast::Expr> shorter;
    ast::for_each_child(expr, [&](const ast::Expr& child) { shorter.push_back(child); });
    if (const auto* literal = expr.as<ast::IntLit>()) {
      if (literal->value > 1) shorter.push_back(number(1));
      if (literal->value > 32 && literal->value % 32 == 0) shorter.push_back(number(32));
      if (literal->value > 3) shorter.push_back(number(literal->value / 2));
    } else if (!expr.is<ast::StringLit>()) {
      shorter.push_back(number(0));
      shorter.push_back(number(1));
    }
    for (const ast::Expr& replacement : shorter) {
      if (attempt([&](ast::Module& candidate) {
            // The replacement may be a part of what it replaces: copy first.
            ast::Expr copy = replacement;
            *nth_expr(candidate, n) = std::move(copy);
            return true;
          }))
        return true;
    }
    return false;
  }

  ast::Module module_;
  std::string text_;
  const std::function<bool(const std::string&)>& still_fails_;
  int attempts_left_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

std::string reduce(const std::string& text,
                   const std::function<bool(const std::string&)>& still_fails,
                   const ReduceOptions& options) {
  dsl::ParseResult parsed = dsl::parse(std::make_shared<const Source>("fuzz.tx", text));
  if (!parsed.ok()) return text;
  std::string reduced = Reducer(std::move(parsed.module), still_fails, options).run();
  return still_fails(reduced) ? reduced : text;
}

}  // namespace tirx::fuzz
