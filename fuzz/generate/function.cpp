// @T.inline functions: they become part of the kernel at each call, and see what is around their
// definition (docs/language.md, "Control flow").
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

void inlined(Draft& draft) {
  using num::DType;
  const DType first = draft.dice.pick(draft.types), second = draft.dice.pick(draft.types),
              result = draft.dice.pick(draft.types);
  const std::string name = draft.fresh("fn"), x = draft.fresh("p"), y = draft.fresh("p"),
                    inner = draft.fresh("p");
  draft.line("@T.inline");
  draft.line("def {}({}, {}):", name, x, y);
  {
    const Draft::Block block(draft);
    draft.values.push_back({x, first});
    draft.values.push_back({y, second});
    if (draft.dice.chance(60)) {
      const DType dtype = draft.dice.pick(draft.types);
      draft.line("{}: T.let = {}", inner, expression(draft, dtype, 2));
      draft.values.push_back({inner, dtype});
    }
    draft.line("return {}", expression(draft, result, 2));
  }
  const auto call = [&] {
    return fmt::format("{}({}, {})", name, expression(draft, first, 1),
                       expression(draft, second, 1));
  };
  const std::string v = draft.fresh("v");
  draft.line("{}: T.let = {}", v, call());
  for (const Name& variable : draft.variables) {
    if (variable.dtype != result || !draft.dice.chance(60)) continue;
    const std::string i = draft.fresh("i");
    draft.line("for {} in range({}):", i, draft.dice.between(1, 3));
    const Draft::Block block(draft);
    draft.line("{} = {}", variable.text, call());
  }
  draft.values.push_back({v, result});
  draft.mark("inline function");
}

}  // namespace tirx::fuzz
