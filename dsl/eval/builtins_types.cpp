// dtypes as values: T.float32(x), T.int32(), T.float32[4]; casts; annotations of parameters and
// variables.
#include <array>
#include <cmath>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/builtins.hpp"
#include "dsl/eval/dtype_call.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "numerics/text.hpp"

namespace tirx::dsl {

namespace {

std::shared_ptr<Annotation> annotation(Annotation::Kind kind, Span span) {
  auto made = std::make_shared<Annotation>(kind);
  made->span = span;
  return made;
}

Value cast_value(Interpreter& interpreter, const Value& value, ir::Type type, Span span) {
  if (const std::string* word = value.text()) {
    // T.float32("inf"), "-inf", "nan": values that have no literal.
    const auto bits = num::from_text(*word, type.dtype);
    if (!bits) fail(span, "{} is no value of {}", quote(*word), num::name(type.dtype));
    return ir::make_expr(type.element(), span, ir::Const{*bits});
  }
  if (value.number()) return literal_as(value, type, span);
  return cast_expr(interpreter.expr(value, span), type, span);
}

Value cast(Interpreter& interpreter, const Arguments& args) {
  if (args[1].number() && num::is_int(args.type(0).dtype)) {
    // T.cast("int32", x), the older order, is taken too.
    if (args[0].is<ir::Type>() || args[0].text() != nullptr) {
      return cast_value(interpreter, args[1], args.type(0), args.span());
    }
  }
  if (args[0].text() != nullptr || args[0].is<ir::Type>()) {
    return cast_value(interpreter, args[1], args.type(0), args.span());
  }
  return cast_value(interpreter, args[0], args.type(1), args.span());
}

Value reinterpret(Interpreter& interpreter, const Arguments& args) {
  const bool type_first = args[0].text() != nullptr || args[0].is<ir::Type>();
  const ir::Type type = args.type(type_first ? 0 : 1);
  const std::size_t value_at = type_first ? 1 : 0;
  if (type.dtype == num::DType::handle) {
    fail_help(args.span(), "an address cannot become a pointer",
              "pointers are made from buffers: A.ptr_to([…]), A.data");
  }
  return reinterpret_expr(interpreter.expr(args[value_at], args.span(value_at)), type, args.span());
}

Value buffer_annotation(Interpreter&, const Arguments& args) {
  auto made = annotation(Annotation::Kind::buffer, args.span());
  const Values* items = sequence(args[0]);
  made->shape = items != nullptr ? *items : Values{args[0]};
  made->type = {args.dtype_or(1, num::DType::f32), 1};
  constexpr std::array<const char*, 7> kNames{"data",  "strides", "elem_offset",  "scope",
                                              "align", "layout",  "offset_factor"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (args.given(i + 2)) made->options[kNames[i]] = {args[i + 2], args.span(i + 2)};
  }
  return made;
}

Value optional_annotation(Interpreter&, const Arguments& args) {
  auto made = annotation(Annotation::Kind::optional, args.span());
  made->inner = args[0];
  return made;
}

Value meta_var(Interpreter&, const Arguments& args) {
  return std::make_shared<MetaVar>(args[0]);
}

Value constant(Interpreter& interpreter, const Arguments& args) {
  if (!args.has(1)) return interpreter.expr(args[0], args.span(0));
  return literal_as(args[0], args.type(1), args.span(0));
}

Value bound_of(const Arguments& args, bool lowest) {
  const num::DType dtype = args.dtype(0);
  const num::DTypeRow& row = num::row(dtype);
  const int bits = num::bits(dtype);
  std::uint64_t pattern = 0;
  if (num::is_float(dtype)) {
    // The largest finite value: all ones below the exponent's last pattern.
    const auto exponents = (std::uint64_t{1} << row.exponent) - 1;
    const auto fraction = (std::uint64_t{1} << row.fraction) - 1;
    pattern = row.has_inf ? ((exponents - 1) << row.fraction) | fraction
                          : (exponents << row.fraction) | (row.has_nan ? fraction - 1 : fraction);
    if (lowest) pattern |= std::uint64_t{1} << (row.exponent + row.fraction);
  } else if (num::is_signed(dtype)) {
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    pattern = lowest ? top : top - 1;
  } else {
    pattern = lowest ? 0 : bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    if (dtype == num::DType::boolean) pattern &= 1;
  }
  return ir::make_expr({dtype, 1}, args.span(), ir::Const{pattern});
}

Value min_value(Interpreter&, const Arguments& args) {
  return bound_of(args, true);
}

Value max_value(Interpreter&, const Arguments& args) {
  return bound_of(args, false);
}

Value infinity(Interpreter&, const Arguments& args) {
  const num::DType dtype = args.dtype_or(0, num::DType::f32);
  if (!num::row(dtype).has_inf) fail(args.span(), "{} has no infinity", num::name(dtype));
  return ir::make_expr({dtype, 1}, args.span(), ir::Const{num::from_double(HUGE_VAL, dtype)});
}

Value nan_value(Interpreter&, const Arguments& args) {
  const num::DType dtype = args.dtype_or(0, num::DType::f32);
  if (!num::row(dtype).has_nan) fail(args.span(), "{} has no NaN", num::name(dtype));
  return ir::make_expr({dtype, 1}, args.span(), ir::Const{num::canonical_nan(dtype)});
}

Value broadcast(Interpreter&, const Arguments& args) {
  const std::int64_t lanes = args.integer(1);
  if (lanes < 1 || lanes > 64) fail(args.span(1), "a vector has 1 to 64 lanes");
  const ir::Expr value = args.expr(0);
  if (value->type.lanes != 1) fail(args.span(0), "only a scalar can be broadcast");
  return cast_expr(value, {value->type.dtype, static_cast<std::uint16_t>(lanes)}, args.span());
}

Value make_vector(Interpreter& interpreter, const Arguments& args) {
  std::vector<ir::Expr> lanes;
  const Values items = args.items(0);
  if (items.empty() || items.size() > 64) fail(args.span(0), "a vector has 1 to 64 lanes");
  ir::Type type = interpreter.expr(items[0], args.span(0))->type;
  for (const Value& item : items) {
    type = promote(type, interpreter.expr(item, args.span(0))->type, args.span(0));
  }
  for (const Value& item : items) {
    lanes.push_back(cast_expr(interpreter.expr(item, args.span(0)), type, args.span(0)));
  }
  const auto count = static_cast<std::uint16_t>(lanes.size());  // before they are moved from
  return make_checked({type.dtype, count}, args.span(), ir::MakeVector{std::move(lanes)});
}

constexpr auto kTypesFunctions = std::to_array<BuiltinFunction>({
    {"cast", "value, dtype", cast, "Converts a value: T.cast(x, \"float16\")."},
    {"reinterpret", "value, dtype", reinterpret, "The same bits as another dtype."},
    {"Buffer",
     "shape, dtype='float32', data=None, strides=None, elem_offset=0, scope='global', align=64, "
     "layout='default', offset_factor=None",
     buffer_annotation, "A parameter that is a tensor."},
    {"Optional", "type", optional_annotation, "A parameter that specialisation may drop."},
    {"meta_var", "value", meta_var, "Binds the value itself: no variable of the kernel is made."},
    {"const", "value, dtype=None", constant, "A literal of that dtype."},
    {"min_value", "dtype", min_value, "The lowest finite value."},
    {"max_value", "dtype", max_value, "The largest finite value."},
    {"infinity", "dtype='float32'", infinity, "Positive infinity."},
    {"nan", "dtype='float32'", nan_value, "The canonical NaN."},
    {"Broadcast", "value, lanes", broadcast, "The same scalar in every lane."},
    {"make_vector", "lanes", make_vector, "A vector from scalars."},
});

Value astype(Interpreter& interpreter, const Arguments& args) {
  return cast_value(interpreter, args.self, args.type(0), args.span());
}

constexpr auto kExprMethods = std::to_array<BuiltinFunction>({
    {"astype", "dtype", astype, "Converts the value."},
    {"cast", "dtype", astype, "Converts the value."},
});

Value expr_dtype(Interpreter&, const Value& self, Span) {
  return (*self.as<ir::Expr>())->type;
}

Value expr_lanes(Interpreter&, const Value& self, Span) {
  return (*self.as<ir::Expr>())->type.lanes;
}

constexpr auto kExprProperties = std::to_array<Property>({
    {"dtype", expr_dtype, "The type of the value."},
    {"lanes", expr_lanes, "1 for a scalar."},
});

Value dtype_bits(Interpreter&, const Value& self, Span) {
  const ir::Type type = *self.as<ir::Type>();
  return num::bits(type.dtype) * type.lanes;
}

Value dtype_bytes(Interpreter&, const Value& self, Span) {
  const ir::Type type = *self.as<ir::Type>();
  return num::bytes(type.dtype) * type.lanes;
}

Value dtype_lanes(Interpreter&, const Value& self, Span) {
  return self.as<ir::Type>()->lanes;
}

Value dtype_name(Interpreter&, const Value& self, Span) {
  return ir::to_string(*self.as<ir::Type>());
}

constexpr auto kDtypeProperties = std::to_array<Property>({
    {"bits", dtype_bits, "Width in bits."},
    {"itemsize", dtype_bytes, "Width in bytes."},
    {"bytes", dtype_bytes, "Width in bytes."},
    {"lanes", dtype_lanes, "1 for a scalar."},
    {"name", dtype_name, "The name."},
});

Value subscript_let(Interpreter&, const Value& self, const Subscripts& items) {
  const auto* base = self.as<Annotation>();
  if (base->kind != Annotation::Kind::let || items.items.size() != 1) {
    fail(items.span, "this annotation takes no index");
  }
  auto made = annotation(Annotation::Kind::let, items.span);
  const Value& type = items.items[0].value;
  if (const auto* dtype = type.as<ir::Type>()) {
    made->type = *dtype;
  } else if (type.is<Annotation>()) {
    made->type = ir::kHandle;
  } else {
    fail(items.span, "T.let[…] takes a dtype, not {}", kind_name(type));
  }
  return made;
}

}  // namespace

const ObjectType Annotation::kType{.name = "annotation", .subscript = subscript_let};

Value call_dtype(Interpreter& interpreter, ir::Type type, CallArgs args) {
  const Signature signature = parse_signature(ir::to_string(type), "value=");
  const std::string name = args.targets.empty() ? std::string("n") : args.targets.front();
  const Arguments bound(interpreter, signature, Value(), std::move(args));
  const Span span = bound.span();
  if (type.dtype == num::DType::handle) {
    auto made = annotation(Annotation::Kind::handle, span);
    if (bound.has(0)) made->type = bound.type(0);
    return made;
  }
  if (bound.given(0)) return cast_value(interpreter, bound[0], type, span);
  KernelBuilder& builder = interpreter.need_kernel("a symbolic dimension", span);
  if (type.lanes != 1 || !num::is_int(type.dtype)) {
    fail(span, "{}() needs a value", ir::to_string(type));
  }
  if (builder.on_device()) {
    fail_help(span, "a symbolic dimension is declared above T.device_entry()",
              fmt::format("a variable is declared as `x: T.{} = 0`", num::name(type.dtype)));
  }
  return ir::make_var(builder.new_symbol(name, type, span), span);
}

Value subscript_dtype(Interpreter&, ir::Type type, const Subscripts& items) {
  auto made = annotation(Annotation::Kind::array, items.span);
  made->type = type;
  for (const ArgumentValue& item : items.items) made->shape.push_back(item.value);
  if (type.lanes != 1 || type.dtype == num::DType::handle) {
    fail(items.span, "there are no arrays of {}", ir::to_string(type));
  }
  return made;
}

void register_types(Registry& registry) {
  for (const num::DTypeRow& row : num::dtype_rows()) {
    for (const int lanes : {1, 2, 4, 8, 16, 32}) {
      const ir::Type type{row.dtype, static_cast<std::uint16_t>(lanes)};
      registry.add("T", ir::to_string(type), type);
      if (!row.shorthand.empty()) {
        const std::string suffix = lanes == 1 ? "" : fmt::format("x{}", lanes);
        registry.add("T", std::string(row.shorthand) + suffix, type);
      }
    }
  }
  registry.add("T", "let", std::make_shared<Annotation>(Annotation::Kind::let));
  registry.add("T", "constexpr", std::make_shared<Annotation>(Annotation::Kind::constexpr_value));
  registry.add("T", kTypesFunctions);
  registry.add_methods("expr", kExprMethods);
  registry.add_properties("expr", kExprProperties);
  registry.add_properties("pointer", kExprProperties);
  registry.add_properties("dtype", kDtypeProperties);
}

}  // namespace tirx::dsl
