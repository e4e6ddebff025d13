// Expressions of thread IR as C++ expressions.
#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

Text KernelEmitter::fail(Span span, std::string text, std::vector<Note> notes) {
  if (!error_) error_ = Diagnostic{span, std::move(text), std::move(notes)};
  return {"0"};
}

void KernelEmitter::define(const std::string& name, const std::string& text) {
  if (parts_.generated_names.insert(name).second) parts_.generated.push_back(text);
}

Text KernelEmitter::index(const ir::Expr& expr) {
  const bool before = in_index_;
  in_index_ = true;
  Text text = expression(expr);
  in_index_ = before;
  return text;
}

Text KernelEmitter::expression(const ir::Expr& expr) {
  const ir::Type type = expr->type;
  return std::visit(
      ir::Match{
          [&](const ir::Const& n) -> Text {
            std::string text = literal(n.bits, type.dtype);
            if (hides_zero(n, type)) return call("tirx_opaque_f32", Text{std::move(text)});
            const bool compound = text.front() == '-' || text.front() == '(';
            return {std::move(text), compound ? Precedence::unary : Precedence::primary};
          },
          [&](const ir::VarRef& n) -> Text {
            const auto found = variables_.find(n.var.get());
            TIRX_CHECK(found != variables_.end());
            return {found->second};
          },
          [&](const ir::Scalar& n) -> Text {
            if (type.is_vector()) return map_lanes(expr, n.args);
            return scalar(expr, n);
          },
          [&](const ir::Cast& n) -> Text {
            if (type.is_vector()) return map_lanes(expr, {n.value});
            Text value = expression(n.value);
            if (hides_narrowed(n, type)) value = call("tirx_opaque", value);
            return convert(value, n.value->type.dtype, type.dtype, expr->span);
          },
          [&](const ir::Reinterpret& n) -> Text {
            Text value = hash_operand(n.value);
            if (hides_bits(n, type)) value = call("tirx_opaque", value);
            return reinterpret(value, n.value->type, type);
          },
          [&](const ir::Select& n) -> Text {
            if (n.condition->type.is_vector()) {
              return map_lanes(expr, {n.condition, n.when_true, n.when_false});
            }
            const bool both = calls_machine(n.when_true) || calls_machine(n.when_false);
            return conditional(n.condition, n.when_true, n.when_false, type, both);
          },
          [&](const ir::IfThenElse& n) -> Text {
            return conditional(n.condition, n.when_true, n.when_false, type, false);
          },
          [&](const ir::And& n) -> Text {
            return binary(expression(n.left), "&&", expression(n.right), Precedence::logical_and);
          },
          [&](const ir::Or& n) -> Text {
            return binary(expression(n.left), "||", expression(n.right), Precedence::logical_or);
          },
          [&](const ir::Load& n) -> Text { return load(expr, n); },
          [&](const ir::AddressOf& n) -> Text { return pointer(n.element); },
          [&](const ir::MachineCall& n) -> Text { return machine(expr, n); },
          [&](const ir::MakeVector& n) -> Text {
            std::string text = value_type(type) + "{";
            for (std::size_t i = 0; i < n.lanes.size(); ++i) {
              text += (i == 0 ? "" : ", ") + expression(n.lanes[i]).text;
            }
            return {text + "}"};
          },
          [&](const ir::Broadcast& n) -> Text {
            return call(fmt::format("tirx_broadcast<{}, {}>", type.lanes, element_type(type.dtype)),
                        expression(n.value));
          },
          [&](const ir::Extract& n) -> Text {
            return {fmt::format("{}.lane[{}]", operand(expression(n.vector), Precedence::primary),
                                n.lane)};
          },
      },
      expr->node);
}

Text KernelEmitter::conditional(const ir::Expr& condition,
                                const ir::Expr& when_true,
                                const ir::Expr& when_false,
                                ir::Type type,
                                bool both) {
  const Text c = expression(condition);
  const Text t = expression(when_true);
  const Text f = expression(when_false);
  if (both) return call(fmt::format("tirx_select<{}>", value_type(type)), c, t, f);
  constexpr auto above = Precedence::logical_or;
  return {fmt::format("{} ? {} : {}", operand(c, above), operand(t, above), operand(f, above)),
          Precedence::conditional};
}

Text KernelEmitter::load(const ir::Expr& expr, const ir::Load& load) {
  const ir::Type type = expr->type;
  const ir::Access& from = load.from;
  if (num::bits(type.dtype) == 4) {
    if (type.is_vector())
      return call(fmt::format("tirx_load_e2m1s<{}>", type.lanes), pointer(from));
    return call("tirx_load_e2m1", Text{base_pointer(from.buffer)}, flat_offset(from));
  }
  if (!type.is_vector()) return element(from);
  if (from.stride != 1) {
    return call(fmt::format("tirx_gather<{}>", type.lanes), pointer(from),
                Text{std::to_string(from.stride)});
  }
  return call(fmt::format("tirx_load<{}>", type.lanes), pointer(from));
}

Text KernelEmitter::map_lanes(const ir::Expr& expr, const std::vector<ir::Expr>& vectors) {
  // The operation is emitted once, on the parameters of a lambda.
  static constexpr std::string_view kNames[] = {"a", "b", "c"};
  TIRX_CHECK(vectors.size() <= 3);
  std::vector<ir::Expr> lanes;
  std::string parameters, arguments;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const ir::Type element{vectors[i]->type.dtype, 1};
    const auto* same = ir::as<ir::Broadcast>(vectors[i]);
    if (same != nullptr && ir::as_const(same->value) != nullptr) {
      lanes.push_back(same->value);
      continue;
    }
    const auto var = std::make_shared<const ir::Variable>(
        ir::Variable{std::string(kNames[i]), element, expr->span});
    variables_[var.get()] = kNames[i];
    if (is_data(vectors[i])) data_.insert(var.get());
    lanes.push_back(ir::make_var(var));
    if (!parameters.empty()) parameters += ", ";
    parameters += fmt::format("{} {}", element_type(element.dtype), kNames[i]);
    arguments += ", ";
    arguments += vectors[i]->type.is_vector()
                     ? expression(vectors[i]).text
                     : call(fmt::format("tirx_broadcast<{}, {}>", expr->type.lanes,
                                        element_type(element.dtype)),
                            expression(vectors[i]))
                           .text;
  }
  const ir::Type element{expr->type.dtype, 1};
  ir::Expr one;
  if (const auto* scalar = ir::as<ir::Scalar>(expr)) {
    one = ir::make_expr(element, expr->span, ir::Scalar{scalar->op, lanes});
  } else if (ir::as<ir::Cast>(expr) != nullptr) {
    one = ir::make_expr(element, expr->span, ir::Cast{lanes[0]});
  } else {
    one = ir::make_expr(element, expr->span, ir::Select{lanes[0], lanes[1], lanes[2]});
  }
  const std::string body = expression(one).text;
  for (const ir::Expr& lane : lanes) {
    if (const auto* ref = ir::as<ir::VarRef>(lane)) {
      variables_.erase(ref->var.get());
      data_.erase(ref->var.get());
    }
  }
  if (arguments.empty()) {
    return {fmt::format("tirx_broadcast<{}, {}>({})", expr->type.lanes, element_type(element.dtype),
                        body)};
  }
  return {fmt::format("tirx_map<{}>([]({}) {{ return {}; }}{})", element_type(element.dtype),
                      parameters, body, arguments)};
}

}  // namespace tirx::cuda
