// Expressions as text: the operators of the language where it has them (precedence as in Python),
// T.name(…) for the rest.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/base/precedence.hpp"
#include "ir/equal.hpp"
#include "ir/print.hpp"
#include "ir/ptx/instruction.hpp"
#include "numerics/text.hpp"

namespace tirx::ir {

namespace {

struct Operator {
  std::string_view text;
  Precedence precedence;
};

std::optional<Operator> infix(num::ScalarOp op) {
  using num::ScalarOp;
  switch (op) {
    case ScalarOp::add:
      return Operator{"+", kSum};
    case ScalarOp::sub:
      return Operator{"-", kSum};
    case ScalarOp::mul:
      return Operator{"*", kProduct};
    case ScalarOp::div:
      return Operator{"/", kProduct};
    case ScalarOp::floordiv:
      return Operator{"//", kProduct};
    case ScalarOp::floormod:
      return Operator{"%", kProduct};
    case ScalarOp::eq:
      return Operator{"==", kCompare};
    case ScalarOp::ne:
      return Operator{"!=", kCompare};
    case ScalarOp::lt:
      return Operator{"<", kCompare};
    case ScalarOp::le:
      return Operator{"<=", kCompare};
    case ScalarOp::gt:
      return Operator{">", kCompare};
    case ScalarOp::ge:
      return Operator{">=", kCompare};
    case ScalarOp::bit_and:
      return Operator{"&", kBitAnd};
    case ScalarOp::bit_or:
      return Operator{"|", kBitOr};
    case ScalarOp::bit_xor:
      return Operator{"^", kBitXor};
    case ScalarOp::shl:
      return Operator{"<<", kShift};
    case ScalarOp::shr:
      return Operator{">>", kShift};
    default:
      return std::nullopt;
  }
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

class ExprPrinter {
 public:
  ExprPrinter(PrintLevel level, const PrintNames& names) : level_(level), names_(names) {}

  /// The text, in parentheses if it binds more weakly than `least`.
  std::string print(const Expr& expr, int least) const {
    int own = kAtom;
    std::string text =
        std::visit([&](const auto& node) { return show(*expr, node, own); }, expr->node);
    return own < least ? fmt::format("({})", text) : text;
  }

  std::string list(const std::vector<Expr>& exprs) const {
    std::string out;
    for (const Expr& expr : exprs) {
      if (!out.empty()) out += ", ";
      out += print(expr, kAny);
    }
    return out;
  }

  std::string access(const Access& access, int lanes) const {
    const BufferNode& buffer = *access.buffer;
    const std::string name = names_.buffer(buffer);
    if (buffer.scalar) return name;
    if (level_ == PrintLevel::thread && access.flat) {
      const std::string flat = print(access.flat, kAny);
      if (lanes == 1) return fmt::format("{}.flat[{}]", name, flat);
      const std::string step = access.stride == 1 ? "" : fmt::format(":{}", access.stride);
      return fmt::format("{}.flat[{}:+{}{}]", name, flat, lanes, step);
    }
    if (lanes == 1) return fmt::format("{}[{}]", name, list(access.indices));
    if (access.stride == 1) {
      return fmt::format("{}.vload([{}], dtype=\"{}\")", name, list(access.indices),
                         to_string(Type{buffer.dtype, static_cast<std::uint16_t>(lanes)}));
    }
    return fmt::format("{}[{}]", name, stepped(access, lanes));
  }

  /// Indices whose last one is a stepped slice.
  std::string stepped(const Access& access, int lanes) const {
    std::vector<Expr> outer = access.indices;
    const Expr last = outer.back();
    outer.pop_back();
    std::string out = list(outer);
    if (!out.empty()) out += ", ";
    const std::string begin = print(last, kAny);
    std::int64_t value = 0;
    const std::int64_t reach = lanes * access.stride;
    const std::string end = is_const_int(last, value)
                                ? std::to_string(value + reach)
                                : fmt::format("{} + {}", print(last, kSum), reach);
    return fmt::format("{}{}:{}:{}", out, begin, end, access.stride);
  }

 private:
  static std::optional<num::DType> signed_of_width(int bits) {
    for (const num::DType dtype :
         {num::DType::i8, num::DType::i16, num::DType::i32, num::DType::i64}) {
      if (num::bits(dtype) == bits) return dtype;
    }
    return std::nullopt;
  }

  static std::string show(const ExprNode& node, const Const& literal, int& own) {
    const num::DType dtype = node.type.dtype;
    const std::string text = num::to_text(literal.bits, dtype);
    if (dtype == num::DType::boolean) return text;
    if (dtype == num::DType::i32) {
      if (text[0] == '-') own = kSign;
      return text;
    }
    const bool number = text.find_first_of("0123456789") != std::string::npos;
    // No literal spells a NaN with other bits than nan's, or an integer beyond the host's 64 bits.
    const bool beyond = dtype == num::DType::u64 && literal.bits >> 63U != 0;
    if (beyond || num::from_text(text, dtype) != literal.bits) {
      if (const auto carrier = signed_of_width(num::bits(dtype)))
        return fmt::format("T.reinterpret(\"{}\", T.{}({}))", num::name(dtype), num::name(*carrier),
                           num::to_text(literal.bits, *carrier));
    }
    return fmt::format("T.{}({})", num::name(dtype), number ? text : quoted(text));
  }

  std::string show(const ExprNode&, const VarRef& ref, int&) const {
    return names_.variable(*ref.var);
  }

  std::string show(const ExprNode&, const Scalar& node, int& own) const {
    if (const auto op = infix(node.op)) {
      own = op->precedence;
      // Comparisons chain in Python, so neither side may be a bare comparison.
      const int left = op->precedence == kCompare ? own + 1 : own;
      return fmt::format("{} {} {}", print(node.args[0], left), op->text,
                         print(node.args[1], own + 1));
    }
    if (level_ == PrintLevel::thread &&
        (node.op == num::ScalarOp::truncdiv || node.op == num::ScalarOp::truncmod)) {
      // Offsets divide what is not negative, where C's and Python's quotients are the same.
      own = kProduct;
      return fmt::format("{} {} {}", print(node.args[0], own),
                         node.op == num::ScalarOp::truncdiv ? "//" : "%",
                         print(node.args[1], own + 1));
    }
    if (node.op == num::ScalarOp::neg) {
      own = kSign;
      return fmt::format("-{}", print(node.args[0], kSign));
    }
    if (node.op == num::ScalarOp::bit_not) {
      own = kSign;
      return fmt::format("~{}", print(node.args[0], kSign));
    }
    if (node.op == num::ScalarOp::logical_not) {
      own = kNot;
      return fmt::format("not {}", print(node.args[0], kNot));
    }
    return fmt::format("T.{}({})", num::name(node.op), list(node.args));
  }

  std::string show(const ExprNode& node, const Cast& cast, int&) const {
    return fmt::format("T.cast({}, \"{}\")", print(cast.value, kAny), to_string(node.type));
  }

  std::string show(const ExprNode& node, const Reinterpret& cast, int&) const {
    return fmt::format("T.reinterpret({}, \"{}\")", print(cast.value, kAny), to_string(node.type));
  }

  std::string show(const ExprNode&, const Select& node, int&) const {
    return fmt::format("T.Select({}, {}, {})", print(node.condition, kAny),
                       print(node.when_true, kAny), print(node.when_false, kAny));
  }

  std::string show(const ExprNode&, const IfThenElse& node, int&) const {
    return fmt::format("T.if_then_else({}, {}, {})", print(node.condition, kAny),
                       print(node.when_true, kAny), print(node.when_false, kAny));
  }

  std::string show(const ExprNode&, const And& node, int& own) const {
    own = kAnd;
    return fmt::format("{} and {}", print(node.left, kAnd), print(node.right, kAnd + 1));
  }

  std::string show(const ExprNode&, const Or& node, int& own) const {
    own = kOr;
    return fmt::format("{} or {}", print(node.left, kOr), print(node.right, kOr + 1));
  }

  std::string show(const ExprNode& node, const Load& load, int&) const {
    return access(load.from, node.type.lanes);
  }

  std::string show(const ExprNode&, const AddressOf& node, int&) const {
    if (level_ == PrintLevel::thread) return fmt::format("&{}", access(node.element, 1));
    return fmt::format("{}.ptr_to([{}])", names_.buffer(*node.element.buffer),
                       list(node.element.indices));
  }

  std::string show(const ExprNode& node, const MachineCall& call, int&) const {
    const OpSpec& facts = spec(call.op);
    const auto join = [](std::string a, const std::string& b) {
      return a.empty() ? b : b.empty() ? a : a + ", " + b;
    };
    std::string args = list(call.args);
    if (facts.ptx != nullptr) {
      const auto instruction = ptx::decode(call);
      const bool all = node.type != instruction->value_type(false);
      const std::string_view form = node.type.is_void() ? "" : all ? ".values" : ".value";
      // In the order of the ISA: behind an optional operand a required one may follow (bar.red).
      std::vector<Expr> inputs;
      for (const ptx::Operand& operand : instruction->operands) {
        if (operand.kind != ptx::Operand::Kind::output && operand.at < call.args.size())
          inputs.push_back(call.args[operand.at]);
      }
      return fmt::format("T.ptx[{}]{}({})", quoted(call.text), form, list(inputs));
    }
    if (call.op == AllOps::id_of<RawCudaCall>()) {
      // The text is the function's name, a newline, and its source.
      const std::size_t newline = std::min(call.text.find('\n'), call.text.size());
      args = join(quoted(call.text.substr(0, newline)), args);
      args += ", source_code=" + quoted(call.text.substr(std::min(newline + 1, call.text.size())));
      if (!node.type.is_void()) args += fmt::format(", return_type=\"{}\"", to_string(node.type));
    } else if (call.op == AllOps::id_of<Printf>()) {
      args = join(quoted(call.text), args);
    } else if (call.op == AllOps::id_of<PrintBuffer>() && level_ == PrintLevel::tile) {
      const auto* pointer = as<AddressOf>(call.args[0]);
      args = pointer != nullptr ? names_.buffer(*pointer->element.buffer) : args;
    } else if (facts.name.starts_with("cuda.atomic_")) {
      // "SEMANTICS.SCOPE", relaxed.gpu unless said otherwise.
      const std::size_t dot = std::min(call.text.find('.'), call.text.size());
      const std::string semantics = call.text.substr(0, dot);
      const std::string scope = call.text.substr(std::min(dot + 1, call.text.size()));
      if (!semantics.empty() && semantics != "relaxed") args += ", sem=" + quoted(semantics);
      if (!scope.empty() && scope != "gpu") args += ", scope=" + quoted(scope);
    } else if (call.op == AllOps::id_of<LoadAcquire>() ||
               call.op == AllOps::id_of<StoreRelease>()) {
      // "acquire.SCOPE" and "release.SCOPE": the first half is in the name.
      const std::string scope =
          call.text.substr(std::min(call.text.find('.') + 1, call.text.size()));
      if (!scope.empty() && scope != "gpu") args = join(args, "scope=" + quoted(scope));
    } else if (!call.text.empty()) {
      args = join(args, quoted(call.text));
    }
    return fmt::format("T.{}({})", facts.name, args);
  }

  std::string show(const ExprNode&, const MakeVector& node, int&) const {
    return fmt::format("T.make_vector([{}])", list(node.lanes));
  }

  std::string show(const ExprNode& node, const Broadcast& broadcast, int&) const {
    return fmt::format("T.Broadcast({}, {})", print(broadcast.value, kAny), node.type.lanes);
  }

  std::string show(const ExprNode&, const Extract& node, int&) const {
    return fmt::format("{}[{}]", print(node.vector, kAtom), node.lane);
  }

  PrintLevel level_;
  const PrintNames& names_;
};

const PrintNames& plain_names() {
  static const PrintNames kNames{[](const Variable& var) { return var.name; },
                                 [](const BufferNode& buffer) { return buffer.name; }};
  return kNames;
}

}  // namespace

std::string to_string(const Expr& expr, PrintLevel level) {
  return to_string(expr, level, plain_names());
}

std::string to_string(const Expr& expr, PrintLevel level, const PrintNames& names) {
  return expr ? ExprPrinter(level, names).print(expr, kAny) : std::string();
}

std::string to_string(const Access& access, int lanes, PrintLevel level, const PrintNames& names) {
  return ExprPrinter(level, names).access(access, lanes);
}

std::string to_string(const Region& region, const PrintNames& names) {
  const ExprPrinter printer(PrintLevel::tile, names);
  std::string out;
  for (const Range& range : region.ranges) {
    if (!out.empty()) out += ", ";
    std::int64_t begin = 0;
    std::int64_t extent = 0;
    std::int64_t end = 0;
    const bool fixed = is_const_int(range.extent, extent) && is_const_int(range.begin, begin);
    if (fixed && !__builtin_add_overflow(begin, extent, &end)) {
      out += fmt::format("{}:{}", begin, end);
    } else {
      // An end that the script names is no sum.
      const auto* length = as<Scalar>(range.extent);
      if (length != nullptr && length->op == num::ScalarOp::sub &&
          same_expr(length->args[1], range.begin)) {
        out += fmt::format("{}:{}", printer.print(range.begin, kAny),
                           printer.print(length->args[0], kAny));
        continue;
      }
      std::int64_t zero = 1;
      const bool from_zero = is_const_int(range.begin, zero) && zero == 0;
      out += from_zero ? fmt::format("0:{}", printer.print(range.extent, kAny))
                       : fmt::format("{}:{} + {}", printer.print(range.begin, kAny),
                                     printer.print(range.begin, kSum),
                                     printer.print(range.extent, kSum + 1));
    }
  }
  return fmt::format("{}[{}]", names.buffer(*region.buffer), out);
}

std::string to_string(const Region& region) {
  return to_string(region, plain_names());
}

}  // namespace tirx::ir
