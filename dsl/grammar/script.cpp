// Statements, blocks, the whole script, and recovery.
#include "dsl/grammar/script.hpp"

#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr LookParser ends_block{terminal::ends_block};
static constexpr ValueParser<Span> unexpected_indent{terminal::unexpected_indent};

/// The one place where the grammar insists: a statement that does not parse is reported and passed
/// over.
struct StatementId {
  template <typename Error, typename C>
  x3::error_handler_result on_error(Iterator& first,
                                    const Iterator&,
                                    const Error&,
                                    const C& context) {
    first = x3::get<StateTag>(context).recover(first);
    return x3::error_handler_result::accept;
  }

  template <typename A, typename C>
  void on_success(const Iterator& first, const Iterator&, const A&, const C& context) {
    x3::get<StateTag>(context).parsed(first);
  }
};

static constexpr Rule<ast::Stmt, StatementId> statement{"statement"};
static constexpr Rule<ast::Block, struct StatementsId> statements{"statements"};
static constexpr Rule<ast::Block, struct BlockId> block{"block"};
static constexpr Rule<ast::Block, struct InlineBlockId> inline_block{"inline_block"};
static constexpr Rule<ast::Block, struct ScriptId> script{"script"};

static const auto line_end = word(semicolon) >> -word(newline) | word(newline);
static const auto statements_def = *(!ends_block >> statement);
static const auto orphan = node<parts::Orphan>[unexpected_indent >> statements >> word(dedent)];
static const auto statement_def = x3::eps > (orphan | compound | simple >> line_end);

static const auto block_def = word(newline) >> word(indent) >> statements >> word(dedent);
static const auto inline_block_def = simple % word(semicolon) >> -word(semicolon) >> word(newline);
static const auto suite_def = block | inline_block;
static const auto script_def = statements >> word(end_of_file);

BOOST_SPIRIT_DEFINE(statement, statements, block, inline_block, suite, script)

BOOST_SPIRIT_INSTANTIATE(decltype(suite), Iterator, Context)

ast::Block parse_tokens(ParseState& state) {
  ast::Block body;
  Iterator first = state.list().tokens.data();
  const Iterator last = first + state.list().tokens.size();
  const bool complete = x3::parse(first, last, x3::with<StateTag>(state)[script], body);
  if (!complete && state.errors().empty() && state.list().errors.empty()) {
    state.error(state.list().tokens.back().span,
                "this script does not end where its last block ends");
  }
  return body;
}

}  // namespace tirx::dsl::grammar
