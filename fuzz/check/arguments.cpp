#include "fuzz/check/arguments.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/visit.hpp"
#include "lower/bind.hpp"
#include "lower/symbol.hpp"
#include "numerics/convert.hpp"

namespace tirx::fuzz {

namespace {

using lower::Binding;
using num::DType;

/// The memory that a whole number of elements takes, behind `before` bytes of somebody else.
ir::Tensor placed(const ir::Tensor& like, std::shared_ptr<ir::Memory> memory, std::int64_t first) {
  ir::Tensor tensor = like;
  tensor.memory = std::move(memory);
  tensor.offset = first;
  return tensor;
}

/// Whether the statements write the storage; through a pointer, they may.
enum class Writes : std::uint8_t { no, maybe, certainly };

Writes writes(const ir::Body& body, const ir::Storage* storage) {
  bool stored = false, pointed_at = false;
  ir::for_each_in_body(
      body,
      [&](const ir::Stmt& stmt) {
        if (const auto* store = std::get_if<ir::Store>(&stmt.node))
          stored = stored || store->to.buffer->storage.get() == storage;
        const auto* call = std::get_if<ir::TileCall>(&stmt.node);
        if (call == nullptr || call->operands.empty()) return;
        const auto* region = std::get_if<ir::Region>(&call->operands[0]);
        stored = stored || (region != nullptr && region->buffer->storage.get() == storage);
      },
      [&](const ir::Expr& expr) {
        const auto* pointer = ir::as<ir::AddressOf>(expr);
        pointed_at =
            pointed_at || (pointer != nullptr && pointer->element.buffer->storage.get() == storage);
      });
  if (stored) return Writes::certainly;
  return pointed_at ? Writes::maybe : Writes::no;
}

class Launches {
 public:
  Launches(const lower::LoweredKernel& kernel,
           std::span<const ir::Argument> arguments,
           const ir::Kernel* tile)
      : kernel_(kernel), tile_(tile), arguments_(arguments.begin(), arguments.end()) {}

  std::optional<std::string> run() {
    const Result<Binding> taken = lower::bind(kernel_, arguments_);
    if (!taken) return "the arguments of a launch are refused: " + taken.error().text;
    counts();
    for (std::size_t i = 0; i < arguments_.size() && !wrong_; ++i) {
      const ir::Param& param = kernel_.params[i];
      if (param.absent) continue;
      if (param.scalar) {
        number(i, *taken);
      } else {
        other_kinds(i);
        sizes(i, *taken);
        symbols(i);
      }
    }
    neighbours(*taken);
    grid();
    limits();
    return wrong_;
  }

 private:
  [[nodiscard]] const ir::Tensor& tensor(std::size_t i) const {
    return std::get<ir::Tensor>(arguments_[i]);
  }

  void wrong(std::string_view what, std::string_view how) {
    if (!wrong_) wrong_ = fmt::format("{}: {}", what, how);
  }

  /// Must be refused, with these words.
  void refused(const std::vector<ir::Argument>& arguments,
               std::string_view what,
               std::string_view words) {
    refused(lower::bind(kernel_, arguments), what, words);
  }

  void refused(const Result<Binding>& bound, std::string_view what, std::string_view words) {
    if (bound) return wrong(what, "the launch is not refused");
    if (bound.error().text.find(words) == std::string::npos)
      wrong(what, fmt::format("refused for another reason: {}", bound.error().text));
  }

  std::vector<ir::Argument> with(std::size_t i, ir::Argument argument) const {
    std::vector<ir::Argument> changed = arguments_;
    changed[i] = std::move(argument);
    return changed;
  }

  void counts() {
    std::vector<ir::Argument> changed = arguments_;
    changed.emplace_back(ir::ScalarValue{});
    refused(changed, "one argument too many", "arguments, not");
    if (arguments_.empty()) return;
    changed = arguments_;
    changed.pop_back();
    refused(changed, "one argument too few",
            fmt::format("takes {} arguments, not {}", arguments_.size(), changed.size()));
  }

  /// The same number as another type is the same number.
  void number(std::size_t i, const Binding& taken) {
    const ir::Param& param = kernel_.params[i];
    refused(with(i, ir::make_tensor(DType::i32, {1}, true)), "a tensor for a number",
            fmt::format("parameter {} takes a number", param.name));
    const DType dtype = param.scalar->type.dtype;
    const std::uint64_t bits = taken.constants.at(param.scalar.get());
    for (const DType other : {DType::i64, DType::f64, DType::f32}) {
      const std::uint64_t there = num::convert(bits, dtype, other);
      if (num::convert(there, other, dtype) != bits) continue;
      const Result<Binding> bound = lower::bind(kernel_, with(i, ir::ScalarValue{other, there}));
      if (!bound) return wrong("a number of another type", bound.error().text);
      if (bound->constants.at(param.scalar.get()) != bits)
        return wrong("a number of another type", "it becomes another number");
    }
  }

  void other_kinds(std::size_t i) {
    const ir::Param& param = kernel_.params[i];
    const ir::Tensor& given = tensor(i);
    const std::string takes = fmt::format("parameter {} takes a tensor", param.name);
    refused(with(i, ir::ScalarValue{}), "a number for a tensor", takes);
    refused(with(i, std::monostate{}), "nothing for a tensor", takes);
    const DType other = given.dtype == DType::i32 ? DType::f32 : DType::i32;
    refused(with(i, ir::make_tensor(other, given.shape, true)), "another dtype",
            fmt::format("takes a {} tensor, not {}", num::name(given.dtype), num::name(other)));
    ir::Tensor gaps = given;
    for (std::size_t d = 0; d < gaps.shape.size() && given.size() > 0; ++d) {
      if (gaps.shape[d] < 2) continue;
      gaps.strides[d] *= 2;
      refused(with(i, gaps), "a tensor with gaps", "has gaps");
      break;
    }
    if (num::bits(given.dtype) < 8 || given.size() == 0) return;
    ir::Tensor outside = given;
    ++outside.offset;
    outside.offset +=
        static_cast<std::int64_t>(given.memory->bytes.size()) / num::bytes(given.dtype) -
        given.offset - given.size();
    refused(with(i, outside), "a tensor behind its memory", "leaves its memory");
    outside.offset = -1;
    refused(with(i, outside), "a tensor before its memory", "leaves its memory");
  }

  /// Shapes of more and of fewer elements.
  void sizes(std::size_t i, const Binding& taken) {
    const ir::Param& param = kernel_.params[i];
    const ir::BufferNode& buffer = *param.buffer;
    const ir::Tensor& given = tensor(i);
    const bool plain = !buffer.layout && buffer.strides.empty() && !buffer.offset;
    bool constant = !given.shape.empty() && buffer.shape.size() == given.shape.size();
    std::int64_t reach = 0, size = 1;
    for (std::size_t d = given.shape.size(); constant && d-- > 0;) {
      std::int64_t extent = 0;
      constant = ir::is_const_int(buffer.shape[d], extent);
      reach += (extent - 1) * size;
      size *= extent;
    }
    // Who has no symbols and a row behind the other: all of its elements are needed.
    if (!constant || num::bits(given.dtype) < 8) return;
    if (!plain && !(buffer.strides.empty() && !buffer.offset)) return;
    const std::size_t first = 0, last = given.shape.size() - 1;
    for (const std::size_t d : {first, last}) {
      for (const int by : {-1, 1}) {
        std::vector<std::int64_t> shape = given.shape;
        shape[d] += by;
        const bool fewer = by < 0;
        if (!plain && !fewer) continue;
        if (!plain && buffer.layout->tile.span() != given.size()) continue;
        refused(with(i, ir::make_tensor(given.dtype, shape, true)),
                fewer ? "a row too few" : "a row too many",
                fmt::format("parameter {} ", param.name));
      }
    }
    // As many elements in one row are another shape, and enough for a layout.
    const Result<Binding> flat = lower::bind(
        kernel_, with(i, ir::make_tensor(given.dtype, {given.size(), 1, 1, 1, 1, 1}, true)));
    if (plain) return refused(flat, "another rank", "has shape");
    if (!flat) wrong("as many elements in another shape", flat.error().text);
    (void)taken;
  }

  /// Dimensions that are a symbol's first: beyond the largest value, also where its type would make
  /// a small one of it.
  void symbols(std::size_t i) {
    const std::vector<ir::Expr>& shape = kernel_.params[i].buffer->shape;
    const ir::Tensor& given = tensor(i);
    for (std::size_t d = 0; d < shape.size() && shape.size() == given.shape.size(); ++d) {
      const auto* ref = ir::as<ir::VarRef>(shape[d]);
      if (ref == nullptr || std::find(kernel_.symbols.begin(), kernel_.symbols.end(), ref->var) ==
                                kernel_.symbols.end())
        continue;
      if (!known_symbols_.insert(ref->var.get()).second) continue;
      const DType dtype = ref->var->type.dtype;
      const std::int64_t largest = lower::largest_symbol(dtype);
      for (const std::int64_t beyond :
           {largest + 1,
            num::bits(dtype) > 32 ? largest + 1 : (std::int64_t{1} << num::bits(dtype)) + 1}) {
        ir::Tensor large = given;
        large.shape[d] = beyond;
        refused(with(i, large), "a symbol beyond its largest value",
                fmt::format("{} is {}; a symbol of type {} is at most {}", ref->var->name, beyond,
                            num::name(dtype), largest));
      }
    }
    for (const ir::Expr& stride : kernel_.params[i].buffer->strides) {
      if (const auto* ref = ir::as<ir::VarRef>(stride)) known_symbols_.insert(ref->var.get());
    }
  }

  /// Two tensors in one memory, side by side and then one byte nearer; which two, the number of
  /// arguments says.
  void neighbours(const Binding& taken) {
    const std::size_t count = taken.tensors.size();
    for (std::size_t turn = 0; turn + 1 < count; ++turn) {
      const std::size_t k = (turn + arguments_.size() * 5) % (count - 1) + 1;
      const lower::BoundTensor &one = taken.tensors[k - 1], &other = taken.tensors[k];
      const std::size_t a = place_of(one.param), b = place_of(other.param);
      const ir::Tensor &left = tensor(a), &right = tensor(b);
      const std::int64_t bytes = num::bytes(left.dtype);
      if (num::bits(left.dtype) < 8 || num::bits(left.dtype) != num::bits(right.dtype)) continue;
      if (left.size() == 0 || right.size() == 0) continue;
      const Writes first = writes(kernel_.body, one.storage),
                   second = writes(kernel_.body, other.storage);
      const bool sure = first == Writes::certainly || second == Writes::certainly;
      const bool unsure = first == Writes::maybe || second == Writes::maybe;
      const bool written = sure || (unsure && (one.written || other.written));
      const auto memory = std::make_shared<ir::Memory>(
          static_cast<std::size_t>(bytes * (left.size() + right.size())), true);
      for (const bool left_first : {true, false}) {
        for (const int nearer : {0, 1}) {
          std::vector<ir::Argument> changed = arguments_;
          const std::int64_t behind = (left_first ? left.size() : right.size()) - nearer;
          changed[a] = placed(left, memory, left_first ? 0 : behind);
          changed[b] = placed(right, memory, left_first ? behind : 0);
          const Result<Binding> bound = lower::bind(kernel_, changed);
          if (nearer == 1 && written) {
            refused(bound, "tensors that overlap", "overlap in memory");
            if (tile_ != nullptr && sure)
              refused(lower::bind(tile_signature(), changed), "tensors that overlap, at tile level",
                      "overlap in memory");
          } else if (!bound) {
            wrong("tensors side by side", bound.error().text);
          }
        }
      }
      return;  // one pair a launch
    }
  }

  [[nodiscard]] std::size_t place_of(const ir::Param* param) const {
    return static_cast<std::size_t>(param - kernel_.params.data());
  }

  [[nodiscard]] lower::Signature signature() const {
    return {kernel_.name,
            kernel_.span,
            kernel_.params,
            kernel_.symbols,
            kernel_.host_body,
            kernel_.body,
            kernel_.launch,
            kernel_.target != nullptr ? *kernel_.target : ir::default_target(),
            kernel_.static_shared_bytes,
            kernel_.dynamic_shared_bytes};
  }

  /// What the tile-level evaluator binds to.
  [[nodiscard]] lower::Signature tile_signature() const {
    return {tile_->name,      tile_->span,
            tile_->params,    tile_->symbols,
            tile_->host_body, tile_->body,
            kernel_.launch,   kernel_.target != nullptr ? *kernel_.target : ir::default_target()};
  }

  void grid() {
    // What the compiler of the kernel refuses where it is a constant.
    for (std::size_t d = 0; d < 3; ++d) {
      for (const std::int64_t ctas : {std::int64_t{0}, d == 0 ? std::int64_t{1} << 31 : 65536}) {
        lower::Signature changed = signature();
        changed.launch.grid[d] = ir::make_int(ctas, ir::kInt64);
        refused(lower::bind(changed, arguments_), "a grid out of bounds",
                fmt::format("grid dimension {} is {}; it must be in [1, ", d, ctas));
      }
      lower::Signature largest = signature();
      const std::int64_t most = d == 0 ? (std::int64_t{1} << 31) - 1 : 65535;
      const std::int64_t own = kernel_.launch.cluster[d];
      largest.launch.grid[d] = ir::make_int(most / own * own, ir::kInt64);
      const Result<Binding> bound = lower::bind(largest, arguments_);
      if (!bound) {
        wrong("the largest grid", bound.error().text);
      } else if (bound->grid[d] != most / own * own) {
        wrong("the largest grid", "it is another one");
      }
    }
    lower::Signature changed = signature();
    changed.launch.cluster[0] = 3;
    changed.launch.grid[0] = ir::make_int(4);
    refused(lower::bind(changed, arguments_), "a part of a cluster",
            "no multiple of the cluster's");
    lower::Signature unknown = signature();
    const ir::Var symbol =
        std::make_shared<const ir::Variable>(ir::Variable{"unsolved", ir::kInt32, kernel_.span});
    std::vector<ir::Var> symbols = kernel_.symbols;
    unknown.launch.grid[1] = ir::make_var(symbol, {});
    refused(lower::bind(unknown, arguments_), "a grid of an unknown size", "grid is not known");
    symbols.push_back(symbol);
    const lower::Signature unsolved{unknown.name,
                                    unknown.span,
                                    unknown.params,
                                    symbols,
                                    unknown.host_body,
                                    unknown.body,
                                    unknown.launch,
                                    unknown.target,
                                    unknown.static_shared_bytes,
                                    unknown.dynamic_shared_bytes};
    refused(lower::bind(unsolved, arguments_), "a symbol that nothing gives", "unsolved");
  }

  void limits() {
    const ir::Target& target = kernel_.target != nullptr ? *kernel_.target : ir::default_target();
    for (const int more : {0, 1}) {
      lower::Signature threads = signature();
      threads.launch.block = {1, target.max_threads_per_cta + more, 1};
      limit(threads, more, "threads in a CTA", "threads in a CTA");
      lower::Signature fixed = signature();
      fixed.dynamic_shared_bytes = 0;
      fixed.static_shared_bytes = target.max_static_shared + more;
      limit(fixed, more, "static shared memory", "bytes of static shared memory");
      lower::Signature all = signature();
      all.static_shared_bytes = 1024;
      all.dynamic_shared_bytes = target.max_dynamic_shared - 1024 + more;
      limit(all, more, "shared memory", "bytes of shared memory");
    }
    lower::Signature none = signature();
    none.launch.block[2] = 0;
    refused(lower::bind(none, arguments_), "no thread", "threads in a CTA");
  }

  void limit(const lower::Signature& changed,
             int more,
             std::string_view what,
             std::string_view words) {
    const Result<Binding> bound = lower::bind(changed, arguments_);
    if (more > 0) return refused(bound, fmt::format("too much of {}", what), words);
    if (!bound) wrong(fmt::format("as much as there is of {}", what), bound.error().text);
  }

  const lower::LoweredKernel& kernel_;
  const ir::Kernel* tile_;
  std::vector<ir::Argument> arguments_;
  std::set<const ir::Variable*> known_symbols_;
  std::optional<std::string> wrong_;
};

}  // namespace

std::optional<std::string> wrong_binding(const lower::LoweredKernel& kernel,
                                         std::span<const ir::Argument> arguments,
                                         const ir::Kernel* tile) {
  return Launches(kernel, arguments, tile).run();
}

}  // namespace tirx::fuzz
