// Statements of thread IR, one C++ statement a line.
#include <algorithm>
#include <limits>

#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/literal.hpp"
#include "backend_cuda/types.hpp"
#include "backend_cuda/walk.hpp"
#include "ir/loop_values.hpp"

namespace tirx::cuda {

namespace {

/// The body of an else-branch that is nothing but another if.
const ir::If* only_if(const ir::Body& body) {
  return body.size() == 1 ? std::get_if<ir::If>(&body[0].node) : nullptr;
}

}  // namespace

void KernelEmitter::line_directive(Span span) {
  if (!options_.line_directives || span.empty() || !kernel_.source) return;
  const std::uint32_t line = kernel_.source->locate(span.begin).line;
  if (line == line_) return;
  line_ = line;
  writer_.line("#line {} {}", line, string_literal(kernel_.source->name()));
}

void KernelEmitter::body(const ir::Body& body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    bool consumed_next = false;
    statement(body[i], i + 1 < body.size() ? &body[i + 1] : nullptr, consumed_next);
    if (consumed_next) ++i;
  }
}

void KernelEmitter::block(const ir::Body& inner) {
  names_.open();
  views_.emplace_back();
  writer_.indent();
  body(inner);
  writer_.dedent();
  views_.pop_back();
  names_.close();
}

void KernelEmitter::statement(const ir::Stmt& stmt, const ir::Stmt* next, bool& consumed_next) {
  line_directive(stmt.span);
  std::visit(ir::Match{
                 [&](const ir::Let& n) { let(n); },
                 [&](const ir::Allocate& n) { consumed_next = allocate(n, next); },
                 [&](const ir::Declare& n) { declare(n); },
                 [&](const ir::Store& n) { store(n); },
                 [&](const ir::For& n) { loop(n); },
                 [&](const ir::While& n) {
                   writer_.line("while ({}) {{", expression(n.condition).text);
                   block(n.body);
                   writer_.line("}}");
                 },
                 [&](const ir::If& n) { branch(n, false); },
                 [&](const ir::Break&) { writer_.line("break;"); },
                 [&](const ir::Continue&) { writer_.line("continue;"); },
                 [&](const ir::Return&) { writer_.line("return;"); },
                 [&](const ir::Assert& n) { check(n); },
                 [&](const ir::Evaluate& n) { evaluate(n.call); },
                 [&](const ir::TileCall&) { TIRX_CHECK(!"no tile call is left after lowering"); },
                 [&](const ir::Group& n) {
                   if (!n.comment.empty()) writer_.line("// {}", comment_line(n.comment));
                   body(n.body);
                 },
             },
             stmt.node);
}

void KernelEmitter::let(const ir::Let& let) {
  const ir::Type type = let.value->type;
  const Text value = expression(let.value);
  // After the value: the new name is not visible in it.
  const std::string name = names_.declare(let.var->name);
  variables_[let.var.get()] = name;
  ranges_.set(let.var, ranges_.of(let.value));
  if (is_data(let.value)) data_.insert(let.var.get());
  if (uses_.variables.count(let.var.get()) == 0 && !calls_machine(let.value)) return;
  const std::string spelled =
      type.dtype == num::DType::handle ? "auto" : "const " + value_type(type);
  writer_.line("{} {} = {};", spelled, name, value.text);
}

bool KernelEmitter::allocate(const ir::Allocate& allocate, const ir::Stmt* next) {
  const ir::Buffer& buffer = allocate.buffer;
  const ir::Storage& storage = *buffer->storage;
  if (ir::is_shared(storage.scope)) {
    shared_storage(storage);
    return false;
  }
  const std::string_view type = element_type(storage.dtype);
  if (buffer->scalar) {
    // `x: T.int32 = 0` comes as two statements.
    const auto* store = next == nullptr ? nullptr : std::get_if<ir::Store>(&next->node);
    if (store != nullptr && store->to.buffer == buffer) {
      const Text value = expression(store->value);
      storages_[&storage] = names_.declare(storage.name);
      const bool constant = uses_.stored_once(&storage);
      if (constant) ranges_.set(storage, ranges_.of(store->value));
      if (constant && is_data(store->value)) data_scalars_.insert(&storage);
      writer_.line("{}{} {} = {};", constant ? "const " : "", type, storages_[&storage],
                   value.text);
      return true;
    }
    storages_[&storage] = names_.declare(storage.name);
    writer_.line("{} {};", type, storages_[&storage]);
    return false;
  }
  std::int64_t elements = 0;
  TIRX_CHECK(storage.elements && ir::is_const_int(storage.elements, elements) && elements >= 1);
  if (num::bits(storage.dtype) == 4) elements = (elements + 1) / 2;
  storages_[&storage] = names_.declare(storage.name);
  const std::string alignment = uses_.vector.count(&storage) != 0 ? "alignas(16) " : "";
  writer_.line("{}{} {}[{}];", alignment, type, storages_[&storage], elements);
  return false;
}

void KernelEmitter::declare(const ir::Declare& declare) {
  const ir::Buffer& buffer = declare.buffer;
  const ir::Storage& storage = *buffer->storage;
  if (uses_.buffers.count(buffer.get()) == 0) return;
  const std::string_view type = element_type(buffer->dtype);
  if (type == element_type(storage.dtype)) return;  // accesses go through the storage itself
  const std::string value = base_pointer(buffer);
  const std::string name = names_.declare(buffer->name);
  views_.back()[buffer.get()] = name;
  writer_.line("auto* {} = {};", name, value);
}

void KernelEmitter::store(const ir::Store& store) {
  const ir::Type type = store.value->type;
  if (!type.is_vector()) {
    TIRX_CHECK(num::bits(type.dtype) != 4);  // lowering refuses what is no whole byte
    writer_.line("{} = {};", element(store.to).text, expression(store.value).text);
    return;
  }
  const auto* load = ir::as<ir::Load>(store.value);
  const std::int64_t bits = std::int64_t{num::bits(type.dtype)} * type.lanes;
  const bool whole = bits >= 8 && bits <= 256 && (bits & (bits - 1)) == 0;
  if (load != nullptr && whole && load->from.stride == 1 && store.to.stride == 1) {
    const std::string to = pointer(store.to).text;
    const std::string from = pointer(load->from).text;
    const std::string copy = fmt::format("tirx_copy_{}(", bits / 8);
    constexpr std::size_t kRoom = 90;
    const bool fits = copy.size() + to.size() + from.size() <= kRoom;
    const std::string separator = fits ? ", " : ",\n" + std::string(copy.size(), ' ');
    writer_.text_line(copy + to + separator + from + ");");
    return;
  }
  const Text value = expression(store.value);
  if (num::bits(type.dtype) == 4) {
    writer_.line("tirx_store_e2m1s({}, {});", pointer(store.to).text, value.text);
    return;
  }
  if (store.to.stride != 1) {
    writer_.line("tirx_scatter({}, {}, {});", pointer(store.to).text, store.to.stride, value.text);
    return;
  }
  writer_.line("tirx_store({}, {});", pointer(store.to).text, value.text);
}

/// Whether the increment past the last value stays in the loop variable's type.  The language never
/// reaches it; in C++ leaving the type there is undefined.
bool KernelEmitter::last_increment_fits(const ir::For& loop, Step step) const {
  const num::DType dtype = loop.var->type.dtype;
  const ir::Interval to = ranges_.of(loop.end);
  const std::uint64_t beyond = step.by - 1;  // how far behind the end it may come
  if (dtype == num::DType::u64) {
    const auto end = to.low < 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(to.high);
    return end <= ~std::uint64_t{0} - beyond;
  }
  const ir::Interval all = ir::values_of(dtype);
  const auto room = step.up
                        ? static_cast<std::uint64_t>(all.high) - static_cast<std::uint64_t>(to.high)
                        : static_cast<std::uint64_t>(to.low) - static_cast<std::uint64_t>(all.low);
  return beyond <= room;
}

/// How the variable of a loop moves; nothing where the step is no constant.
std::optional<KernelEmitter::Step> KernelEmitter::step_of(const ir::For& loop) {
  const ir::Const* bits = ir::as_const(loop.step);
  if (bits == nullptr || bits->bits == 0) return std::nullopt;
  std::int64_t step = 0;
  if (!ir::is_const_int(loop.step, step)) return Step{true, bits->bits};  // a large uint64
  const auto size = static_cast<std::uint64_t>(step);
  return Step{step > 0, step > 0 ? size : std::uint64_t{0} - size};
}

/// The values of the variable of a loop.
ir::Interval KernelEmitter::range_of(const ir::For& loop) const {
  ir::Interval from = ranges_.of(loop.begin);
  const ir::Interval to = ranges_.of(loop.end);
  if (loop.var->type.dtype == num::DType::u64) {
    if (to.low < 0) return ir::values_of(num::DType::u64);
    from.low = std::max<std::int64_t>(from.low, 0);
  }
  std::int64_t step = 0;
  // A step that int64 does not hold is one of a uint64, and takes one trip.
  if (!ir::is_const_int(loop.step, step)) step = std::numeric_limits<std::int64_t>::max();
  return ir::loop_values(from, to, step);
}

void KernelEmitter::loop(const ir::For& loop) {
  const std::string type = value_type(loop.var->type);
  const auto hoisted = [&](const ir::Expr& expr, std::string_view name) -> std::string {
    const std::string value = expression(expr).text;
    const std::string spelled = names_.declare(loop.var->name + std::string(name));
    writer_.line("const {} {} = {};", type, spelled, value);
    return spelled;
  };
  const std::optional<Step> step = step_of(loop);
  if (!step) {
    fail(loop.step->span, "the step of a loop must be a constant other than 0");
    return;
  }
  const auto [up, by] = *step;
  const bool counts_trips = !last_increment_fits(loop, *step);
  std::int64_t constant = 0;
  const bool constant_begin = ir::is_const_int(loop.begin, constant);
  const bool plain_begin = constant_begin || ir::as<ir::VarRef>(loop.begin) != nullptr;
  const std::string begin =
      counts_trips && !plain_begin ? hoisted(loop.begin, "_begin") : expression(loop.begin).text;
  // C++ evaluates the condition each time; the language, once.
  const std::string end = counts_trips ? expression(loop.end).text
                          : is_stable(loop.end)
                              ? operand(expression(loop.end), Precedence::additive)
                              : hoisted(loop.end, "_end");
  const bool wide = num::bits(loop.var->type.dtype) == 64;
  const std::string count = wide ? "unsigned long long" : "unsigned";
  const std::string suffix = wide ? "ull" : "u";
  std::string trips;
  if (counts_trips) {
    trips = names_.declare(loop.var->name + "_trips");
    writer_.line("const {} {} = tirx_trips_{}<{}>({}, {}, {}{});", count, trips, up ? "up" : "down",
                 type, begin, end, by, suffix);
  }
  names_.open();
  const std::string trip = counts_trips ? names_.declare(loop.var->name + "_trip") : "";
  const std::string name = names_.declare(loop.var->name);
  variables_[loop.var.get()] = name;
  ranges_.set(loop.var, range_of(loop));
  if (loop.kind == ir::LoopKind::unroll || loop.kind == ir::LoopKind::vectorized ||
      loop.unroll < 0) {
    writer_.line("#pragma unroll");
  } else if (loop.unroll > 0) {
    writer_.line("#pragma unroll {}", loop.unroll);
  }
  if (counts_trips) {
    writer_.line("for ({} {} = 0; {} < {}; ++{}) {{", count, trip, trip, trips, trip);
    if (uses_.variables.count(loop.var.get()) != 0) {
      const bool from_zero = constant_begin && constant == 0 && up;
      const std::string start = from_zero ? "" : begin + (up ? " + " : " - ");
      writer_.indent();
      writer_.line("const {} {} = {}{} * {}{};", type, name, start, trip, by, suffix);
      writer_.dedent();
    }
  } else {
    const std::string sign = up ? "+" : "-";
    // A decimal number without a suffix is signed.
    const bool is_signed = by <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    const std::string advance =
        by == 1 ? sign + sign + name
                : fmt::format("{} {}= {}{}", name, sign, by, is_signed ? "" : suffix);
    writer_.line("for ({} {} = {}; {} {} {}; {}) {{", type, name, begin, name, up ? "<" : ">", end,
                 advance);
  }
  block(loop.body);
  writer_.line("}}");
  names_.close();
}

void KernelEmitter::branch(const ir::If& branch, bool is_else_if) {
  writer_.line("{}if ({}) {{", is_else_if ? "} else " : "", expression(branch.condition).text);
  block(branch.then_body);
  if (branch.else_body.empty()) {
    writer_.line("}}");
  } else if (const ir::If* inner = only_if(branch.else_body)) {
    this->branch(*inner, true);
  } else {
    writer_.line("}} else {{");
    block(branch.else_body);
    writer_.line("}}");
  }
}

void KernelEmitter::check(const ir::Assert& check) {
  const std::string comment = check.message.empty() ? "" : "  // " + comment_line(check.message);
  writer_.line("if ({}) __trap();{}", unary("!", expression(check.condition)).text, comment);
}

void KernelEmitter::evaluate(const ir::Expr& call) {
  const std::string text = expression(call).text;
  if (!text.empty()) writer_.line("{};", text);
}

}  // namespace tirx::cuda
