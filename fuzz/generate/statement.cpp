#include "fuzz/generate/statement.hpp"

#include "fuzz/generate/expression.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

DType any_type(Draft& draft) {
  return draft.dice.chance(70) ? draft.dice.pick(draft.types)
                               : draft.dice.pick(std::vector<DType>(arithmetic_types().begin(),
                                                                    arithmetic_types().end()));
}

void let(Draft& draft) {
  const DType dtype = draft.dice.chance(10) ? DType::boolean : any_type(draft);
  const std::string name = draft.fresh("v");
  draft.line("{}: T.let = {}", name, expression(draft, dtype, 3));
  draft.values.push_back({name, dtype});
  draft.mark("let");
}

void assign(Draft& draft) {
  if (draft.variables.empty()) return let(draft);
  const Name variable = draft.dice.pick(draft.variables);
  if (draft.dice.chance(15)) {
    const char* op = num::is_float(variable.dtype)
                         ? draft.dice.one_of<const char*>({"+", "-", "*"})
                         : draft.dice.one_of<const char*>({"+", "-", "*", "|", "&", "^"});
    draft.line("{} {}= {}", variable.text, op, expression(draft, variable.dtype, 2));
    draft.mark("augmented assignment");
    return;
  }
  draft.line("{} = {}", variable.text, expression(draft, variable.dtype, 3));
  draft.mark("assign");
}

void store_array(Draft& draft) {
  if (draft.arrays.empty()) return assign(draft);
  const LocalArray array = draft.dice.pick(draft.arrays);
  draft.line("{}[{}] = {}", array.text, index(draft, array.size),
             expression(draft, array.dtype, 2));
  draft.mark("local array");
}

void store_output(Draft& draft) {
  const DType dtype = draft.dice.pick(draft.types);
  draft.line("{}[row, {}] = {}", draft.output(dtype), index(draft, Draft::kSlots),
             expression(draft, dtype, 2));
  draft.mark("store global");
}

void branch(Draft& draft, int depth) {
  draft.line("if {}:", condition(draft, 2));
  {
    const Draft::Block block(draft);
    straight(draft, depth - 1, draft.dice.between(1, 3));
  }
  if (draft.dice.chance(25)) {
    draft.line("elif {}:", condition(draft, 1));
    const Draft::Block block(draft);
    straight(draft, depth - 1, draft.dice.between(1, 2));
  }
  if (draft.dice.chance(45)) {
    draft.line("else:");
    const Draft::Block block(draft);
    straight(draft, depth - 1, draft.dice.between(1, 3));
  }
  draft.mark("if");
}

void leave_loop(Draft& draft) {
  draft.line("if {}:", condition(draft, 1));
  const Draft::Block block(draft);
  const bool breaks = draft.dice.chance(50);
  draft.line("{}", breaks ? "break" : "continue");
  draft.mark(breaks ? "break" : "continue");
}

void loop_body(Draft& draft, int depth) {
  ++draft.loops;
  straight(draft, depth - 1, draft.dice.between(1, 3));
  --draft.loops;
}

void loop(Draft& draft, int depth) {
  const std::string name = draft.fresh("i");
  switch (draft.dice.below(5)) {
    case 0: {
      draft.line("for {} in range({}, {}, {}):", name, draft.dice.below(3),
                 draft.dice.between(2, 6), draft.dice.between(1, 3));
      draft.mark("for range");
      break;
    }
    case 1:
      draft.line("for {} in range({}):", name, index(draft, 5));
      draft.mark("for dynamic");
      break;
    case 2: {
      const std::string second = draft.fresh("i");
      draft.line("for {}, {} in T.grid({}, {}):", name, second, draft.dice.between(1, 3),
                 draft.dice.between(1, 3));
      draft.mark("for grid");
      const Draft::Block block(draft);
      draft.values.push_back({name, DType::i32});
      draft.values.push_back({second, DType::i32});
      // A grid is two loops: break and continue would mean the inner one only.
      straight(draft, depth - 1, draft.dice.between(1, 2));
      return;
    }
    case 3:
      draft.line("for {} in T.{}({}):", name, draft.dice.one_of<const char*>({"unroll", "serial"}),
                 draft.dice.between(1, 4));
      draft.mark("for hinted");
      break;
    default:
      draft.has_alternative = true;
      draft.line("for {} in loop({}):", name, draft.dice.between(1, 4));
      draft.mark("for unrolled or not");
      break;
  }
  const Draft::Block block(draft);
  draft.values.push_back({name, DType::i32});
  loop_body(draft, depth);
}

void while_loop(Draft& draft, int depth) {
  const std::string name = draft.fresh("w");
  draft.line("{}: T.int32 = 0", name);
  draft.line("while {} < {}:", name, index(draft, 5));
  const Draft::Block block(draft);
  draft.line("{0} = {0} + 1", name);
  draft.values.push_back({name, DType::i32});
  loop_body(draft, depth);
  draft.mark("while");
}

void vectors(Draft& draft) {
  static constexpr auto kTypes =
      std::to_array<DType>({DType::f32, DType::i32, DType::f16, DType::u8});
  const DType dtype = kTypes[static_cast<std::size_t>(draft.dice.below(4))];
  const int lanes = draft.dice.one_of({2, 4});
  const std::string in = draft.input(dtype);
  const std::string v = draft.fresh("x");
  draft.line("{} = {}.vload([(({}) % {}) * {}], \"{}x{}\")", v, in, index(draft, 64),
             Draft::kInputs / lanes, lanes, type_name(dtype), lanes);
  const std::string out = draft.fresh("Vec");
  const std::string shape = fmt::format("({},)", draft.ctas * draft.threads * lanes);
  draft.parameter(out, shape, dtype,
                  fmt::format("tirx.empty({}, \"{}\")", shape, type_name(dtype)));
  draft.line("{}.vstore([row * {}], {})", out, lanes, v);
  draft.mark(fmt::format("vector {}x{}", type_name(dtype), lanes));
}

}  // namespace

void declare_variable(Draft& draft, DType dtype) {
  const std::string name = draft.fresh("m");
  draft.line("{}: T.{} = {}", name, type_name(dtype), expression(draft, dtype, 2));
  draft.values.push_back({name, dtype});
  draft.variables.push_back({name, dtype});
  draft.mark("variable " + type_name(dtype));
}

void declare_array(Draft& draft, DType dtype) {
  const std::string name = draft.fresh("L");
  const std::string i = draft.fresh("i");
  const int size = draft.dice.between(2, 5);
  draft.line("{}: T.{}[{}]", name, type_name(dtype), size);
  draft.line("for {} in range({}):", i, size);
  {
    const Draft::Block block(draft);
    draft.values.push_back({i, DType::i32});
    draft.line("{}[{}] = {}", name, i, expression(draft, dtype, 2));
  }
  draft.arrays.push_back({name, dtype, size});
}

void straight(Draft& draft, int depth, int count) {
  for (int n = 0; n < count; ++n) {
    const int roll = draft.dice.below(100);
    if (depth > 0 && roll < 18) {
      branch(draft, depth);
    } else if (depth > 0 && roll < 30) {
      loop(draft, depth);
    } else if (depth > 0 && roll < 34) {
      while_loop(draft, depth);
    } else if (draft.loops > 0 && roll < 42) {
      leave_loop(draft);
    } else if (roll < 58) {
      let(draft);
    } else if (roll < 80) {
      assign(draft);
    } else if (roll < 88) {
      store_array(draft);
    } else if (roll < 97 || draft.loops > 0) {
      store_output(draft);
    } else {
      vectors(draft);
    }
  }
}

}  // namespace tirx::fuzz
