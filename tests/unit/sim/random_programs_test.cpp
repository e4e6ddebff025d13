// Random scalar programs: the warp interpreter (uniform registers, hoisting, ranges, strands,
// masks) against the tile-level evaluator, which knows none of that.  Bytes, validity and the kinds
// of fault must agree.
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "ir/all_ops.hpp"
#include "ir/print.hpp"
#include "ir/tensor.hpp"
#include "lower/lower.hpp"
#include "numerics/convert.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"
#include "tests/unit/lower/builder.hpp"

namespace tirx::testing {

namespace {

using num::DType;
using num::ScalarOp;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed), k_("random") {}

  Kernel make() {
    in_ = k_.param("In", DType::i32, {kSize});
    out_ = k_.param("Out", DType::i32, {kThreads * kCtas, kSlots});
    bx_ = k_.cta_id(kCtas);
    tx_ = k_.thread_id(kThreads);
    shared_ = k_.alloc("S", DType::i32, {kThreads, 4}, MemoryScope::shared);
    local_ = k_.alloc("L", DType::i32, {4}, MemoryScope::local);
    for (int i = 0; i < 4; ++i) {
      auto storage = std::make_shared<Storage>();
      storage->name = "m" + std::to_string(i);
      storage->scope = MemoryScope::local;
      storage->dtype = DType::i32;
      storage->elements = make_int(1);
      auto node = std::make_shared<BufferNode>();
      node->name = storage->name;
      node->dtype = DType::i32;
      node->shape = {make_int(1)};
      node->layout = Layout(TileLayout::row_major(Shape{1}).value());
      node->storage = storage;
      node->scalar = true;
      mutables_.push_back(node);
      k_.body({{{}, Allocate{node}}});
      k_.body({store(node, {0}, leaf())});
    }
    names_ = {make_var(tx_), make_var(bx_)};
    k_.body(block(3, 7));
    for (int i = 0; i < kSlots; ++i) {
      k_.body({store(out_, {row(), i}, load(mutables_[static_cast<std::size_t>(i) % 4], {0}))});
    }
    return k_.kernel();
  }

  static constexpr std::int64_t kThreads = 64, kCtas = 3, kSize = 96, kSlots = 6;

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  bool chance(int percent) { return below(100) < percent; }

  E row() { return E(bx_) * static_cast<int>(kThreads) + tx_; }

  Expr op(ScalarOp kind, const Expr& a, const Expr& b) { return scalar(kind, a, b); }

  Expr leaf() {
    switch (below(4)) {
      case 0:
        return make_int(below(9) - 2);
      case 1:
        return names_.empty()
                   ? make_var(tx_)
                   : names_[static_cast<std::size_t>(below(static_cast<int>(names_.size())))];
      case 2:
        return mutables_.empty() ? make_var(bx_)
                                 : load(mutables_[static_cast<std::size_t>(
                                            below(static_cast<int>(mutables_.size())))],
                                        {0});
      default:
        return make_var(tx_);
    }
  }

  /// An index into n elements: usually, but not always, inside.
  E index(int n) {
    if (chance(6)) return expression(1);
    return E(op(ScalarOp::floormod, expression(1), make_int(n)));
  }

  Expr expression(int depth) {
    if (depth == 0 || chance(25)) return leaf();
    switch (below(13)) {
      case 0:
      case 1:
        return op(ScalarOp::add, expression(depth - 1), expression(depth - 1));
      case 2:
        return op(ScalarOp::sub, expression(depth - 1), expression(depth - 1));
      case 3:
        return op(ScalarOp::mul, expression(depth - 1), expression(depth - 1));
      case 4:
        return op(ScalarOp::floordiv, expression(depth - 1),
                  chance(90) ? make_int(below(5) + 1) : expression(depth - 1));
      case 5:
        return op(ScalarOp::floormod, expression(depth - 1), make_int(below(7) + 1));
      case 6:
        return op(chance(50) ? ScalarOp::min : ScalarOp::max, expression(depth - 1),
                  expression(depth - 1));
      case 7:
        return op(ScalarOp::bit_xor, expression(depth - 1), expression(depth - 1));
      case 8:
        return load(in_, {index(static_cast<int>(kSize))});
      case 9:
        return load(shared_, {tx_, index(4)});
      case 10:
        return load(local_, {index(4)});
      case 11:
        return make_expr(
            kInt32, {}, Select{condition(depth - 1), expression(depth - 1), expression(depth - 1)});
      default:
        return make_expr(
            kInt32, {},
            IfThenElse{condition(depth - 1), expression(depth - 1), expression(depth - 1)});
    }
  }

  Expr condition(int depth) {
    if (depth > 0 && chance(20)) {
      if (chance(50)) return make_expr(kBool, {}, And{condition(depth - 1), condition(depth - 1)});
      return make_expr(kBool, {}, Or{condition(depth - 1), condition(depth - 1)});
    }
    constexpr ScalarOp kOps[] = {ScalarOp::lt, ScalarOp::le, ScalarOp::gt,
                                 ScalarOp::ge, ScalarOp::eq, ScalarOp::ne};
    return op(kOps[below(6)], expression(depth > 0 ? depth - 1 : 0), expression(0));
  }

  Body block(int depth, int length) {
    Body body;
    const std::size_t names = names_.size();
    const int count = 1 + below(length);
    for (int i = 0; i < count; ++i) statement(depth, body);
    names_.resize(names);
    return body;
  }

  const Buffer& variable() { return mutables_[static_cast<std::size_t>(below(4))]; }

  void statement(int depth, Body& body) {
    switch (below(depth > 0 ? 14 : 6)) {
      case 0:
      case 1:
        body.push_back(store(variable(), {0}, expression(3)));
        return;
      case 2:
        body.push_back(store(shared_, {tx_, index(4)}, expression(2)));
        return;
      case 3:
        body.push_back(store(local_, {index(4)}, expression(2)));
        return;
      case 4:
        body.push_back(store(out_, {row(), index(static_cast<int>(kSlots))}, expression(2)));
        return;
      case 5: {
        const Var var = make_variable("n");
        body.push_back({{}, Let{var, expression(2)}});
        names_.push_back(make_var(var));
        return;
      }
      case 6:
      case 7:
      case 8: {
        const Expr c = condition(2);
        Body yes = block(depth - 1, 4);
        Body no = chance(50) ? block(depth - 1, 4) : Body{};
        body.push_back(if_then(c, std::move(yes), std::move(no)));
        return;
      }
      case 9:
      case 10:
      case 11: {
        const Var var = make_variable("i");
        const E begin = chance(70) ? E(below(3)) : E(op(ScalarOp::floormod, leaf(), make_int(4)));
        const E end = chance(60) ? E(below(6)) : E(op(ScalarOp::floormod, leaf(), make_int(6)));
        names_.push_back(make_var(var));
        ++loops_;
        Body inner = block(depth - 1, 4);
        --loops_;
        names_.pop_back();
        body.push_back(for_range(var, begin, end, std::move(inner)));
        return;
      }
      case 12:
        if (loops_ > 0) {
          Body leave;
          if (chance(50)) {
            leave.push_back({{}, Break{}});
          } else {
            leave.push_back({{}, Continue{}});
          }
          body.push_back(if_then(condition(1), std::move(leave)));
        }
        return;
      default:
        if (chance(8)) body.push_back(if_then(condition(2), {{{}, Return{}}}));
        return;
    }
  }

  std::mt19937 random_;
  KernelBuilder k_;
  Buffer in_, out_, shared_, local_;
  Var bx_, tx_;
  std::vector<Buffer> mutables_;
  std::vector<Expr> names_;
  int loops_ = 0;
};

std::set<FaultKind> kinds(const LaunchOutcome& outcome) {
  std::set<FaultKind> result;
  for (const Fault& fault : outcome.faults) {
    // The simulator alone looks for overflow; the evaluator wraps silently.
    if (fault.kind != FaultKind::overflow) result.insert(fault.kind);
  }
  return result;
}

Tensor input() {
  Tensor tensor = make_tensor(DType::i32, {Generator::kSize}, true);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    num::store_element(reinterpret_cast<std::uint8_t*>(tensor.memory->bytes.data()),
                       static_cast<std::size_t>(i), DType::i32,
                       static_cast<std::uint64_t>(i * 7 % 11));
  }
  return tensor;
}

/// Whether both agree; prints the program if not.
bool agree(unsigned seed, sim::Schedule schedule, int threads) {
  Kernel kernel = Generator(seed).make();
  const Result<lower::LoweredKernel> lowered = lower::lower(kernel, default_target());
  if (!lowered) return true;  // the verifier has its own tests
  const Shape shape = {Generator::kThreads * Generator::kCtas, Generator::kSlots};
  const Tensor x = make_tensor(DType::i32, shape, false), y = make_tensor(DType::i32, shape, false);
  sim::SimOptions options;
  options.schedule = schedule;
  options.threads = threads;
  const LaunchOutcome a =
      sim::simulate(lowered.value(), std::vector<Argument>{input(), x}, options);
  const LaunchOutcome b = sim::tile_evaluate(kernel, std::vector<Argument>{input(), y});
  // After poison has decided a branch or an address anything may follow; both must have said so.
  const bool uninit = kinds(a).contains(FaultKind::uninit);
  if (uninit && kinds(b).contains(FaultKind::uninit)) return true;
  bool same = a.status == b.status && x.memory->valid == y.memory->valid && kinds(a) == kinds(b);
  for (std::size_t i = 0; i < x.memory->bytes.size() && same; ++i) {
    same = !x.memory->is_valid(i, i + 1) || x.memory->bytes[i] == y.memory->bytes[i];
  }
  if (!same) {
    MESSAGE("seed " << seed << "\n" << to_string(kernel));
    for (const Fault& fault : a.faults) MESSAGE("simulator: " << fault.text);
    for (const Fault& fault : b.faults) MESSAGE("evaluator: " << fault.text);
    for (const Diagnostic& d : a.diagnostics) MESSAGE("simulator: " << d.text);
    for (const Diagnostic& d : b.diagnostics) MESSAGE("evaluator: " << d.text);
    for (std::size_t i = 0; i + 4 <= x.memory->bytes.size(); i += 4) {
      if (x.memory->is_valid(i, i + 4) != y.memory->is_valid(i, i + 4)) {
        MESSAGE("validity differs first at element " << i / 4);
        break;
      }
      if (x.memory->is_valid(i, i + 4) &&
          !std::equal(x.memory->bytes.begin() + static_cast<std::ptrdiff_t>(i),
                      x.memory->bytes.begin() + static_cast<std::ptrdiff_t>(i + 4),
                      y.memory->bytes.begin() + static_cast<std::ptrdiff_t>(i))) {
        MESSAGE("bytes differ first at element " << i / 4);
        break;
      }
    }
  }
  return same;
}

}  // namespace

TEST_CASE("random programs: simulator and tile-level evaluator agree") {
  const char* count = std::getenv("TIRX_RANDOM_PROGRAMS");
  const unsigned programs = count != nullptr ? static_cast<unsigned>(std::atoi(count)) : 300;
  const char* first = std::getenv("TIRX_RANDOM_SEED");
  const unsigned from = first != nullptr ? static_cast<unsigned>(std::atoi(first)) : 1;
  int failed = 0;
  for (unsigned seed = from; seed < from + programs && failed < 3; ++seed) {
    const auto schedule = static_cast<sim::Schedule>(seed % 3);
    const bool same = agree(seed, schedule, static_cast<int>(seed % 2) + 1);
    CHECK_MESSAGE(same, "seed " << seed);
    failed += same ? 0 : 1;
  }
}

}  // namespace tirx::testing
