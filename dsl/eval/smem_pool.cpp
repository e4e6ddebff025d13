// The pool object and its methods; the arena itself is in KernelBuilder.
#include "dsl/eval/smem_pool.hpp"

#include <algorithm>
#include <array>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/views.hpp"
#include "ir/layout/library.hpp"
#include "numerics/dtype.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

struct Pool : Object {
  static const ObjectType kType;

  Pool() : Object(kType) {}

  std::int64_t offset = 0;  // bytes
  std::int64_t high = 0;    // the most that has been used
};

Value make_pool(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("T.SMEMPool", args.span());
  builder.need_device("T.SMEMPool()", args.span());
  builder.make_arena(args.target_or("pool"), args.span());
  return std::make_shared<Pool>();
}

std::int64_t spanned_bytes(const BufferSpec& spec, Span span) {
  std::int64_t elements = 1;
  if (spec.layout) {
    elements = spec.layout->tile.span();
    if (spec.layout->swizzle) {
      const std::int64_t period = spec.layout->swizzle->period();
      elements = (elements + period - 1) / period * period;
    }
  } else {
    for (const ir::Expr& extent : spec.shape) {
      std::int64_t known = 0;
      if (!ir::is_const_int(extent, known)) fail(span, "a pool's buffers have static shapes");
      if (known < 1 || __builtin_mul_overflow(elements, known, &elements)) {
        fail(span, "the extents of a buffer must be positive and fit in memory");
      }
    }
  }
  if (elements > (std::int64_t{1} << 40)) fail(span, "this buffer is too large");
  return (elements * num::storage_bits(spec.dtype) + 7) / 8;
}

Value place(Interpreter& interpreter,
            const Arguments& args,
            BufferSpec spec,
            std::int64_t alignment) {
  auto* pool = args.self.as<Pool>();
  KernelBuilder& builder = interpreter.need_kernel("T.SMEMPool", args.span());
  if (alignment < 1 || (alignment & (alignment - 1)) != 0 || alignment > 4096) {
    fail(args.span(), "the alignment must be a power of two up to 4096, not {}", alignment);
  }
  const std::int64_t begin = (pool->offset + alignment - 1) / alignment * alignment;
  const std::int64_t bytes = spanned_bytes(spec, args.span());
  pool->offset = begin + bytes;
  pool->high = std::max(pool->high, pool->offset);
  builder.grow_arena(pool->high, alignment, args.span());
  spec.scope = ir::MemoryScope::shared_dynamic;
  const std::int64_t elements = begin * 8 / num::storage_bits(spec.dtype);
  if (elements != 0) spec.offset = integer_expr(elements, ir::kInt32, args.span());
  spec.span = args.span();
  const ir::Buffer buffer = builder.make_view(std::move(spec), builder.arena->storage);
  builder.emit_declare(args.span(), buffer);
  return buffer;
}

Value pool_alloc(Interpreter& interpreter, const Arguments& args) {
  BufferSpec spec;
  spec.name = args.target_or("smem");
  spec.shape = shape_exprs(interpreter, args[0], args.span(0), false);
  spec.dtype = args.dtype_or(1, num::DType::f32);
  if (args.given(3)) set_layout(spec, args[3], args.span(3));
  std::int64_t alignment = std::max(16, num::bytes(spec.dtype));
  if (spec.layout && spec.layout->swizzle) {
    // The swizzle is a function of the address: start where its pattern does.
    const std::int64_t period = spec.layout->swizzle->period() * num::storage_bits(spec.dtype) / 8;
    while (alignment < period && alignment < 4096) alignment *= 2;
  }
  return place(interpreter, args, std::move(spec), args.integer_or(2, alignment));
}

std::string mode_text(ir::SwizzleMode mode) {
  constexpr std::array kNames{"none", "32B", "64B", "128B"};
  return kNames[static_cast<std::size_t>(mode)];
}

/// The widest swizzle whose atom divides the last dimension.
std::optional<ir::SwizzleMode> widest_mode(int bits, const std::vector<std::int64_t>& shape) {
  for (int mode = 3; mode >= 0; --mode) {
    const auto atom = ir::mma_atom_shape(bits, static_cast<ir::SwizzleMode>(mode));
    if (!atom.ok()) continue;
    if (shape.back() % atom.value().back() == 0) return static_cast<ir::SwizzleMode>(mode);
  }
  return std::nullopt;
}

Value pool_alloc_mma(Interpreter& interpreter, const Arguments& args) {
  BufferSpec spec;
  spec.name = args.target_or("smem");
  spec.shape = shape_exprs(interpreter, args[0], args.span(0), false);
  spec.dtype = args.dtype_or(1, num::DType::f16);
  const std::vector<std::int64_t> shape = args.integers(0);
  const int bits = num::bits(spec.dtype);
  if (shape.size() < 2) fail(args.span(0), "a matrix operand has at least two dimensions");
  if (shape[shape.size() - 2] % 8 != 0) {
    fail(args.span(0), "the rows must be a multiple of 8, not {}", shape[shape.size() - 2]);
  }
  std::optional<ir::SwizzleMode> mode;
  if (args[2].integer() && *args[2].integer() >= 0 && *args[2].integer() <= 3) {
    mode = static_cast<ir::SwizzleMode>(*args[2].integer());
  } else if (!args.has(2) || (args[2].text() != nullptr && *args[2].text() == "auto")) {
    mode = widest_mode(bits, shape);
    if (!mode) fail(args.span(0), "the row bytes must be a multiple of 16");
  } else {
    args.wrong(2, "a SwizzleMode or \"auto\"");
  }
  const auto atom = unwrap(ir::mma_atom_shape(bits, *mode), args.span());
  if (shape.back() % atom.back() != 0) {
    const auto smaller = widest_mode(bits, shape);
    fail_help(args.span(0),
              fmt::format("rows of {} elements are no multiple of the {} of a {} swizzle atom",
                          shape.back(), atom.back(), mode_text(*mode)),
              smaller ? fmt::format("use the {} swizzle", mode_text(*smaller))
                      : fmt::format("make the rows a multiple of {}", atom.back()));
  }
  spec.default_layout = false;
  spec.layout = unwrap(ir::mma_shared_layout(bits, *mode, shape), args.span());
  return place(interpreter, args, std::move(spec), 1024);
}

Value pool_move(Interpreter&, const Arguments& args) {
  auto* pool = args.self.as<Pool>();
  const std::int64_t offset = args.integer(0);
  if (offset < 0 || offset > (std::int64_t{1} << 30)) {
    fail(args.span(0), "the offset must be non-negative, not {}", offset);
  }
  pool->offset = offset;
  return {};
}

Value pool_commit(Interpreter&, const Arguments&) {
  return {};
}

Value pool_offset(Interpreter&, const Value& self, Span) {
  return self.as<Pool>()->offset;
}

constexpr auto kSmemPoolMethods = std::to_array<BuiltinFunction>({
    {"alloc", "shape, dtype='float32', align=, layout='default'", pool_alloc, "The next buffer."},
    {"alloc_tcgen05_mma_AB", "shape, dtype='float16', swizzle_mode='auto'", pool_alloc_mma,
     "The next buffer, as matrix instructions read it."},
    {"alloc_mma", "shape, dtype='float16', swizzle_mode='auto'", pool_alloc_mma,
     "The next buffer, as matrix instructions read it."},
    {"move_base_to", "offset", pool_move, "Goes on at a byte offset (buffers may overlap)."},
    {"commit", "", pool_commit, "Ends the allocation."},
});

constexpr auto kPoolProperties = std::to_array<Property>({
    {"offset", pool_offset, "Where the next buffer goes, in bytes."},
});

constexpr auto kSmemPoolFunctions = std::to_array<BuiltinFunction>({
    {"SMEMPool", "", make_pool, "Buffers in the one dynamic shared allocation."},
});

}  // namespace

const ObjectType Pool::kType{.name = "pool"};

void register_smem_pool(Registry& registry) {
  registry.add("T", kSmemPoolFunctions);
  registry.add_methods("pool", kSmemPoolMethods);
  registry.add_properties("pool", kPoolProperties);
}

}  // namespace tirx::dsl
