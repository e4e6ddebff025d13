// T.match_buffer, T.alloc_…, T.decl_buffer, and what a buffer can be asked.
#include <array>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/smem_pool.hpp"
#include "dsl/eval/views.hpp"
#include "ir/base/check.hpp"
#include "numerics/dtype.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

const ir::Buffer& buffer_of(const Value& value) {
  const auto* buffer = value.as<ir::Buffer>();
  TIRX_CHECK(buffer != nullptr);
  return *buffer;
}

std::vector<ir::Expr> stride_exprs(Interpreter& interpreter, const Value& value, Span span) {
  if (const Values* items = sequence(value); items != nullptr && items->empty()) return {};
  return shape_exprs(interpreter, value, span, false);
}

Value match_buffer(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("T.match_buffer", args.span());
  const auto* handle = args[0].as<ir::Expr>();
  const int parameter = handle != nullptr ? builder.find_handle(*handle) : -1;
  if (parameter < 0 && args[0].is_none()) {
    fail_help(args.span(0), "this parameter is absent: the specialisation said None",
              "guard its uses: `if bias is not None:`");
  }
  if (parameter < 0) {
    fail_help(args.span(0),
              "T.match_buffer() argument 'param' must be a T.handle parameter of this kernel",
              "views of other storage are declared with T.decl_buffer");
  }
  BufferSpec spec;
  spec.name = args.target_or(builder.kernel().params[static_cast<std::size_t>(parameter)].name);
  spec.shape = shape_exprs(interpreter, args[1], args.span(1), true);
  spec.dtype = args.dtype_or(2, builder.handle_dtype(parameter));
  if (args.has(3)) spec.strides = stride_exprs(interpreter, args[3], args.span(3));
  if (args.has(4)) spec.offset = index_expr(args[4], args.span(4));
  spec.scope = memory_scope(args.text_or(5, "global"), args.span(5));
  spec.alignment = args.integer_or(6, 0);
  if (args.given(7)) set_layout(spec, args[7], args.span(7));
  if (spec.layout && !spec.strides.empty()) {
    fail(args.span(7), "give either strides or a layout, not both");
  }
  if (spec.scope != ir::MemoryScope::global) {
    fail(args.span(5), "a parameter lies in global memory");
  }
  spec.span = args.span();
  return builder.make_buffer(std::move(spec), parameter);
}

Value allocate(Interpreter& interpreter,
               const Arguments& args,
               ir::MemoryScope scope,
               std::size_t layout_at,
               std::size_t align_at) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  builder.need_device(args.function(), args.span());
  BufferSpec spec;
  spec.name = args.target_or("buf");
  spec.shape = shape_exprs(interpreter, args[0], args.span(0), false);
  spec.dtype = args.dtype_or(1, num::DType::f32);
  spec.scope = scope;
  if (scope == ir::MemoryScope::global) {
    fail_help(args.span(), "global memory is not allocated in a kernel",
              "pass a tensor, or choose scope=\"shared\" or \"local\"");
  }
  if (args.given(layout_at)) set_layout(spec, args[layout_at], args.span(layout_at));
  spec.alignment = args.integer_or(align_at, 0);
  spec.span = args.span();
  const ir::Buffer buffer = builder.make_buffer(std::move(spec));
  builder.emit(args.span(), ir::Allocate{buffer});
  return buffer;
}

Value alloc_buffer(Interpreter& interpreter, const Arguments& args) {
  const std::string word = args.text_or(2, "global");
  return allocate(interpreter, args, memory_scope(word, args.span(2)), 4, 3);
}

Value alloc_shared(Interpreter& interpreter, const Arguments& args) {
  return allocate(interpreter, args, ir::MemoryScope::shared, 3, 2);
}

Value alloc_local(Interpreter& interpreter, const Arguments& args) {
  return allocate(interpreter, args, ir::MemoryScope::local, 3, 2);
}

Value decl_buffer(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("T.decl_buffer", args.span());
  BufferSpec spec;
  spec.name = args.target_or("buf");
  spec.shape = shape_exprs(interpreter, args[0], args.span(0), false);
  spec.dtype = args.dtype_or(1, num::DType::f32);
  spec.span = args.span();
  if (args.given(6)) set_layout(spec, args[6], args.span(6));
  if (args.has(7)) spec.strides = stride_exprs(interpreter, args[7], args.span(7));
  spec.alignment = args.integer_or(8, 0);
  if (!args.has(2)) {
    builder.need_device("T.decl_buffer", args.span());
    spec.scope = memory_scope(args.text_or(5, "global"), args.span(5));
    if (spec.scope == ir::MemoryScope::global) {
      fail_help(args.span(),
                "T.decl_buffer() needs data=", "data=A.data, or a scope to allocate in");
    }
    const ir::Buffer buffer = builder.make_buffer(std::move(spec));
    builder.emit(args.span(), ir::Allocate{buffer});
    return buffer;
  }
  const auto* pointer = args[2].as<ir::Expr>();
  const auto* address = pointer != nullptr ? ir::as<ir::AddressOf>(*pointer) : nullptr;
  ir::Buffer base;
  if (address != nullptr) {
    base = address->element.buffer;
  } else if (const auto* direct = args[2].as<ir::Buffer>()) {
    base = *direct;
  } else {
    args.wrong(2, "a pointer (A.data, A.ptr_to(…))");
  }
  spec.scope = base->scope();
  if (args.has(5)) {
    const ir::MemoryScope said = memory_scope(args.text(5), args.span(5));
    if (said != spec.scope) {
      fail(args.span(5), "the storage of '{}' lies in {}, not in {}", base->name,
           ir::to_string(spec.scope), ir::to_string(said));
    }
  }
  ir::Expr offset =
      address != nullptr ? element_offset(address->element, args.span(2)) : base->offset;
  const int from = num::storage_bits(base->dtype);
  const int to = num::storage_bits(spec.dtype);
  if (offset && from != to) offset = scale_offset(offset, from, to, args.span());
  if (args.has(3)) {
    const ir::Expr more = index_expr(args[3], args.span(3));
    offset = offset ? add_index(offset, more, args.span(3)) : more;
  }
  if (args.has(4)) {
    const ir::Expr bytes = index_expr(args[4], args.span(4));
    const ir::Expr more = scale_offset(bytes, 8, to, args.span(4));
    offset = offset ? add_index(offset, more, args.span(4)) : more;
  }
  spec.offset = offset;
  const ir::Buffer buffer = builder.make_view(std::move(spec), base->storage);
  builder.emit_declare(args.span(), buffer);
  return buffer;
}

Value alloc_scalar(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  const ir::Type type{args.dtype_or(0, num::DType::i32), 1};
  const ir::MemoryScope scope = memory_scope(args.text_or(1, "local"), args.span(1));
  if (scope == ir::MemoryScope::local) {
    return builder.make_scalar(args.target_or("x"), type, args.span());
  }
  BufferSpec spec;
  spec.name = args.target_or("x");
  spec.dtype = type.dtype;
  spec.shape = {ir::make_int(1, ir::kInt32, args.span())};
  spec.scope = scope;
  spec.scalar = true;
  spec.span = args.span();
  builder.need_device(args.function(), args.span());
  const ir::Buffer buffer = builder.make_buffer(std::move(spec));
  builder.emit(args.span(), ir::Allocate{buffer});
  return buffer;
}

Value shared_scalar(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  builder.need_device(args.function(), args.span());
  BufferSpec spec;
  spec.name = args.target_or("x");
  spec.dtype = args.dtype_or(0, num::DType::i32);
  spec.shape = {ir::make_int(1, ir::kInt32, args.span())};
  spec.scope = ir::MemoryScope::shared;
  spec.scalar = true;
  spec.span = args.span();
  const ir::Buffer buffer = builder.make_buffer(std::move(spec));
  builder.emit(args.span(), ir::Allocate{buffer});
  return buffer;
}

Value local_scalar(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  const ir::Type type{args.dtype_or(0, num::DType::i32), 1};
  return builder.make_scalar(args.target_or("x"), type, args.span());
}

Value address_of(Interpreter&, const Arguments& args) {
  if (const ir::Access* place = writable_place(args[0])) {
    return make_checked(ir::kHandle, args.span(), ir::AddressOf{*place});
  }
  if (const auto region = to_region(args[0], args.span(0))) {
    ir::Access access{region->buffer, {}, {}, 1};
    for (const ir::Range& range : region->ranges) access.indices.push_back(range.begin);
    return make_checked(ir::kHandle, args.span(), ir::AddressOf{std::move(access)});
  }
  args.wrong(0, "an element of a buffer");
}

constexpr auto kBufferFunctions = std::to_array<BuiltinFunction>({
    {"match_buffer",
     "param, shape, dtype='float32', strides=None, elem_offset=0, scope='global', align=64, "
     "layout='default', *, offset_factor=None",
     match_buffer, "Says what a handle parameter points to."},
    {"alloc_buffer", "shape, dtype='float32', scope='global', align=64, layout='default'",
     alloc_buffer, "Allocates shared or local memory."},
    {"alloc_shared", "shape, dtype='float32', align=64, layout='default'", alloc_shared,
     "Allocates memory shared by the threads of a CTA."},
    {"alloc_local", "shape, dtype='float32', align=64, layout='default'", alloc_local,
     "Allocates registers of each thread."},
    {"decl_buffer",
     "shape, dtype='float32', data=None, elem_offset=0, byte_offset=0, scope=None, "
     "layout='default', strides=None, align=64",
     decl_buffer, "Declares another view of existing storage."},
    {"alloc_scalar", "dtype='int32', scope='local'", alloc_scalar, "A variable."},
    {"decl_scalar", "dtype='int32', scope='local'", alloc_scalar, "A variable."},
    {"local_scalar", "dtype='int32'", local_scalar, "A variable of each thread."},
    {"shared_scalar", "dtype='int32'", shared_scalar, "A variable shared by the CTA."},
    {"address_of", "element", address_of, "A pointer to an element."},
});

// ---- methods and properties -------------------------------------------------------------------

std::vector<ir::Expr> full_indices(const Arguments& args,
                                   std::size_t at,
                                   const ir::Buffer& buffer) {
  std::vector<ir::Expr> indices;
  Values items;
  if (const Values* given = sequence(args[at])) {
    items = *given;
  } else {
    items = {args[at]};
  }
  if (items.size() != buffer->shape.size()) {
    fail(args.span(at), "'{}' has {} dimensions, {}() got {} indices", buffer->name,
         buffer->shape.size(), args.function(), items.size());
  }
  for (const Value& item : items) indices.push_back(index_expr(item, args.span(at)));
  return indices;
}

Value ptr_to(Interpreter&, const Arguments& args) {
  const ir::Buffer& buffer = buffer_of(args.self);
  ir::Access access{buffer, full_indices(args, 0, buffer), {}, 1};
  return make_checked(ir::kHandle, args.span(), ir::AddressOf{std::move(access)});
}

ir::Access origin(const ir::Buffer& buffer, Span span) {
  ir::Access access{buffer, {}, {}, 1};
  for (std::size_t i = 0; i < buffer->shape.size(); ++i) {
    access.indices.push_back(ir::make_int(0, ir::kInt32, span));
  }
  return access;
}

Value access_ptr(Interpreter&, const Arguments& args) {
  const ir::Buffer& buffer = buffer_of(args.self);
  ir::Access access = origin(buffer, args.span());
  if (args.has(1)) {
    const ir::Expr offset = index_expr(args[1], args.span(1));
    access.indices = unflatten(buffer, offset, args.span(1));
  }
  return make_checked(ir::kHandle, args.span(), ir::AddressOf{std::move(access)});
}

Value elem_offset_of(Interpreter&, const Arguments& args) {
  const ir::Buffer& buffer = buffer_of(args.self);
  return element_offset({buffer, full_indices(args, 0, buffer), {}, 1}, args.span());
}

Value vload(Interpreter&, const Arguments& args) {
  const ir::Buffer& buffer = buffer_of(args.self);
  ir::Type type{buffer->dtype, 1};
  if (args.has(1)) type = args.type(1);
  if (type.dtype != buffer->dtype) {
    fail_help(args.span(1),
              fmt::format("'{}' holds {}, not {}", buffer->name, num::name(buffer->dtype),
                          num::name(type.dtype)),
              "view it with the other dtype first: A.view(\"dtype\")");
  }
  return load_expr({buffer, full_indices(args, 0, buffer), {}, 1}, type, args.span());
}

Value vstore(Interpreter& interpreter, const Arguments& args) {
  const ir::Buffer& buffer = buffer_of(args.self);
  const ir::Expr value = args.expr(1);
  emit_store(interpreter, {buffer, full_indices(args, 0, buffer), {}, 1},
             {buffer->dtype, value->type.lanes}, args[1], args.span());
  return {};
}

constexpr auto kBufferMethods = std::to_array<BuiltinFunction>({
    {"ptr_to", "indices", ptr_to, "A pointer to an element."},
    {"access_ptr", "access_mask='rw', offset=0, *, ptr_type=None, content_lanes=1, extent=None",
     access_ptr, "A pointer to the first element, or `offset` elements further."},
    {"elem_offset_of", "indices", elem_offset_of, "The element's offset in its storage."},
    {"vload", "indices, dtype=None", vload, "Loads a vector along the last dimension."},
    {"vstore", "indices, value", vstore, "Stores a vector along the last dimension."},
});

Value shape_property(Interpreter&, const Value& self, Span) {
  Values items;
  for (const ir::Expr& extent : buffer_of(self)->shape) {
    std::int64_t known = 0;
    items.push_back(ir::is_const_int(extent, known) ? Value(known) : Value(extent));
  }
  return make_tuple(std::move(items));
}

Value strides_property(Interpreter&, const Value& self, Span) {
  Values items;
  for (const ir::Expr& stride : buffer_of(self)->strides) {
    std::int64_t known = 0;
    items.push_back(ir::is_const_int(stride, known) ? Value(known) : Value(stride));
  }
  return make_tuple(std::move(items));
}

Value dtype_property(Interpreter&, const Value& self, Span) {
  return ir::Type{buffer_of(self)->dtype, 1};
}

Value scope_property(Interpreter&, const Value& self, Span) {
  return ir::to_string(buffer_of(self)->scope());
}

Value name_property(Interpreter&, const Value& self, Span) {
  return buffer_of(self)->name;
}

Value layout_property(Interpreter&, const Value& self, Span) {
  const auto& layout = buffer_of(self)->layout;
  return layout ? Value(std::make_shared<LayoutValue>(*layout)) : Value();
}

Value data_property(Interpreter&, const Value& self, Span span) {
  const ir::Buffer& buffer = buffer_of(self);
  return make_checked(ir::kHandle, span, ir::AddressOf{origin(buffer, span)});
}

Value offset_property(Interpreter&, const Value& self, Span) {
  const ir::Expr& offset = buffer_of(self)->offset;
  if (!offset) return 0;
  std::int64_t known = 0;
  return ir::is_const_int(offset, known) ? Value(known) : Value(offset);
}

constexpr auto kBufferProperties = std::to_array<Property>({
    {"shape", shape_property, "The extents, as a tuple."},
    {"strides", strides_property, "Explicit strides; empty with a layout."},
    {"dtype", dtype_property, "The element type."},
    {"scope", scope_property, "\"global\", \"shared\", \"shared.dyn\" or \"local\"."},
    {"name", name_property, "The name."},
    {"layout", layout_property, "The layout, or None."},
    {"data", data_property, "A pointer to the first element."},
    {"elem_offset", offset_property, "The offset of the first element in its storage."},
});

// ---- regions ----------------------------------------------------------------------------------

Value region_shape(Interpreter&, const Value& self, Span) {
  Values items;
  const auto* region = self.as<RegionValue>();
  for (std::size_t i = 0; i < region->region.ranges.size(); ++i) {
    if (region->picked[i]) continue;
    const ir::Expr& extent = region->region.ranges[i].extent;
    std::int64_t known = 0;
    items.push_back(ir::is_const_int(extent, known) ? Value(known) : Value(extent));
  }
  return make_tuple(std::move(items));
}

Value region_dtype(Interpreter&, const Value& self, Span) {
  return ir::Type{self.as<RegionValue>()->region.buffer->dtype, 1};
}

Value region_buffer(Interpreter&, const Value& self, Span) {
  return self.as<RegionValue>()->region.buffer;
}

constexpr auto kRegionProperties = std::to_array<Property>({
    {"shape", region_shape, "The extents of the sliced dimensions."},
    {"dtype", region_dtype, "The element type."},
    {"buffer", region_buffer, "The buffer it is a part of."},
});

}  // namespace

void register_buffers(Registry& registry) {
  registry.add("T", kBufferFunctions);
  registry.add_methods("buffer", kBufferMethods);
  registry.add_properties("buffer", kBufferProperties);
  registry.add_properties("region", kRegionProperties);
  register_views(registry);
  register_smem_pool(registry);
}

}  // namespace tirx::dsl
