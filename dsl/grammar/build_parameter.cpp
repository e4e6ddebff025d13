// Parameter lists: the markers `*` and `/` give the parameters around them their kinds.
#include <set>

#include <fmt/format.h>

#include "dsl/grammar/build.hpp"

namespace tirx::dsl::grammar {

using ast::Parameter;
using ast::ParameterKind;

void build(ParseState&, Span span, parts::NamedParam&& param, parts::Param& out) {
  out.parameter = {span, ParameterKind::normal, std::move(param.name), std::move(param.annotation),
                   std::move(param.default_value)};
}

void build(ParseState&, Span span, parts::LambdaParam&& param, parts::Param& out) {
  out.parameter = {
      span, ParameterKind::normal, std::move(param.name), {}, std::move(param.default_value)};
}

void build(ParseState&, Span span, parts::StarParam&& param, parts::Param& out) {
  out.marker = param.name.text.empty();
  out.parameter = {
      span, ParameterKind::var_positional, std::move(param.name), std::move(param.annotation), {}};
}

void build(ParseState&, Span span, parts::DoubleStarParam&& param, parts::Param& out) {
  out.parameter = {
      span, ParameterKind::var_keyword, std::move(param.name), std::move(param.annotation), {}};
}

void build(ParseState&, Span span, parts::SlashParam&& param, parts::Param& out) {
  out.marker = param.marker;
  out.parameter.span = span;
  out.parameter.kind = ParameterKind::positional_only;
}

namespace {

class ParameterList {
 public:
  explicit ParameterList(ParseState& state) : state_(state) {}

  void add(parts::Param&& param) {
    const Span span = param.parameter.span;
    if (closed_)
      state_.error(span, "nothing can follow the '**' parameter", "move it to the front");
    if (param.marker && param.parameter.kind == ParameterKind::positional_only) {
      slash(span);
    } else if (param.parameter.kind == ParameterKind::var_positional) {
      star(std::move(param));
    } else {
      named(std::move(param.parameter));
    }
  }

  std::vector<Parameter> take() {
    if (!bare_star_.empty()) {
      state_.error(bare_star_, "a bare '*' needs a parameter after it",
                   "name it, or remove the '*'");
    }
    return std::move(list_);
  }

 private:
  void slash(Span span) {
    if (list_.empty() || star_seen_ || slash_seen_) {
      state_.error(span, "'/' stands once, behind the positional-only parameters and before '*'");
    }
    slash_seen_ = true;
    for (Parameter& earlier : list_) {
      if (earlier.kind == ParameterKind::normal) earlier.kind = ParameterKind::positional_only;
    }
  }

  void star(parts::Param&& param) {
    if (star_seen_)
      state_.error(param.parameter.span, "a second '*' among the parameters", "remove it");
    star_seen_ = true;
    if (param.marker) {
      bare_star_ = param.parameter.span;
    } else {
      keep(std::move(param.parameter));
    }
  }

  void named(Parameter&& parameter) {
    if (parameter.kind == ParameterKind::var_keyword) {
      closed_ = true;
    } else {
      bare_star_ = {};
      if (star_seen_) parameter.kind = ParameterKind::keyword_only;
      if (!star_seen_ && default_seen_ && !parameter.default_value) {
        state_.error(parameter.span,
                     "a parameter without a default cannot follow one with a default",
                     "give it a default, or move it to the front");
      }
      default_seen_ |= static_cast<bool>(parameter.default_value);
    }
    keep(std::move(parameter));
  }

  void keep(Parameter&& parameter) {
    if (!names_.insert(parameter.name.text).second) {
      state_.error(parameter.name.span,
                   fmt::format("parameter '{}' is declared twice", parameter.name.text),
                   "rename one");
    }
    list_.push_back(std::move(parameter));
  }

  ParseState& state_;
  std::vector<Parameter> list_;
  std::set<std::string> names_;
  Span bare_star_;
  bool star_seen_ = false;
  bool slash_seen_ = false;
  bool default_seen_ = false;
  bool closed_ = false;
};

}  // namespace

std::vector<Parameter> resolve_parameters(ParseState& state, std::vector<parts::Param>&& params) {
  ParameterList list(state);
  for (parts::Param& param : params) list.add(std::move(param));
  return list.take();
}

}  // namespace tirx::dsl::grammar
