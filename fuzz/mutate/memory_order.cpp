// Releases, acquires, scopes and atomics that order less than they did (PTX ISA 8, memory
// consistency model); barriers that not all threads reach; shuffles.
#include <fmt/format.h>

#include "fuzz/mutate/places.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using ir::MachineCall;
using ir::Stmt;
using num::ScalarOp;

/// ".word." of an instruction, or the order in the text of an atomic.
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::string whole = "." + text + ".";
  const std::size_t at = whole.find(fmt::format(".{}.", from));
  if (at == std::string::npos) return {};
  return text.replace(at, from.size(), to);
}

/// The same instruction by another text; null where the ISA has none of that text.
std::shared_ptr<const ir::ptx::Instruction> instruction_of(const std::string& text) {
  if (text.empty()) return nullptr;
  Result<ir::ptx::Instruction> made = ir::ptx::parse(text);
  if (!made) return nullptr;
  return std::make_shared<const ir::ptx::Instruction>(std::move(made).value());
}

std::string_view type_word(num::DType dtype) {
  switch (dtype) {
    case num::DType::i32:
      return "s32";
    case num::DType::u32:
      return "u32";
    case num::DType::i64:
      return "s64";
    case num::DType::u64:
      return "u64";
    case num::DType::f32:
      return "f32";
    default:
      return {};
  }
}

class Finder {
 public:
  explicit Finder(Places& places) : places_(places) {
    for (const ir::ScopeIdDef& def : places.kernel().scope_ids) {
      std::int64_t extent = 0;
      if (def.kind == ir::ScopeIdKind::thread_id && def.vars.size() == 1 &&
          def.extents.size() == 1 && ir::is_const_int(def.extents[0], extent))
        threads_ = extent;
    }
  }

  void run() {
    number_statements(places_.kernel(), [this](std::size_t n, const Stmt& stmt) {
      const MachineCall* call = call_of(stmt);
      if (call == nullptr) return;
      barriers(n, stmt, *call);
      weaker(n, stmt, *call);
      if (std::holds_alternative<ir::Evaluate>(stmt.node)) plain(n, stmt, *call);
    });
    number_expressions(places_.kernel(), [this](std::size_t n, const Expr& expr, const Stmt& in) {
      if (const auto* call = ir::as<MachineCall>(expr)) shuffle(n, expr, *call, in.span);
    });
  }

 private:
  void call(std::string_view kind,
            std::size_t n,
            const Stmt& stmt,
            const std::function<void(MachineCall&)>& change) {
    places_.statement(kind, n, stmt, [change](const Stmt& old) {
      MachineCall changed = *call_of(old);
      change(changed);
      return ir::Body{with_call(old, std::move(changed))};
    });
  }

  void barriers(std::size_t n, const Stmt& stmt, const MachineCall& sync) {
    if (is_one_of<ir::CtaSync>(sync.op) && threads_ >= 2) {
      const std::int64_t half = threads_ > 32 ? threads_ / 64 * 32 : threads_ / 2;
      places_.whole("barrier under a condition", stmt.span, describe({stmt}),
                    fmt::format("if thread_id < {}: {}", half, describe({stmt})),
                    [n, half](const ir::Kernel& kernel) {
                      for (const ir::ScopeIdDef& def : kernel.scope_ids) {
                        if (def.kind != ir::ScopeIdKind::thread_id || def.vars.size() != 1)
                          continue;
                        const Expr id = ir::make_var(def.vars[0]);
                        const Expr some = scalar(ScalarOp::lt, id, same_type(half, id));
                        return with_statement(
                            kernel, n, [&](const Stmt& old) { return only_where(some, old); });
                      }
                      return kernel;
                    });
    }
    std::int64_t known = 0;
    if (!is_one_of<ir::NamedBarrierSync, ir::NamedBarrierArrive>(sync.op)) return;
    if (ir::is_const_int(sync.args[0], known)) {
      call("wrong barrier id", n, stmt, [known](MachineCall& changed) {
        changed.args[0] = same_type((known + 1) % 16, changed.args[0]);
      });
    }
    if (sync.args.size() > 1 && sync.args[1] && ir::is_const_int(sync.args[1], known)) {
      call("barrier's thread count off", n, stmt, [known](MachineCall& changed) {
        changed.args[1] = same_type(known + 32, changed.args[1]);
      });
    }
  }

  void weaker(std::size_t n, const Stmt& stmt, const MachineCall& old) {
    if (is_one_of<ir::LoadAcquire, ir::StoreRelease>(old.op)) by_name(n, stmt, old);
    const bool arrival = is_one_of<ir::PtxMbarrierArrive>(old.op);
    if (arrival && old.text.find("relaxed") == std::string::npos &&
        old.text.find("noComplete") == std::string::npos) {
      std::string text = replaced(old.text, "release", "relaxed");
      if (text.empty()) text = replaced(old.text, "arrive", "arrive.relaxed.cta");
      instruction("release made relaxed", n, stmt, text);
      return;
    }
    if (ir::spec(old.op).effect != ir::Effect::memory &&
        ir::spec(old.op).effect != ir::Effect::fence)
      return;
    const bool fence = ir::spec(old.op).effect == ir::Effect::fence;
    const std::string& text = old.text;
    const bool release = text.find("release") != std::string::npos;
    const bool acquire = text.find("acquire") != std::string::npos;
    const bool both = text.find("acq_rel") != std::string::npos;
    const auto put = [&](std::string_view kind, const std::string& changed) {
      if (old.instruction != nullptr) {
        instruction(kind, n, stmt, changed);
      } else if (!changed.empty()) {
        call(kind, n, stmt, [changed](MachineCall& c) { c.text = changed; });
      }
    };
    if (!fence && !is_one_of<ir::LoadAcquire, ir::StoreRelease>(old.op)) {
      if (release) put("release made relaxed", replaced(text, "release", "relaxed"));
      if (acquire) put("acquire made relaxed", replaced(text, "acquire", "relaxed"));
      if (both) put("release made relaxed", replaced(text, "acq_rel", "acquire"));
      if (both) put("acquire made relaxed", replaced(text, "acq_rel", "release"));
    }
    if (!fence && !release && !acquire && !both) return;
    for (const std::string_view scope : {"cluster", "gpu", "sys", "gl"}) {
      const std::string narrow = replaced(text, scope, "cta");
      if (!narrow.empty()) put("scope narrowed", narrow);
    }
  }

  /// ptx.ld.acquire and ptx.st.release of the language have no relaxed form of their own.
  void by_name(std::size_t n, const Stmt& stmt, const MachineCall& old) {
    const bool load = is_one_of<ir::LoadAcquire>(old.op);
    const auto* place = ir::as<ir::AddressOf>(old.args[0]);
    if (place == nullptr) return;
    const std::string_view type = type_word(place->element.buffer->dtype);
    if (type.empty()) return;
    const std::size_t dot = old.text.find('.');
    const std::string scope = dot == std::string::npos ? ".gpu" : old.text.substr(dot);
    instruction(load ? "acquire made relaxed" : "release made relaxed", n, stmt,
                fmt::format("{}.relaxed{}.{}", load ? "ld" : "st", scope, type));
  }

  void instruction(std::string_view kind,
                   std::size_t n,
                   const Stmt& stmt,
                   const std::string& text) {
    const auto made = instruction_of(text);
    if (made == nullptr) return;
    call(kind, n, stmt, [made](MachineCall& changed) {
      std::vector<Expr> args = std::move(changed.args);
      changed = ir::ptx::make_call(*made, std::move(args));
    });
  }

  /// atomic_add(p, v) without its result: *p = *p + v
  void plain(std::size_t n, const Stmt& stmt, const MachineCall& old) {
    if (!is_one_of<ir::AtomicAdd, ir::AtomicMin, ir::AtomicMax, ir::AtomicAnd, ir::AtomicOr,
                   ir::AtomicXor>(old.op) ||
        ir::as<ir::AddressOf>(old.args[0]) == nullptr)
      return;
    places_.statement("atomic made plain", n, stmt, [](const Stmt& made) {
      const MachineCall& atomic = *call_of(made);
      const ScalarOp op = is_one_of<ir::AtomicAdd>(atomic.op)   ? ScalarOp::add
                          : is_one_of<ir::AtomicMin>(atomic.op) ? ScalarOp::min
                          : is_one_of<ir::AtomicMax>(atomic.op) ? ScalarOp::max
                          : is_one_of<ir::AtomicAnd>(atomic.op) ? ScalarOp::bit_and
                          : is_one_of<ir::AtomicOr>(atomic.op)  ? ScalarOp::bit_or
                                                                : ScalarOp::bit_xor;
      const ir::Access& element = ir::as<ir::AddressOf>(atomic.args[0])->element;
      const Expr before = ir::make_expr(atomic.args[1]->type, made.span, ir::Load{element});
      return ir::Body{Stmt{made.span, ir::Store{element, scalar(op, before, atomic.args[1])}}};
    });
  }

  void shuffle(std::size_t n, const Expr& expr, const MachineCall& call, Span span) {
    if (!is_one_of<ir::ShuffleIdx, ir::ShuffleUp, ir::ShuffleDown, ir::ShuffleXor>(call.op)) return;
    places_.expression("shuffle distance off", n, expr, span, [](const Expr& old) {
      MachineCall changed = *ir::as<MachineCall>(old);
      changed.args[2] = scalar(ScalarOp::add, changed.args[2], same_type(1, changed.args[2]));
      return ir::make_expr(old->type, old->span, std::move(changed));
    });
  }

  Places& places_;
  std::int64_t threads_ = 0;
};

}  // namespace

void find_memory_order(Places& places) {
  Finder(places).run();
}

}  // namespace tirx::fuzz
