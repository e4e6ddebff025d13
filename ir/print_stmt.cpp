// Statements as text.  At tile level every line parses back; views that the front end made without
// a statement (A.view(…), A.local(…)) are declared where they are first used.  At thread level the
// same style shows flat offsets.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ir/gemm_scales.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/print.hpp"
#include "ir/simplify.hpp"
#include "ir/visit.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::ir {

namespace {

/// Words that are no names, and the names that the printed header binds.
bool is_reserved(const std::string& name) {
  static const std::set<std::string> kWords{
      "False",  "None",     "True",   "and",   "as",         "assert",       "break",
      "class",  "continue", "def",    "del",   "elif",       "else",         "except",
      "for",    "from",     "global", "if",    "import",     "in",           "is",
      "lambda", "nonlocal", "not",    "or",    "pass",       "raise",        "return",
      "try",    "while",    "with",   "yield", "T",          "Tx",           "S",
      "R",      "range",    "slice",  "tirx",  "TileLayout", "ComposeLayout"};
  return kWords.contains(name);
}

std::string quoted_text(std::string_view text) {
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

bool is_default_strides(const BufferNode& buffer) {
  const Facts facts;
  IndexSum expected = 1;
  for (std::size_t i = buffer.shape.size(); i-- > 0;) {
    if (!(IndexSum::of(buffer.strides[i], facts) == expected)) return false;
    expected = expected.times(IndexSum::of(buffer.shape[i], facts));
  }
  return true;
}

bool all_constant(const std::vector<Expr>& exprs) {
  return std::all_of(exprs.begin(), exprs.end(),
                     [](const Expr& e) { return as_const(e) != nullptr; });
}

/// "TileLayout(S[(8, 4):(4, 1)])", or empty if it is what the shape gives by itself.
std::string layout_argument(const BufferNode& buffer) {
  if (!buffer.layout) return {};
  if (const auto shape = static_shape(buffer); shape && !buffer.layout->swizzle) {
    const auto plain = TileLayout::row_major(*shape);
    if (plain && *plain == buffer.layout->tile) return {};
  }
  const std::string text = to_string(*buffer.layout);
  return buffer.layout->swizzle ? text : fmt::format("TileLayout({})", text);
}

}  // namespace

struct BodyPrinter::State {
  Writer& out;
  PrintLevel level;
  PrintNames names;
  std::map<const void*, std::string> given;
  std::set<std::string> taken;
  std::map<const Storage*, Buffer> owners;  // the buffer that allocated a storage

  State(Writer& writer, PrintLevel print_level) : out(writer), level(print_level) {
    names.variable = [this](const Variable& var) {
      const auto found = given.find(&var);
      return found == given.end() ? var.name : found->second;
    };
    names.buffer = [this](const BufferNode& buffer) {
      const auto found = given.find(&buffer);
      return found == given.end() ? buffer.name : found->second;
    };
  }

  std::string give(const void* key, std::string name) {
    if (name.empty() || name == "_") name = "v";
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "v" + name;
    std::string candidate = name;
    for (int i = 1; taken.contains(candidate) || is_reserved(candidate); ++i) {
      candidate = fmt::format("{}_{}", name, i);
    }
    taken.insert(candidate);
    given[key] = candidate;
    return candidate;
  }
};

BodyPrinter::BodyPrinter(Writer& writer, PrintLevel level)
    : state_(std::make_unique<State>(writer, level)) {}

BodyPrinter::~BodyPrinter() = default;

const PrintNames& BodyPrinter::names() const {
  return state_->names;
}

void BodyPrinter::reserve(const std::string& name) {
  state_->taken.insert(name);
}

std::string BodyPrinter::declare(const Var& var, const std::string& as) {
  if (as.empty()) return state_->give(var.get(), var->name);
  state_->given[var.get()] = as;
  return as;
}

std::string BodyPrinter::declare(const Buffer& buffer) {
  state_->owners.emplace(buffer->storage.get(), buffer);
  return state_->give(buffer.get(), buffer->name);
}

std::string BodyPrinter::text(const Expr& expr) const {
  return to_string(expr, state_->level, state_->names);
}

std::string BodyPrinter::buffer_arguments(const BufferNode& buffer,
                                          bool parameter,
                                          const std::vector<std::string>& dims) {
  const auto tuple = [](const std::vector<std::string>& items) {
    return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
  };
  const auto texts = [&](const std::vector<Expr>& exprs) {
    std::vector<std::string> out;
    for (const Expr& expr : exprs) out.push_back(text(expr));
    return out;
  };
  std::string out = fmt::format("{}, \"{}\"", tuple(dims.empty() ? texts(buffer.shape) : dims),
                                num::name(buffer.dtype));
  if (!parameter && !buffer.is_view) {
    out += fmt::format(", scope=\"{}\"", to_string(buffer.scope()));
  }
  if (!buffer.is_view && buffer.storage->alignment != Storage{}.alignment) {
    out += fmt::format(", align={}", buffer.storage->alignment);
  }
  if (!buffer.strides.empty() && (all_constant(buffer.shape) || !is_default_strides(buffer))) {
    out += fmt::format(", strides={}", tuple(texts(buffer.strides)));
  }
  if (const std::string layout = layout_argument(buffer); !layout.empty()) {
    out += fmt::format(", layout={}", layout);
  } else if (!buffer.layout && buffer.strides.empty()) {
    out += ", layout=None";
  }
  if (parameter && buffer.offset) out += fmt::format(", elem_offset={}", text(buffer.offset));
  return out;
}

namespace {

class StmtPrinter {
 public:
  StmtPrinter(BodyPrinter& printer, Writer& out, PrintLevel level)
      : p_(printer), out_(out), level_(level) {}

  struct Scope {
    std::set<std::string> taken;
    std::set<const BufferNode*> views;
  };

  void body(const Body& body,
            std::set<std::string>& taken,
            std::map<const Storage*, Buffer>& owners) {
    if (body.empty()) {
      out_.line("pass");
      return;
    }
    const std::set<std::string> names_before = taken;
    const std::set<const BufferNode*> views_before = views_;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (level_ == PrintLevel::tile) declare_views(body[i], owners);
      // `x: T.int32 = 0` is an allocation and a store.
      if (i + 1 < body.size() && scalar_with_value(body[i], body[i + 1])) {
        ++i;
        continue;
      }
      stmt(body[i], taken, owners);
    }
    taken = names_before;  // names end with their body
    views_ = views_before;
  }

 private:
  static const Buffer* local_scalar(const Stmt& stmt) {
    const auto* allocate = std::get_if<Allocate>(&stmt.node);
    const bool scalar = allocate != nullptr && allocate->buffer->scalar &&
                        allocate->buffer->scope() == MemoryScope::local;
    return scalar ? &allocate->buffer : nullptr;
  }

  bool scalar_with_value(const Stmt& first, const Stmt& second) {
    const Buffer* scalar = local_scalar(first);
    const auto* store = std::get_if<Store>(&second.node);
    if (scalar == nullptr || store == nullptr || store->to.buffer != *scalar) return false;
    bool uses_itself = false;
    bool uses_view = false;
    for_each_expr(store->value, [&](const Expr& e) {
      const auto* load = as<Load>(e);
      const auto* pointer = as<AddressOf>(e);
      const BufferNode* buffer = load != nullptr      ? load->from.buffer.get()
                                 : pointer != nullptr ? pointer->element.buffer.get()
                                                      : nullptr;
      if (buffer == nullptr) return;
      uses_itself = uses_itself || buffer == scalar->get();
      uses_view = uses_view || (buffer->is_view && !views_.contains(buffer));
    });
    if (uses_itself || uses_view) return false;
    const std::string value = p_.text(store->value);
    const std::string name = p_.declare(*scalar);
    out_.line("{}: T.{} = {}", name, num::name((*scalar)->dtype), value);
    return true;
  }

  /// Whether the view is its owner in another dtype, and nothing else.
  static bool is_cast(const BufferNode& view, const BufferNode& owner) {
    const int from = num::storage_bits(owner.dtype), to = num::storage_bits(view.dtype);
    if (from == to || !view.layout || !owner.layout) return false;
    const auto layout =
        to > from ? pack(*owner.layout, to / from) : unpack(*owner.layout, from / to);
    return layout.ok() && layout.value() == *view.layout;
  }

  void declare_view(const Buffer& buffer, std::map<const Storage*, Buffer>& owners) {
    if (!buffer || !buffer->is_view || !views_.insert(buffer.get()).second) return;
    const auto owner = owners.find(buffer->storage.get());
    if (owner == owners.end()) return;  // the verifier's matter
    const bool spread = owner->second->layout && owner->second->layout->tile.has_thread_axes();
    if (spread && !buffer->offset) {
      // A tile that is spread over threads has no common offsets: this is a thread's own part, or
      // the same tile in another dtype or layout.
      const bool own_part = !buffer->layout || !buffer->layout->tile.has_thread_axes();
      std::string arguments;
      for (const Expr& extent : buffer->shape) {
        arguments += (arguments.empty() ? "" : ", ") + p_.text(extent);
      }
      if (const std::string layout = layout_argument(*buffer); !layout.empty()) {
        arguments += fmt::format(", layout={}", layout);
      }
      const std::string base = p_.names().buffer(*owner->second);
      const std::string cast = fmt::format("view(\"{}\")", num::name(buffer->dtype));
      if (!own_part && is_cast(*buffer, *owner->second)) {
        out_.line("{} = {}.{}", p_.declare(buffer), base, cast);
        return;
      }
      const bool other = !own_part && buffer->dtype != owner->second->dtype;
      out_.line("{} = {}{}.{}({})", p_.declare(buffer), base, other ? "." + cast : "",
                own_part ? "local" : "view", arguments);
      return;
    }
    std::string arguments = p_.buffer_arguments(*buffer, false);
    arguments += fmt::format(", data={}.data", p_.names().buffer(*owner->second));
    const BufferNode& base = *owner->second;
    if (buffer->offset) {
      Expr offset = buffer->offset;
      if (base.offset && base.dtype == buffer->dtype) {
        const Facts facts;
        offset = IndexSum::of(offset, facts)
                     .plus(IndexSum::of(base.offset, facts).times(-1))
                     .to_expr(offset->type);
      }
      std::int64_t zero = 1;
      if (!is_const_int(offset, zero) || zero != 0) {
        arguments += fmt::format(", elem_offset={}", p_.text(offset));
      }
    }
    out_.line("{} = T.decl_buffer({})", p_.declare(buffer), arguments);
  }

  void declare_views(const Stmt& stmt, std::map<const Storage*, Buffer>& owners) {
    const auto access = [&](const Access& a) { declare_view(a.buffer, owners); };
    if (const auto* store = std::get_if<Store>(&stmt.node)) access(store->to);
    if (const auto* call = std::get_if<TileCall>(&stmt.node)) {
      for (const TileOperand& operand : call->operands) {
        if (const auto* region = std::get_if<Region>(&operand))
          declare_view(region->buffer, owners);
      }
    }
    for_each_operand(stmt, [&](const Expr& operand) {
      for_each_expr(operand, [&](const Expr& e) {
        if (const auto* load = as<Load>(e)) access(load->from);
        if (const auto* pointer = as<AddressOf>(e)) access(pointer->element);
      });
    });
  }

  void nested(const Body& inner,
              std::set<std::string>& taken,
              std::map<const Storage*, Buffer>& owners) {
    const Indented indented(out_);
    body(inner, taken, owners);
  }

  void store(const Store& store) {
    const int lanes = store.value->type.lanes;
    const std::string value = p_.text(store.value);
    if (lanes > 1 && level_ == PrintLevel::tile && store.to.stride == 1) {
      std::string indices;
      for (const Expr& index : store.to.indices) {
        indices += (indices.empty() ? "" : ", ") + p_.text(index);
      }
      out_.line("{}.vstore([{}], {})", p_.names().buffer(*store.to.buffer), indices, value);
      return;
    }
    out_.line("{} = {}", to_string(store.to, lanes, level_, p_.names()), value);
  }

  void loop(const For& loop,
            std::set<std::string>& taken,
            std::map<const Storage*, Buffer>& owners) {
    const std::set<std::string> before = taken;
    const std::string begin = p_.text(loop.begin);
    const std::string end = p_.text(loop.end);
    const std::string step = loop.step ? p_.text(loop.step) : "1";
    const std::string name = p_.declare(loop.var);
    const bool plain =
        loop.kind == LoopKind::serial && loop.unroll == 0 && loop.var->type == kInt32;
    std::string bounds = begin == "0" ? end : fmt::format("{}, {}", begin, end);
    if (step != "1") {
      bounds = plain ? fmt::format("{}, {}, {}", begin, end, step)
                     : fmt::format("{}, {}, step={}", begin, end, step);
    }
    if (plain) {
      out_.line("for {} in range({}):", name, bounds);
    } else {
      constexpr std::array kKinds{"serial", "unroll", "vectorized", "parallel"};
      std::string extra;
      if (loop.unroll == -1) extra = ", unroll=True";
      if (loop.unroll == 1) extra = ", unroll=False";
      if (loop.unroll > 1) extra = fmt::format(", unroll={}", loop.unroll);
      if (loop.var->type != kInt32) {
        extra += fmt::format(", dtype=\"{}\"", to_string(loop.var->type));
      }
      out_.line("for {} in T.{}({}{}):", name, kKinds[static_cast<std::size_t>(loop.kind)], bounds,
                extra);
    }
    nested(loop.body, taken, owners);
    taken = before;
  }

  std::string config(const ConfigValue& value) {
    return std::visit(Match{
                          [](bool v) -> std::string { return v ? "True" : "False"; },
                          [](std::int64_t v) { return std::to_string(v); },
                          [](double v) {
                            std::string text = fmt::format("{}", v);
                            return text.find_first_of(".en") == std::string::npos ? text + ".0"
                                                                                  : text;
                          },
                          [](const std::string& v) { return quoted_text(v); },
                          [](const std::vector<std::int64_t>& v) {
                            std::string out;
                            for (const std::int64_t n : v)
                              out += (out.empty() ? "" : ", ") + std::to_string(n);
                            return fmt::format("({}{})", out, v.size() == 1 ? "," : "");
                          },
                          [&](const Expr& v) { return p_.text(v); },
                      },
                      value);
  }

  void tile_call(const TileCall& call) {
    std::string args;
    const auto add = [&](const std::string& text) { args += (args.empty() ? "" : ", ") + text; };
    bool skipped = false;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      std::string text;
      if (const auto* region = std::get_if<Region>(&call.operands[i])) {
        text = to_string(*region, p_.names());
      } else if (const auto* value = std::get_if<Expr>(&call.operands[i])) {
        if (i + 1 == call.operands.size() && !call.index_vars.empty()) {
          std::string names;
          for (const Var& var : call.index_vars) {
            names += (names.empty() ? "" : ", ") + p_.declare(var);
          }
          text = fmt::format("lambda {}: {}", names, p_.text(*value));
        } else {
          text = p_.text(*value);
        }
      } else {
        skipped = true;
        continue;
      }
      const bool keyword = call.op == TileOp::gemm && i >= kFirstGemmScale;
      std::string name(keyword ? kGemmScales[i - kFirstGemmScale] : spec(call.op).operands[i]);
      if (!name.empty() && name.back() == '?') name.pop_back();
      add(skipped || keyword ? fmt::format("{}={}", name, text) : text);
    }
    for (const auto& [key, value] : call.config) add(fmt::format("{}={}", key, config(value)));
    if (!call.dispatch.empty()) add(fmt::format("dispatch={}", quoted_text(call.dispatch)));
    const std::string scope =
        call.scope == ExecScope::thread ? std::string() : fmt::format(".{}", name_of(call.scope));
    out_.line("Tx{}.{}({})", scope, spec(call.op).name, args);
  }

  void allocate(const Allocate& node) {
    const BufferNode& buffer = *node.buffer;
    if (buffer.scalar && buffer.scope() == MemoryScope::local) {
      out_.line("{}: T.{}", p_.declare(node.buffer), num::name(buffer.dtype));
      return;
    }
    if (buffer.scalar) {
      out_.line("{} = T.alloc_scalar(\"{}\", scope=\"{}\")", p_.declare(node.buffer),
                num::name(buffer.dtype), to_string(buffer.scope()));
      return;
    }
    const std::string arguments = p_.buffer_arguments(buffer, false);
    out_.line("{} = T.alloc_buffer({})", p_.declare(node.buffer), arguments);
  }

  void stmt(const Stmt& stmt,
            std::set<std::string>& taken,
            std::map<const Storage*, Buffer>& owners) {
    std::visit(Match{
                   [&](const Let& node) {
                     const std::string value = p_.text(node.value);
                     const std::string name = p_.declare(node.var);
                     out_.line("{}: T.let[T.{}] = {}", name, to_string(node.var->type), value);
                   },
                   [&](const Allocate& node) { allocate(node); },
                   [&](const Declare& node) {
                     if (level_ == PrintLevel::tile) declare_view(node.buffer, owners);
                   },
                   [&](const Store& node) { store(node); },
                   [&](const For& node) { loop(node, taken, owners); },
                   [&](const While& node) {
                     out_.line("while {}:", p_.text(node.condition));
                     nested(node.body, taken, owners);
                   },
                   [&](const If& node) {
                     out_.line("if {}:", p_.text(node.condition));
                     nested(node.then_body, taken, owners);
                     if (node.else_body.empty()) return;
                     out_.line("else:");
                     nested(node.else_body, taken, owners);
                   },
                   [&](const Break&) { out_.line("break"); },
                   [&](const Continue&) { out_.line("continue"); },
                   [&](const Return&) { out_.line("return"); },
                   [&](const Assert& node) {
                     const std::string condition = p_.text(node.condition);
                     if (node.message.empty()) {
                       out_.line("assert {}", condition);
                     } else {
                       out_.line("assert {}, {}", condition, quoted_text(node.message));
                     }
                   },
                   [&](const Evaluate& node) { out_.line("{}", p_.text(node.call)); },
                   [&](const TileCall& node) { tile_call(node); },
                   [&](const Group& node) {
                     if (!node.comment.empty()) out_.line("# {}", node.comment);
                     if (!node.body.empty()) body(node.body, taken, owners);
                   },
               },
               stmt.node);
  }

  BodyPrinter& p_;
  Writer& out_;
  PrintLevel level_;
  std::set<const BufferNode*> views_;
};

}  // namespace

void BodyPrinter::print(const Body& body) {
  StmtPrinter(*this, state_->out, state_->level).body(body, state_->taken, state_->owners);
}

}  // namespace tirx::ir
