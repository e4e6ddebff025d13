// Filling a kernel: parameters, symbols, launch axes, buffers; what only its end can check.
#include "dsl/eval/kernel_builder.hpp"

#include <algorithm>

#include "dsl/eval/ir_expr.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/visit.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

constexpr std::size_t kMaxStatements = 200'000;

/// Elements of storage that a buffer needs: what its layout spans (per thread, for registers spread
/// over threads), or the product of its shape.
ir::Expr storage_elements(const ir::BufferNode& buffer, Span span) {
  if (buffer.layout) {
    const ir::Layout& layout = *buffer.layout;
    std::int64_t elements =
        layout.tile.has_thread_axes() ? layout.tile.storage().span() : layout.tile.span();
    if (layout.swizzle) {
      const std::int64_t period = layout.swizzle->period();
      elements = (elements + period - 1) / period * period;
    }
    return ir::make_int(elements, elements <= INT32_MAX ? ir::kInt32 : ir::kInt64, span);
  }
  ir::Expr product = ir::make_int(1, ir::kInt32, span);
  for (const ir::Expr& extent : buffer.shape) product = mul_index(product, extent, span);
  return product;
}

std::vector<ir::Expr> row_major_strides(const std::vector<ir::Expr>& shape, Span span) {
  std::vector<ir::Expr> strides(shape.size());
  ir::Expr stride = ir::make_int(1, ir::kInt32, span);
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (i > 0) stride = mul_index(stride, shape[i], span);
  }
  return strides;
}

void check_covers(const ir::Layout& layout, const std::vector<std::int64_t>& shape, Span span) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  if (layout.tile.size() == size) return;
  if (ir::covering_group(layout.tile, shape)) return;
  fail_help(span,
            fmt::format("the layout {} has {} elements, the shape {} has {}", ir::to_string(layout),
                        layout.tile.size(), ir::to_string(shape), size),
            "a layout maps each element of the shape: give both the same number of elements");
}

}  // namespace

KernelBuilder::KernelBuilder(SourceRef source, std::string name, Span span) {
  kernel_.name = std::move(name);
  kernel_.source = std::move(source);
  kernel_.span = span;
  current_ = &kernel_.host_body;
}

void KernelBuilder::emit(ir::Stmt stmt) {
  if (++statements_ > kMaxStatements) {
    fail_help(stmt.span, fmt::format("the kernel has more than {} statements", kMaxStatements),
              "loops written with range or T.serial are one statement");
  }
  current_->push_back(std::move(stmt));
}

// ---- parameters and symbols
// -----------------------------------------------------------------------

ir::Expr KernelBuilder::add_handle(const std::string& name, ir::Type pointee, Span span) {
  const auto var = std::make_shared<const ir::Variable>(ir::Variable{name, ir::kHandle, span});
  handles_[var.get()] = static_cast<int>(kernel_.params.size());
  handle_vars_.push_back(var);
  handle_types_.resize(kernel_.params.size() + 1, ir::kVoid);
  handle_types_.back() = pointee;
  ir::Param param;
  param.name = name;
  param.span = span;
  kernel_.params.push_back(std::move(param));
  return ir::make_var(var, span);
}

int KernelBuilder::find_handle(const ir::Expr& value) const {
  const auto* ref = ir::as<ir::VarRef>(value);
  if (ref == nullptr) return -1;
  const auto found = handles_.find(ref->var.get());
  return found != handles_.end() ? found->second : -1;
}

num::DType KernelBuilder::handle_dtype(int index) const {
  const ir::Type type = handle_types_[static_cast<std::size_t>(index)];
  return type.is_void() ? num::DType::f32 : type.dtype;
}

void KernelBuilder::add_scalar(const std::string& name, const ir::Var& var, Span span) {
  ir::Param param;
  param.name = name;
  param.scalar = var;
  param.span = span;
  kernel_.params.push_back(std::move(param));
}

void KernelBuilder::add_tensor(const std::string& name, BufferSpec spec, ir::Buffer& made) {
  const Span span = spec.span;
  const int index = static_cast<int>(kernel_.params.size());
  ir::Param param;
  param.name = name;
  param.span = span;
  kernel_.params.push_back(param);
  made = make_buffer(std::move(spec), index);
}

void KernelBuilder::add_absent(const std::string& name, Span span) {
  ir::Param param;
  param.name = name;
  param.absent = true;
  param.span = span;
  kernel_.params.push_back(std::move(param));
}

ir::Var KernelBuilder::new_symbol(const std::string& name, ir::Type type, Span span) {
  const auto var = std::make_shared<const ir::Variable>(ir::Variable{name, type, span});
  symbols_.emplace(var.get(), Symbol{var, false});
  return var;
}

ir::Var KernelBuilder::named_symbol(const std::string& name, Span span) {
  ir::Var& var = named_symbols_[name];
  if (var == nullptr) var = new_symbol(name, ir::kInt32, span);
  return var;
}

bool KernelBuilder::is_symbol(const ir::Var& var) const {
  return symbols_.count(var.get()) != 0;
}

void KernelBuilder::use_symbols(const ir::Expr& expr) {
  ir::for_each_expr(expr, [&](const ir::Expr& part) {
    const auto* ref = ir::as<ir::VarRef>(part);
    if (ref == nullptr) return;
    const auto found = symbols_.find(ref->var.get());
    if (found == symbols_.end() || found->second.listed) return;
    found->second.listed = true;
    kernel_.symbols.push_back(ref->var);
  });
}

// ---- device part
// ----------------------------------------------------------------------------------

void KernelBuilder::device_entry(Span span) {
  if (on_device_) {
    fail_text(span, "T.device_entry() occurs twice",
              {{device_entry_span_, "the first one is here"}});
  }
  if (block_depth > 0) fail(span, "T.device_entry() cannot stand inside a condition or a loop");
  on_device_ = true;
  device_entry_span_ = span;
  current_ = &kernel_.body;
  for (ir::Stmt& stmt : early_views_) emit(std::move(stmt));
  early_views_.clear();
}

void KernelBuilder::need_device(std::string_view what, Span span) const {
  if (on_device_) return;
  fail_help(span, fmt::format("{} belongs after T.device_entry()", what),
            "statements above T.device_entry() run on the host, before the launch");
}

ir::Var KernelBuilder::launch_axis(const std::string& tag,
                                   const ir::Expr& extent,
                                   const std::string& name,
                                   Span span) {
  const std::size_t dot = tag.find('.');
  const std::string what = tag.substr(0, dot);
  const std::size_t dim = dot != std::string::npos && dot + 2 == tag.size()
                              ? std::string("xyz").find(tag[dot + 1])
                              : std::string::npos;
  if ((what != "blockIdx" && what != "threadIdx") || dim == std::string::npos) {
    fail(span, "'{}' is no launch axis: blockIdx.x, .y, .z or threadIdx.x, .y, .z", tag);
  }
  if (!on_device_) device_entry(span);
  auto& slot = launch_axes_[what == "blockIdx" ? 0 : 1][dim];
  if (slot) {
    if (constant_difference(slot->extent, extent) != 0) {
      fail_text(span, fmt::format("{} already has another extent", tag),
                {{slot->span, "declared here"}});
    }
    return slot->var;
  }
  use_symbols(extent);
  const auto var = std::make_shared<const ir::Variable>(ir::Variable{name, ir::kInt32, span});
  slot = LaunchAxis{var, extent, span};
  return var;
}

// ---- buffers
// --------------------------------------------------------------------------------------

std::shared_ptr<ir::BufferNode> KernelBuilder::new_node(BufferSpec spec) {
  auto node = std::make_shared<ir::BufferNode>();
  node->name = std::move(spec.name);
  node->dtype = spec.dtype;
  node->shape = std::move(spec.shape);
  node->layout = std::move(spec.layout);
  node->strides = std::move(spec.strides);
  node->offset = std::move(spec.offset);
  node->scalar = spec.scalar;
  node->span = spec.span;
  const auto shape = ir::static_shape(*node);
  if (shape) {
    std::int64_t size = 1;
    for (const std::int64_t extent : *shape) {
      if (extent <= 0) fail(spec.span, "the extents of a buffer must be positive, not {}", extent);
      if (__builtin_mul_overflow(size, extent, &size) || size > (std::int64_t{1} << 46)) {
        fail(spec.span, "the shape {} is too large", ir::to_string(*shape));
      }
    }
  }
  if (!node->strides.empty() && node->strides.size() != node->shape.size()) {
    fail(spec.span, "{} strides for {} dimensions", node->strides.size(), node->shape.size());
  }
  if (node->layout && shape) check_covers(*node->layout, *shape, spec.span);
  if (spec.default_layout && node->strides.empty()) {
    if (shape) {
      node->layout = unwrap(ir::TileLayout::row_major(*shape), spec.span);
    } else {
      node->strides = row_major_strides(node->shape, spec.span);
    }
  }
  for (const ir::Expr& extent : node->shape) use_symbols(extent);
  for (const ir::Expr& stride : node->strides) use_symbols(stride);
  use_symbols(node->offset);
  return node;
}

ir::Buffer KernelBuilder::make_buffer(BufferSpec spec, int parameter) {
  const Span span = spec.span;
  auto storage = std::make_shared<ir::Storage>();
  storage->name = spec.name;
  storage->scope = spec.scope;
  storage->dtype = spec.dtype;
  storage->parameter = parameter;
  storage->span = span;
  const std::int64_t alignment = spec.alignment;
  if (alignment < 0 || (alignment & (alignment - 1)) != 0) {
    fail(span, "the alignment must be a power of two, not {}", alignment);
  }
  if (spec.scope == ir::MemoryScope::shared_dynamic && parameter < 0) {
    if (has_dynamic_shared_ || arena != nullptr) {
      fail_help(span, "a kernel has one allocation in shared.dyn",
                "declare further buffers in it: T.decl_buffer(shape, dtype, data=buf.data, "
                "elem_offset=…, scope=\"shared.dyn\"), or use T.SMEMPool");
    }
    has_dynamic_shared_ = true;
  }
  auto node = new_node(std::move(spec));
  if (parameter < 0) storage->elements = storage_elements(*node, span);
  if (alignment > 0) storage->alignment = alignment;
  if (alignment == 0 && node->layout && node->layout->swizzle) {
    // A swizzle is a function of the address: the buffer starts where the pattern does.
    const std::int64_t period =
        node->layout->swizzle->period() * num::storage_bits(node->dtype) / 8;
    while (storage->alignment < period && storage->alignment < 4096) storage->alignment *= 2;
  }
  node->storage = storage;
  if (parameter >= 0) {
    ir::Param& param = kernel_.params[static_cast<std::size_t>(parameter)];
    if (param.buffer != nullptr) {
      fail_text(span, fmt::format("parameter '{}' is matched twice", param.name),
                {{param.buffer->span, "first here"}});
    }
    param.buffer = node;
  }
  return node;
}

ir::Buffer KernelBuilder::make_view(BufferSpec spec, const ir::StorageRef& storage) {
  auto node = new_node(std::move(spec));
  node->storage = storage;
  node->is_view = true;
  return node;
}

void KernelBuilder::emit_declare(Span span, const ir::Buffer& view) {
  if (on_device_) {
    emit(span, ir::Declare{view});
  } else {
    early_views_.push_back({span, ir::Declare{view}});
  }
}

void KernelBuilder::make_arena(const std::string& name, Span span) {
  if (arena != nullptr || has_dynamic_shared_) {
    fail(span, "a kernel has one allocation in shared.dyn: make one T.SMEMPool");
  }
  if (block_depth > 0) fail(span, "T.SMEMPool() cannot stand inside a condition or a loop");
  BufferSpec spec;
  spec.name = name;
  spec.dtype = num::DType::u8;
  spec.shape = {ir::make_int(1, ir::kInt32, span)};
  spec.span = span;
  arena_storage_ = std::make_shared<ir::Storage>();
  arena_storage_->name = name;
  arena_storage_->scope = ir::MemoryScope::shared_dynamic;
  arena_storage_->dtype = num::DType::u8;
  arena_storage_->elements = ir::make_int(1, ir::kInt32, span);
  arena_storage_->alignment = 128;
  arena_storage_->span = span;
  arena = new_node(std::move(spec));
  arena->storage = arena_storage_;
  emit(span, ir::Allocate{arena});
}

void KernelBuilder::grow_arena(std::int64_t bytes, std::int64_t alignment, Span span) {
  arena_storage_->alignment = std::max(arena_storage_->alignment, alignment);
  if (bytes <= arena_bytes_) return;
  if (bytes > INT32_MAX) fail(span, "the pool has grown to {} bytes", bytes);
  arena_bytes_ = bytes;
  arena_storage_->elements = ir::make_int(bytes, ir::kInt32, span);
  arena->shape = {ir::make_int(bytes, ir::kInt32, span)};
  arena->layout = unwrap(ir::TileLayout::row_major(std::array{bytes}), span);
}

ir::Buffer KernelBuilder::make_scalar(const std::string& name, ir::Type type, Span span) {
  need_device(fmt::format("the variable '{}'", name), span);
  BufferSpec spec;
  spec.name = name;
  spec.dtype = type.dtype;
  spec.shape = {ir::make_int(1, ir::kInt32, span)};
  spec.scope = ir::MemoryScope::local;
  spec.scalar = true;
  spec.span = span;
  ir::Buffer buffer = make_buffer(std::move(spec));
  emit(span, ir::Allocate{buffer});
  return buffer;
}

// ---- the end
// --------------------------------------------------------------------------------------

ir::Kernel KernelBuilder::finish() {
  constexpr std::array kKinds{ir::ScopeIdKind::cta_id, ir::ScopeIdKind::thread_id};
  for (std::size_t k = 0; k < 2; ++k) {
    std::size_t rank = 3;
    while (rank > 0 && !launch_axes_[k][rank - 1]) --rank;
    if (rank == 0) continue;
    ir::ScopeIdDef def{kKinds[k], {}, {}, {}, {}};
    for (std::size_t d = 0; d < rank; ++d) {
      auto& slot = launch_axes_[k][d];
      if (!slot) {
        const std::string name = std::string(k == 0 ? "block_" : "thread_") + "xyz"[d];
        slot = LaunchAxis{
            std::make_shared<const ir::Variable>(ir::Variable{name, ir::kInt32, kernel_.span}),
            ir::make_int(1), kernel_.span};
      }
      def.vars.push_back(slot->var);
      def.extents.push_back(slot->extent);
      def.span = slot->span;
    }
    kernel_.scope_ids.push_back(std::move(def));
  }
  for (const ir::Param& param : kernel_.params) {
    if (param.absent || param.buffer != nullptr || param.scalar != nullptr) continue;
    fail_help(param.span, fmt::format("nothing says what '{}' points to", param.name),
              fmt::format("write `A = T.match_buffer({}, shape, dtype)`", param.name));
  }
  if (!on_device_) {
    fail_help(kernel_.span, fmt::format("kernel '{}' has no T.device_entry()", kernel_.name),
              "T.device_entry() marks where the statements of the threads begin");
  }
  return std::move(kernel_);
}

}  // namespace tirx::dsl
