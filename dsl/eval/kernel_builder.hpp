// What does the kernel under construction consist of so far?  Parameters, symbols, scope ids, and
// the statement list that is being filled.  Built-ins of `T` write here.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsl/eval/error.hpp"
#include "dsl/eval/value.hpp"
#include "ir/kernel.hpp"

namespace tirx::dsl {

/// What a buffer is made of; see ir::BufferNode.
struct BufferSpec {
  std::string name;
  num::DType dtype = num::DType::f32;
  std::vector<ir::Expr> shape;
  bool default_layout = true;  // row-major; otherwise `layout` as given (nothing: layout=None)
  std::optional<ir::Layout> layout;
  std::vector<ir::Expr> strides;
  ir::Expr offset;
  ir::MemoryScope scope = ir::MemoryScope::global;
  std::int64_t alignment = 0;  // 0: the default
  bool scalar = false;
  Span span;
};

class KernelBuilder {
 public:
  KernelBuilder(SourceRef source, std::string name, Span span);

  [[nodiscard]] ir::Kernel& kernel() { return kernel_; }

  void emit(ir::Stmt stmt);

  template <typename Node>
  void emit(Span span, Node node) {
    emit(ir::Stmt{span, std::move(node)});
  }

  /// Statements go to `body` while this lives.
  class Into {
   public:
    Into(KernelBuilder& builder, ir::Body& body) : builder_(builder), previous_(builder.current_) {
      builder.current_ = &body;
    }

    ~Into() { builder_.current_ = previous_; }

    Into(const Into&) = delete;
    Into& operator=(const Into&) = delete;

   private:
    KernelBuilder& builder_;
    ir::Body* previous_;
  };

  /// Depth of loops that exist at run time: `break` needs one.
  int loop_depth = 0;
  /// Depth of conditions and loops that exist at run time.
  int block_depth = 0;

  // ---- parameters and symbols
  // --------------------------------------------------------------------

  [[nodiscard]] ir::Expr add_handle(const std::string& name, ir::Type pointee, Span span);
  [[nodiscard]] int find_handle(const ir::Expr& value) const;  // parameter index, or -1
  [[nodiscard]] num::DType handle_dtype(int index) const;      // said by T.handle("…"), or f32
  void add_scalar(const std::string& name, const ir::Var& var, Span span);
  void add_tensor(const std::string& name, BufferSpec spec, ir::Buffer& made);
  void add_absent(const std::string& name, Span span);
  /// A fresh symbolic dimension; listed in the kernel once a shape uses it.
  [[nodiscard]] ir::Var new_symbol(const std::string& name, ir::Type type, Span span);
  /// The symbol that a string dimension names: made on first use.
  [[nodiscard]] ir::Var named_symbol(const std::string& name, Span span);
  [[nodiscard]] bool is_symbol(const ir::Var& var) const;
  /// Lists the symbols of an expression in the order of first use.
  void use_symbols(const ir::Expr& expr);

  // ---- device part
  // -------------------------------------------------------------------------------

  void device_entry(Span span);

  [[nodiscard]] bool on_device() const { return on_device_; }

  /// An error unless T.device_entry() has been.
  void need_device(std::string_view what, Span span) const;

  /// T.launch_thread, T.thread_binding: "blockIdx.x" … "threadIdx.z".
  [[nodiscard]] ir::Var launch_axis(const std::string& tag,
                                    const ir::Expr& extent,
                                    const std::string& name,
                                    Span span);

  // ---- buffers
  // -----------------------------------------------------------------------------------

  /// A buffer with storage of its own (parameter >= 0: the argument's).
  [[nodiscard]] ir::Buffer make_buffer(BufferSpec spec, int parameter = -1);
  /// Another view of a storage.
  [[nodiscard]] ir::Buffer make_view(BufferSpec spec, const ir::StorageRef& storage);
  /// A mutable scalar, uninitialised: emits its Allocate.
  [[nodiscard]] ir::Buffer make_scalar(const std::string& name, ir::Type type, Span span);

  /// Declares a view; one made above T.device_entry() is declared at the start of the device part.
  void emit_declare(Span span, const ir::Buffer& view);

  /// The dynamic shared allocation of T.SMEMPool; it grows until the kernel is finished.
  void make_arena(const std::string& name, Span span);
  void grow_arena(std::int64_t bytes, std::int64_t alignment, Span span);
  std::shared_ptr<ir::BufferNode> arena;

  /// Checks what can be checked only at the end, and gives the kernel.
  [[nodiscard]] ir::Kernel finish();

  [[nodiscard]] const SourceRef& source() const { return kernel_.source; }

 private:
  struct LaunchAxis {
    ir::Var var;
    ir::Expr extent;
    Span span;
  };

  ir::Kernel kernel_;
  ir::Body* current_;
  bool on_device_ = false;
  Span device_entry_span_;
  std::size_t statements_ = 0;
  std::unordered_map<const ir::Variable*, int> handles_;
  std::vector<ir::Type> handle_types_;

  struct Symbol {
    ir::Var var;
    bool listed;  // in the kernel
  };

  [[nodiscard]] std::shared_ptr<ir::BufferNode> new_node(BufferSpec spec);

  std::vector<ir::Var> handle_vars_;
  std::unordered_map<const ir::Variable*, Symbol> symbols_;
  std::map<std::string, ir::Var> named_symbols_;
  std::array<std::array<std::optional<LaunchAxis>, 3>, 2> launch_axes_;
  bool has_dynamic_shared_ = false;
  ir::Body early_views_;
  std::shared_ptr<ir::Storage> arena_storage_;
  std::int64_t arena_bytes_ = 0;

  friend class Into;
};

}  // namespace tirx::dsl
