// Why does this statement not parse, in the words of the person who wrote it?
#pragma once

#include "dsl/grammar/token.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl::grammar {

struct Failure {
  const Source& source;
  const TokenList& list;
  const Token* start;  // of the statement
  const Token* at;     // the furthest token that fits nothing
  TokenSet expected;   // what would have fitted
};

[[nodiscard]] Diagnostic explain(const Failure& failure);

}  // namespace tirx::dsl::grammar
