// Views of the same storage: other shapes (view), other dtypes, the part of one thread (local),
// other orders of the dimensions (permute, rearrange).
#include "dsl/eval/views.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/views_slice.hpp"
#include "ir/layout/algebra.hpp"
#include "numerics/dtype.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

const ir::Buffer& buffer_of(const Arguments& args) {
  return *args.self.as<ir::Buffer>();
}

ir::Expr product(const std::vector<ir::Expr>& shape, Span span) {
  ir::Expr out = ir::make_int(1, ir::kInt32, span);
  for (const ir::Expr& extent : shape) out = mul_index(out, extent, span);
  return out;
}

/// Strides as row-major order gives them: such a buffer is one run of elements.
bool is_contiguous(const ir::BufferNode& buffer, Span span) {
  ir::Expr stride = ir::make_int(1, ir::kInt32, span);
  for (std::size_t i = buffer.shape.size(); i-- > 0;) {
    if (constant_difference(buffer.strides[i], stride) != 0) return false;
    if (i > 0) stride = mul_index(stride, buffer.shape[i], span);
  }
  return true;
}

/// The shape that the positional arguments give; one extent may be -1.
std::vector<ir::Expr> requested_shape(Interpreter& interpreter,
                                      const Arguments& args,
                                      const ir::Expr& total) {
  Values items;
  for (const ArgumentValue& item : args.rest()) {
    if (const Values* inner = sequence(item.value)) {
      items.insert(items.end(), inner->begin(), inner->end());
    } else {
      items.push_back(item.value);
    }
  }
  std::vector<ir::Expr> shape;
  std::size_t open = items.size();
  ir::Expr known = ir::make_int(1, ir::kInt32, args.span());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].integer() && *items[i].integer() == -1) {
      if (open < items.size()) fail(args.span(), "only one extent can be -1");
      open = i;
      shape.emplace_back();
      continue;
    }
    shape.push_back(shape_exprs(interpreter, items[i], args.span(), false).front());
    known = mul_index(known, shape.back(), args.span());
  }
  if (open == items.size()) return shape;
  std::int64_t whole = 0;
  std::int64_t part = 0;
  if (ir::is_const_int(total, whole) && ir::is_const_int(known, part)) {
    if (part <= 0 || whole % part != 0) {
      fail(args.span(), "{} elements cannot be divided into parts of {}", whole, part);
    }
    shape[open] = integer_expr(whole / part, ir::kInt32, args.span());
  } else {
    shape[open] =
        promoted_expr(num::ScalarOp::floordiv,
                      {{total, false, args.span()}, {known, false, args.span()}}, args.span());
  }
  return shape;
}

void check_product(const std::vector<ir::Expr>& shape,
                   const ir::Expr& total,
                   std::string_view what,
                   Span span) {
  const auto difference = constant_difference(product(shape, span), total);
  if (difference && *difference == 0) return;
  std::int64_t have = 0;
  std::int64_t want = 0;
  if (ir::is_const_int(product(shape, span), have) && ir::is_const_int(total, want)) {
    fail(span, "a view of {} elements cannot show the {} {}", have, want, what);
  }
  if (difference) fail(span, "a view must have as many elements as there are {}", what);
}

BufferSpec spec_of(const ir::Buffer& parent, const Arguments& args, std::string_view suffix) {
  BufferSpec spec;
  spec.name = args.target_or(parent->name + std::string(suffix));
  spec.dtype = parent->dtype;
  spec.offset = parent->offset;
  spec.scope = parent->scope();
  spec.default_layout = false;
  spec.span = args.span();
  return spec;
}

/// `A.view("float16")`: the same bytes.
Value view_dtype(Interpreter& interpreter, const Arguments& args, num::DType dtype) {
  const ir::Buffer& parent = buffer_of(args);
  const int from = num::storage_bits(parent->dtype);
  const int to = num::storage_bits(dtype);
  BufferSpec spec = spec_of(parent, args, "_view");
  spec.dtype = dtype;
  spec.shape = parent->shape;
  spec.layout = parent->layout;
  spec.strides = parent->strides;
  const Span span = args.span();
  if (from == to) return declare_view(interpreter, std::move(spec), parent, span);
  if (std::max(from, to) % std::min(from, to) != 0) {
    fail(span, "{} cannot be seen as {}", num::name(parent->dtype), num::name(dtype));
  }
  ir::Expr& last = spec.shape.back();
  if (to > from) {
    const std::int64_t ratio = to / from;
    if (known_multiple(last) % ratio != 0) {
      fail(span, "the last dimension must be a multiple of {} to be seen as {}", ratio,
           num::name(dtype));
    }
    last = scale_offset(last, from, to, span);
    if (spec.layout) spec.layout = unwrap(ir::pack(*spec.layout, ratio), span);
  } else {
    const std::int64_t ratio = from / to;
    last = scale_offset(last, from, to, span);
    if (spec.layout) spec.layout = unwrap(ir::unpack(*spec.layout, ratio), span);
  }
  if (!spec.strides.empty()) {
    if (constant_difference(spec.strides.back(), ir::make_int(1)) != 0) {
      fail(span, "the last dimension must be contiguous to be seen as another dtype");
    }
    for (std::size_t i = 0; i + 1 < spec.strides.size(); ++i) {
      spec.strides[i] = scale_offset(spec.strides[i], from, to, span);
    }
  }
  if (spec.offset) spec.offset = scale_offset(spec.offset, from, to, span);
  return declare_view(interpreter, std::move(spec), parent, span);
}

Value view(Interpreter& interpreter, const Arguments& args) {
  const ir::Buffer& parent = buffer_of(args);
  if (args.rest().size() == 1 &&
      (args.rest()[0].value.text() != nullptr || args.rest()[0].value.is<ir::Type>())) {
    const Value& word = args.rest()[0].value;
    if (const auto* type = word.as<ir::Type>()) return view_dtype(interpreter, args, type->dtype);
    const auto dtype = num::find_dtype(*word.text());
    if (!dtype) fail(args.rest()[0].span, "no dtype is called '{}'", *word.text());
    return view_dtype(interpreter, args, *dtype);
  }
  const Span span = args.span();
  BufferSpec spec = spec_of(parent, args, "_view");
  const ir::Expr total = product(parent->shape, span);
  spec.shape = args.rest().empty() ? parent->shape : requested_shape(interpreter, args, total);
  if (args.has(1)) {
    set_layout(spec, args[1], args.span(1));
    return declare_view(interpreter, std::move(spec), parent, span);
  }
  check_product(spec.shape, total, "elements of the buffer", span);
  if (parent->layout) {
    spec.layout = parent->layout;
    if (is_row_major(*parent)) {
      spec.layout.reset();
      spec.default_layout = true;
    }
  } else if (!parent->strides.empty()) {
    if (!is_contiguous(*parent, span)) {
      fail_help(span, "a strided buffer has no such view", "give it a layout: A.view(…, layout=…)");
    }
    spec.default_layout = true;
  }
  return declare_view(interpreter, std::move(spec), parent, span);
}

Value local(Interpreter& interpreter, const Arguments& args) {
  const ir::Buffer& parent = buffer_of(args);
  const Span span = args.span();
  if (!parent->layout) {
    fail_help(span, fmt::format(".local() of '{}': parent buffer has layout=None", parent->name),
              "allocate it with a layout");
  }
  if (parent->scope() != ir::MemoryScope::local) {
    fail_help(span,
              fmt::format(".local() of '{}', which lies in {} memory", parent->name,
                          ir::to_string(parent->scope())),
              "only registers (scope=\"local\") have a part per thread");
  }
  const std::int64_t held = parent->layout->tile.storage().span();
  BufferSpec spec = spec_of(parent, args, "_local");
  const ir::Expr total = integer_expr(held, ir::kInt32, span);
  if (args.has(1)) {
    set_layout(spec, args[1], args.span(1));
    spec.shape = args.rest().empty()
                     ? std::vector<ir::Expr>{integer_expr(
                           spec.layout ? spec.layout->tile.size() : held, ir::kInt32, span)}
                     : requested_shape(interpreter, args, total);
    if (spec.layout && (spec.layout->tile.has_thread_axes() || spec.layout->tile.span() > held)) {
      fail(args.span(1), "the layout reaches {} registers; physical storage span {} per thread",
           spec.layout->tile.span(), held);
    }
    return declare_view(interpreter, std::move(spec), parent, span);
  }
  spec.default_layout = true;
  spec.shape = args.rest().empty() ? std::vector<ir::Expr>{total}
                                   : requested_shape(interpreter, args, total);
  const auto difference = constant_difference(product(spec.shape, span), total);
  if (!difference || *difference != 0) {
    fail(span, "the shape must multiply to the physical storage span {} per thread", held);
  }
  return declare_view(interpreter, std::move(spec), parent, span);
}

// ---- order of dimensions ------------------------------------------------------------------------

/// The same elements with dimension i taken from dimension dims[i] of the parent.
BufferSpec permuted(const ir::BufferNode& parent,
                    BufferSpec spec,
                    const std::vector<std::int64_t>& dims,
                    Span span) {
  std::vector<bool> seen(parent.shape.size(), false);
  if (dims.size() != parent.shape.size()) {
    fail(span, "{} dimensions given for {}", dims.size(), parent.shape.size());
  }
  for (const std::int64_t dim : dims) {
    if (dim < 0 || dim >= static_cast<std::int64_t>(seen.size()) ||
        seen[static_cast<std::size_t>(dim)]) {
      fail(span, "the dimensions must be 0 … {} in some order", seen.size() - 1);
    }
    seen[static_cast<std::size_t>(dim)] = true;
    spec.shape.push_back(parent.shape[static_cast<std::size_t>(dim)]);
    if (!parent.strides.empty()) {
      spec.strides.push_back(parent.strides[static_cast<std::size_t>(dim)]);
    }
  }
  if (parent.layout) {
    const auto shape = ir::static_shape(parent);
    if (!shape) fail(span, "a layout of symbolic shape cannot be permuted");
    const ir::Grouped grouped = unwrap(ir::group_dims(parent.layout->tile, *shape), span);
    spec.layout = parent.layout;
    spec.layout->tile =
        unwrap(ir::permute_by_groups(grouped.layout, grouped.separators, dims), span);
  }
  return spec;
}

Value permute_buffer(Interpreter& interpreter, const Arguments& args) {
  std::vector<std::int64_t> dims;
  for (const ArgumentValue& item : args.rest()) {
    const Values* inner = sequence(item.value);
    for (const Value& value : inner != nullptr ? *inner : Values{item.value}) {
      if (!value.integer()) fail(item.span, "dimensions are ints, not {}", kind_name(value));
      dims.push_back(*value.integer());
    }
  }
  const ir::Buffer& parent = buffer_of(args);
  BufferSpec spec = permuted(*parent, spec_of(parent, args, "_permuted"), dims, args.span());
  return declare_view(interpreter, std::move(spec), parent, args.span());
}

/// "b (2 r) -> 2 b r" as groups of names and numbers.
using Groups = std::vector<std::vector<std::string>>;

Groups parse_groups(std::string_view text, Span span) {
  Groups groups;
  bool inside = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ') {
      ++i;
    } else if (c == '(') {
      if (inside) fail(span, "parentheses in a pattern do not nest");
      inside = true;
      groups.emplace_back();
      ++i;
    } else if (c == ')') {
      if (!inside) fail(span, "')' without '(' in the pattern");
      inside = false;
      ++i;
    } else {
      std::size_t end = i;
      while (end < text.size() && text[end] != ' ' && text[end] != '(' && text[end] != ')') ++end;
      std::string word(text.substr(i, end - i));
      if (inside) {
        groups.back().push_back(std::move(word));
      } else {
        groups.push_back({std::move(word)});
      }
      i = end;
    }
  }
  if (inside) fail(span, "'(' without ')' in the pattern");
  return groups;
}

bool is_number(const std::string& word) {
  return !word.empty() && word.size() < 10 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The extent of every name, from the keywords and from the parent's dimensions.
std::map<std::string, std::int64_t> solve_extents(const Groups& left,
                                                  const std::vector<std::int64_t>& shape,
                                                  const Arguments& args) {
  std::map<std::string, std::int64_t> extents;
  for (const auto& [name, argument] : args.named_rest()) {
    const auto value = argument.value.integer();
    if (!value || *value < 1) fail(argument.span, "'{}' must be a positive int", name);
    extents[name] = *value;
  }
  for (std::size_t d = 0; d < left.size(); ++d) {
    std::int64_t known = 1;
    const std::string* open = nullptr;
    for (const std::string& word : left[d]) {
      if (is_number(word)) {
        extents[word] = std::stoll(word);
        known *= extents[word];
      } else if (extents.count(word) != 0) {
        known *= extents[word];
      } else {
        if (open != nullptr) {
          fail(args.span(0), "'{}' and '{}' are both unknown: give one as a keyword", *open, word);
        }
        open = &word;
      }
    }
    if (known <= 0 || shape[d] % known != 0 || (open == nullptr && shape[d] != known)) {
      fail(args.span(0), "dimension {} has {} elements, which the pattern's {} do not divide", d,
           shape[d], known);
    }
    if (open != nullptr) extents[*open] = shape[d] / known;
  }
  return extents;
}

Value rearrange(Interpreter& interpreter, const Arguments& args) {
  const ir::Buffer& parent = buffer_of(args);
  const std::string& pattern = args.text(0);
  const Span span = args.span(0);
  const std::size_t arrow = pattern.find("->");
  if (arrow == std::string::npos) fail(span, "a pattern is written \"a (b c) -> b a c\"");
  const Groups left = parse_groups(std::string_view(pattern).substr(0, arrow), span);
  const Groups right = parse_groups(std::string_view(pattern).substr(arrow + 2), span);
  const auto shape = ir::static_shape(*parent);
  if (!shape || !parent->layout) fail(span, "rearrange() needs a static shape and a layout");
  if (left.size() != shape->size()) {
    fail(span, "the pattern has {} dimensions, the buffer {}", left.size(), shape->size());
  }
  const std::map<std::string, std::int64_t> extents = solve_extents(left, *shape, args);

  std::vector<std::string> order;
  std::vector<std::int64_t> split;
  for (const auto& group : left) {
    for (const std::string& word : group) {
      if (std::find(order.begin(), order.end(), word) != order.end()) {
        fail(span, "'{}' occurs twice in the pattern", word);
      }
      order.push_back(word);
      split.push_back(extents.at(word));
    }
  }
  std::vector<std::int64_t> perm;
  BufferSpec spec = spec_of(parent, args, "_rearranged");
  for (const auto& group : right) {
    std::int64_t extent = 1;
    for (const std::string& word : group) {
      const auto found = std::find(order.begin(), order.end(), word);
      if (found == order.end()) fail(span, "'{}' is not on the left of the pattern", word);
      perm.push_back(found - order.begin());
      extent *= extents.at(word);
    }
    spec.shape.push_back(integer_expr(extent, ir::kInt32, span));
  }
  if (perm.size() != order.size()) fail(span, "both sides of the pattern need the same names");
  const ir::Grouped grouped = unwrap(ir::group(parent->layout->tile, split), span);
  spec.layout = parent->layout;
  spec.layout->tile = unwrap(ir::permute_by_groups(grouped.layout, grouped.separators, perm), span);
  return declare_view(interpreter, std::move(spec), parent, args.span());
}

constexpr auto kViewsMethods = std::to_array<BuiltinFunction>({
    {"view", "*shape, layout=None", view, "The same storage in another shape or dtype."},
    {"local", "*shape, layout=None", local, "The registers of this thread."},
    {"permute", "*dims", permute_buffer, "The dimensions in another order."},
    {"rearrange", "pattern, **extents", rearrange, "Split, reordered and merged dimensions."},
});

}  // namespace

bool is_row_major(const ir::BufferNode& buffer) {
  const auto shape = ir::static_shape(buffer);
  if (!shape || !buffer.layout || buffer.layout->is_swizzled()) return false;
  const auto plain = ir::TileLayout::row_major(*shape);
  return plain.ok() && plain.value() == buffer.layout->tile;
}

namespace {

/// A layout that is only another way to write row-major order becomes it.
void prefer_row_major(BufferSpec& spec, Span span) {
  if (!spec.layout || spec.layout->is_swizzled()) return;
  std::vector<std::int64_t> shape;
  for (const ir::Expr& extent : spec.shape) {
    std::int64_t known = 0;
    if (!ir::is_const_int(extent, known)) return;
    shape.push_back(known);
  }
  const ir::TileLayout plain = unwrap(ir::TileLayout::row_major(shape), span);
  const auto own = ir::canonicalize(spec.layout->tile);
  const auto wanted = ir::canonicalize(plain);
  if (own.ok() && wanted.ok() && own.value() == wanted.value()) spec.layout = plain;
}

}  // namespace

ir::Buffer declare_view(Interpreter& interpreter,
                        BufferSpec spec,
                        const ir::Buffer& parent,
                        Span span) {
  KernelBuilder& builder = interpreter.need_kernel("a view", span);
  prefer_row_major(spec, span);
  const ir::Buffer view = builder.make_view(std::move(spec), parent->storage);
  builder.emit_declare(span, view);
  return view;
}

void register_views(Registry& registry) {
  registry.add_methods("buffer", kViewsMethods);
  register_slice_views(registry);
}

}  // namespace tirx::dsl
