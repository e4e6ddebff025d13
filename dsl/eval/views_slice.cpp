// Slicing a buffer: dimensions are split where a step or a tile asks for it, and the layout's
// algebra gives the rest.  What may move from the layout's offset into the buffer's does: a
// swizzled layout keeps an offset inside its pattern.
#include "dsl/eval/views_slice.hpp"

#include <array>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/views.hpp"
#include "ir/layout/algebra.hpp"

namespace tirx::dsl {

namespace {

/// What is picked of one dimension.
struct Pick {
  ir::Expr begin;
  std::int64_t extent = 1;
  bool drop = false;  // an index: the dimension goes
};

ir::Expr op(num::ScalarOp o, const ir::Expr& a, std::int64_t b, Span span) {
  return promoted_expr(o, {{a, false, span}, {index_constant(b, span), false, span}}, span);
}

/// Moves what may move from the layout's offset into the buffer's, and adds the run-time terms.
void fold_offsets(BufferSpec& spec,
                  const ir::SymbolicSlice& sliced,
                  const std::vector<Pick>& picks,
                  Span span) {
  const ir::Axis memory(ir::AxisId::m);
  const std::int64_t period = spec.layout->swizzle ? spec.layout->swizzle->period() : 1;
  ir::AxisValues offset = sliced.layout.offset();
  std::int64_t fixed = 0;
  if (const auto found = offset.find(memory);
      found != offset.end() && found->second % period == 0) {
    fixed = found->second;
    offset.erase(found);
  }
  spec.layout->tile = unwrap(
      ir::canonicalize(unwrap(
          ir::TileLayout::make(sliced.layout.shard(), sliced.layout.replica(), std::move(offset)),
          span)),
      span);
  ir::Expr sum = spec.offset;
  const auto add = [&](const ir::Expr& more) { sum = sum ? add_index(sum, more, span) : more; };
  if (fixed != 0) add(index_constant(fixed, span));
  for (const ir::OffsetTerm& term : sliced.terms) {
    ir::Expr value = picks[term.dim].begin;
    if (term.divisor != 1) value = op(num::ScalarOp::floordiv, value, term.divisor, span);
    if (term.modulus != 0) value = op(num::ScalarOp::floormod, value, term.modulus, span);
    value = mul_index(value, index_constant(term.stride, span), span);
    if (term.axis != memory) {
      fail(span, "a run-time index cannot pick a thread (axis {})", term.axis.name());
    }
    if (known_multiple(value) % period != 0) {
      fail_help(span,
                "the part starts inside the swizzle's pattern at a place known only at run time",
                fmt::format("pick parts at multiples of {} elements", period));
    }
    add(value);
  }
  spec.offset = sum;
}

Value slice_view(Interpreter& interpreter,
                 const ir::Buffer& parent,
                 const std::vector<ir::Expr>& shape,
                 const std::vector<ir::Expr>& strides,
                 const std::vector<Pick>& picks,
                 const std::string& name,
                 Span span) {
  BufferSpec spec;
  spec.name = name;
  spec.dtype = parent->dtype;
  spec.scope = parent->scope();
  spec.offset = parent->offset;
  spec.default_layout = false;
  spec.span = span;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    if (picks[i].drop) continue;
    spec.shape.push_back(picks[i].extent < 0 ? shape[i] : index_constant(picks[i].extent, span));
    if (!strides.empty()) spec.strides.push_back(strides[i]);
  }
  const bool scalar_shape = spec.shape.empty();
  if (scalar_shape) {
    spec.shape.push_back(index_constant(1, span));
    if (!strides.empty()) spec.strides.push_back(index_constant(1, span));
  }
  if (!parent->layout) {
    if (strides.empty()) fail(span, "a buffer with layout=None has no parts");
    for (std::size_t i = 0; i < picks.size(); ++i) {
      const ir::Expr more = mul_index(picks[i].begin, strides[i], span);
      spec.offset = spec.offset ? add_index(spec.offset, more, span) : more;
    }
    return declare_view(interpreter, std::move(spec), parent, span);
  }
  std::vector<std::int64_t> extents;
  for (const ir::Expr& extent : shape) {
    std::int64_t known = 0;
    if (!ir::is_const_int(extent, known)) fail(span, "parts need a static shape");
    extents.push_back(known);
  }
  std::vector<ir::RegionDim> region;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    ir::RegionDim dim;
    std::int64_t known = 0;
    if (ir::is_const_int(picks[i].begin, known)) {
      dim.begin = known;
    } else {
      dim.multiple_of = std::max<std::int64_t>(1, known_multiple(picks[i].begin));
    }
    dim.extent = picks[i].extent;
    region.push_back(dim);
  }
  const ir::SymbolicSlice sliced =
      unwrap(ir::slice_at(parent->layout->tile, extents, region), span);
  spec.layout = parent->layout;
  fold_offsets(spec, sliced, picks, span);
  return declare_view(interpreter, std::move(spec), parent, span);
}

std::optional<std::int64_t> known_index(const Value& value) {
  if (const auto number = value.integer()) return number;
  std::int64_t known = 0;
  const auto* expr = value.as<ir::Expr>();
  if (expr != nullptr && ir::is_const_int(*expr, known)) return known;
  return std::nullopt;
}

std::int64_t static_extent(const ir::Expr& extent, Span span) {
  std::int64_t known = 0;
  if (!ir::is_const_int(extent, known)) fail(span, "this dimension's extent is not static");
  return known;
}

// ---- sub ----------------------------------------------------------------------------------------

struct SubPicker : Object {
  static const ObjectType kType;

  explicit SubPicker(ir::Buffer b) : Object(kType), buffer(std::move(b)) {}

  ir::Buffer buffer;
};

/// The dimensions of the parent, one of them split where a step asks for it.
struct Dimensions {
  std::vector<ir::Expr> shape;
  std::vector<ir::Expr> strides;
  std::vector<Pick> picks;

  void add(const ir::BufferNode& parent, std::size_t dim, Pick pick) {
    shape.push_back(parent.shape[dim]);
    if (!parent.strides.empty()) strides.push_back(parent.strides[dim]);
    picks.push_back(std::move(pick));
  }
};

/// A step goes with the layout's iters: whole ones, or equal parts of the innermost.
void check_step(const ir::BufferNode& parent, std::size_t dim, std::int64_t step, Span span) {
  const auto shape = ir::static_shape(parent);
  if (!parent.layout || !shape) return;
  const ir::TileLayout tile = unwrap(ir::canonicalize(parent.layout->tile), span);
  std::vector<std::int64_t> split = *shape;
  split[dim] /= step;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(dim) + 1, step);
  const auto whole = ir::group(tile, *shape);
  if (!whole || ir::group(tile, split)) return;
  std::int64_t inner = 1;
  for (const ir::Iter& iter : whole->group(dim)) inner = iter.extent != 1 ? iter.extent : inner;
  fail_help(
      span,
      fmt::format("the step {} cuts through the layout {}", step,
                  ir::to_string(parent.layout->tile)),
      fmt::format("steps are multiples of the inner iter block, {} elements, or divide it", inner));
}

void add_stepped(Dimensions& out,
                 const ir::BufferNode& parent,
                 std::size_t dim,
                 const SliceValue& slice,
                 Span span) {
  const std::int64_t step = known_index(slice.step).value_or(0);
  if (step <= 0) fail(span, "the step must be positive");
  if (!slice.end.is_none()) fail(span, "a stop bound with a step is not supported");
  const std::int64_t extent = static_extent(parent.shape[dim], span);
  if (extent % step != 0) {
    fail(span, "the dimension's {} elements must be multiples of the step {}", extent, step);
  }
  check_step(parent, dim, step, span);
  const Value first = slice.begin.is_none() ? Value(0) : slice.begin;
  if (const auto known = known_index(first); known && (*known < 0 || *known >= step)) {
    fail(span, "the start must lie in [0, {}), not {}", step, *known);
  }
  out.shape.push_back(index_constant(extent / step, span));
  out.shape.push_back(index_constant(step, span));
  if (!parent.strides.empty()) {
    out.strides.push_back(mul_index(parent.strides[dim], index_constant(step, span), span));
    out.strides.push_back(parent.strides[dim]);
  }
  out.picks.push_back({index_constant(0, span), extent / step, false});
  out.picks.push_back({index_expr(first, span), 1, true});
}

void add_range(Dimensions& out,
               const ir::BufferNode& parent,
               std::size_t dim,
               const SliceValue& slice,
               Span span) {
  if (slice.begin.is_none() && slice.end.is_none()) {
    std::int64_t extent = -1;
    (void)ir::is_const_int(parent.shape[dim], extent);
    out.add(parent, dim, {index_constant(0, span), extent, false});
    return;
  }
  const Value from = slice.begin.is_none() ? Value(0) : slice.begin;
  const Value to = slice.end.is_none() ? Value(parent.shape[dim]) : slice.end;
  const ir::Expr begin = index_expr(from, span);
  const auto extent = constant_difference(index_expr(to, span), begin);
  if (!extent) fail(span, "the length of the part must be known when the kernel is built");
  if (*extent <= 0) fail(span, "the length of the part must be positive, not {}", *extent);
  if (const auto known = known_index(from)) {
    if (*known < 0) fail(span, "the start must be non-negative, not {}", *known);
    std::int64_t whole = 0;
    if (ir::is_const_int(parent.shape[dim], whole) && *known + *extent > whole) {
      fail(span, "[{}:{}] exceeds the dimension's {} elements", *known, *known + *extent, whole);
    }
  }
  out.add(parent, dim, {begin, *extent, false});
}

Value pick_sub(Interpreter& interpreter, const Value& self, const Subscripts& items) {
  const ir::Buffer& parent = self.as<SubPicker>()->buffer;
  if (items.items.size() > parent->shape.size()) {
    fail(items.span, "'{}' has {} dimensions, not {}", parent->name, parent->shape.size(),
         items.items.size());
  }
  Dimensions dims;
  for (std::size_t d = 0; d < parent->shape.size(); ++d) {
    static const SliceValue kWhole{Value(), Value(), Value()};
    const bool given = d < items.items.size();
    const Span span = given ? items.items[d].span : items.span;
    const auto* slice = given ? items.items[d].value.as<SliceValue>() : &kWhole;
    if (slice != nullptr) {
      const bool stepped = !slice->step.is_none() && known_index(slice->step).value_or(0) != 1;
      if (stepped) {
        add_stepped(dims, *parent, d, *slice, span);
      } else {
        add_range(dims, *parent, d, *slice, span);
      }
      continue;
    }
    const Value& index = items.items[d].value;
    std::int64_t whole = 0;
    if (const auto known = known_index(index); known) {
      if (*known < 0) fail(span, "the index must be non-negative, not {}", *known);
      if (ir::is_const_int(parent->shape[d], whole) && *known >= whole) {
        fail(span, "index {} is out of range for {} elements", *known, whole);
      }
    }
    dims.add(*parent, d, {index_expr(index, span), 1, true});
  }
  return slice_view(interpreter, parent, dims.shape, dims.strides, dims.picks,
                    items.target_or(parent->name + "_sub"), items.span);
}

Value sub_property(Interpreter&, const Value& self, Span) {
  return std::make_shared<SubPicker>(*self.as<ir::Buffer>());
}

// ---- tile and chunk -----------------------------------------------------------------------------

/// A.tile(dim, factors): dimension `dim` split into `factors`, to be picked from.
struct TilePicker : Object {
  static const ObjectType kType;

  TilePicker(ir::Buffer b, std::size_t d, std::vector<std::int64_t> f)
      : Object(kType), buffer(std::move(b)), dim(d), factors(std::move(f)) {}

  ir::Buffer buffer;
  std::size_t dim;
  std::vector<std::int64_t> factors;
};

Value tile_buffer(Interpreter&, const Arguments& args) {
  const ir::Buffer& parent = *args.self.as<ir::Buffer>();
  const auto rank = static_cast<std::int64_t>(parent->shape.size());
  std::int64_t dim = args.integer(0);
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) fail(args.span(0), "dimension {} is out of range", args.integer(0));
  const std::int64_t extent =
      static_extent(parent->shape[static_cast<std::size_t>(dim)], args.span(0));
  std::vector<std::int64_t> factors = args.integers(1);
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& factor : factors) {
    if (factor == -1) {
      if (open != nullptr) fail(args.span(1), "only one factor can be -1");
      open = &factor;
    } else {
      if (factor < 1) fail(args.span(1), "factors must be positive, not {}", factor);
      if (__builtin_mul_overflow(known, factor, &known))
        fail(args.span(1), "the factors are too large");
    }
  }
  if (extent % known != 0 || (open == nullptr && known != extent)) {
    fail(args.span(1), "the factors multiply to {}, the dimension has {} elements", known, extent);
  }
  if (open != nullptr) *open = extent / known;
  return std::make_shared<TilePicker>(parent, static_cast<std::size_t>(dim), std::move(factors));
}

Value pick_tile(Interpreter& interpreter, const Value& self, const Subscripts& items) {
  const auto* picker = self.as<TilePicker>();
  const ir::BufferNode& parent = *picker->buffer;
  if (items.items.size() > picker->factors.size()) {
    fail(items.span, "{} picks for {} factors", items.items.size(), picker->factors.size());
  }
  Dimensions dims;
  for (std::size_t d = 0; d < parent.shape.size(); ++d) {
    if (d != picker->dim) {
      std::int64_t extent = -1;
      (void)ir::is_const_int(parent.shape[d], extent);
      dims.add(parent, d, {index_constant(0, items.span), extent, false});
      continue;
    }
    std::int64_t below = 1;
    for (const std::int64_t factor : picker->factors) below *= factor;
    for (std::size_t k = 0; k < picker->factors.size(); ++k) {
      const std::int64_t factor = picker->factors[k];
      below /= factor;
      dims.shape.push_back(index_constant(factor, items.span));
      if (!parent.strides.empty()) {
        dims.strides.push_back(
            mul_index(parent.strides[d], index_constant(below, items.span), items.span));
      }
      const bool given = k < items.items.size();
      const Span span = given ? items.items[k].span : items.span;
      if (!given || items.items[k].value.is<SliceValue>()) {
        const auto* slice = given ? items.items[k].value.as<SliceValue>() : nullptr;
        if (slice != nullptr &&
            (!slice->begin.is_none() || !slice->end.is_none() || !slice->step.is_none())) {
          fail(span, "a pick is an index or ':'");
        }
        dims.picks.push_back({index_constant(0, span), factor, false});
        continue;
      }
      if (const auto known = known_index(items.items[k].value);
          known && (*known < 0 || *known >= factor)) {
        fail(span, "pick {} is out of range: it must lie in [0, {})", *known, factor);
      }
      dims.picks.push_back({index_expr(items.items[k].value, span), 1, true});
    }
  }
  return slice_view(interpreter, picker->buffer, dims.shape, dims.strides, dims.picks,
                    items.target_or(parent.name + "_tile"), items.span);
}

/// A.chunk((4, 2)): the buffer cut into 4 x 2 equal boxes.
struct ChunkPicker : Object {
  static const ObjectType kType;

  ChunkPicker(ir::Buffer b, std::vector<std::int64_t> c)
      : Object(kType), buffer(std::move(b)), counts(std::move(c)) {}

  ir::Buffer buffer;
  std::vector<std::int64_t> counts;
};

Value chunk_buffer(Interpreter&, const Arguments& args) {
  const ir::Buffer& parent = *args.self.as<ir::Buffer>();
  std::vector<std::int64_t> counts = args.integers(0);
  if (counts.size() > parent->shape.size()) {
    fail(args.span(0), "{} counts for {} dimensions", counts.size(), parent->shape.size());
  }
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const std::int64_t extent = static_extent(parent->shape[d], args.span(0));
    if (counts[d] < 1 || extent % counts[d] != 0) {
      fail(args.span(0), "dimension {} has {} elements: they cannot be cut into {} equal parts", d,
           extent, counts[d]);
    }
  }
  return std::make_shared<ChunkPicker>(parent, std::move(counts));
}

Value pick_chunk(Interpreter&, const Value& self, const Subscripts& items) {
  const auto* picker = self.as<ChunkPicker>();
  if (items.items.size() != picker->counts.size()) {
    fail(items.span, "{} picks for {} counts", items.items.size(), picker->counts.size());
  }
  ir::Region region = whole_region(picker->buffer, items.span);
  for (std::size_t d = 0; d < items.items.size(); ++d) {
    const Span span = items.items[d].span;
    if (items.items[d].value.is<SliceValue>()) continue;
    if (const auto known = known_index(items.items[d].value);
        known && (*known < 0 || *known >= picker->counts[d])) {
      fail(span, "pick {} is out of range: it must lie in [0, {})", *known, picker->counts[d]);
    }
    const std::int64_t size = static_extent(region.ranges[d].extent, span) / picker->counts[d];
    region.ranges[d] = {
        mul_index(index_expr(items.items[d].value, span), index_constant(size, span), span),
        index_constant(size, span)};
  }
  auto out = std::make_shared<RegionValue>(std::move(region));
  out->picked.assign(picker->buffer->shape.size(), false);
  return out;
}

constexpr auto kViewsSliceMethods = std::to_array<BuiltinFunction>({
    {"tile", "dim, factors", tile_buffer,
     "A dimension split, to be picked from: A.tile(0, (4, -1))[w, :]."},
    {"chunk", "counts", chunk_buffer, "Equal boxes, to be picked from: A.chunk((4, 2))[i, j]."},
});

constexpr auto kSliceProperties = std::to_array<Property>({
    {"sub", sub_property, "A part as a buffer of its own: A.sub[2, 0:16]."},
});

}  // namespace

const ObjectType SubPicker::kType{.name = "sub", .subscript = pick_sub};
const ObjectType TilePicker::kType{.name = "tile", .subscript = pick_tile};
const ObjectType ChunkPicker::kType{.name = "chunk", .subscript = pick_chunk};

void register_slice_views(Registry& registry) {
  registry.add_methods("buffer", kViewsSliceMethods);
  registry.add_properties("buffer", kSliceProperties);
}

}  // namespace tirx::dsl
