// Statements of every kind in which one operand changes what another reads: they happen from left
// to right (docs/language.md), which C++ does not promise.  Each thread has its element.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

class Sequence {
 public:
  explicit Sequence(Draft& draft) : draft_(draft), s_(draft.fresh("S")), m_(draft.fresh("m")) {
    draft.line("{} = T.alloc_shared(({},), \"int32\")", s_, draft.threads);
    draft.line("{}[tx] = {} & 63", s_, expression(draft, DType::i32, 1));
    draft.line("{}: T.int32 = {}", m_, draft.dice.below(9));
  }

  [[nodiscard]] std::string read() const { return s_ + "[tx]"; }

  std::string update() {
    return fmt::format("T.cuda.atomic_{}({}.ptr_to([tx]), {})",
                       draft_.dice.one_of<const char*>({"add", "exch", "add"}), s_,
                       draft_.dice.between(1, 20));
  }

  std::string either() { return draft_.dice.chance(50) ? read() : update(); }

  /// Two operands, one of them an effect.
  std::pair<std::string, std::string> both() {
    if (draft_.dice.chance(50)) return {read(), update()};
    return {update(), either()};
  }

  void add(const std::string& value) { draft_.line("{} = {} * 3 + {}", m_, m_, value); }

  void expressions() {
    const auto [a, b] = both();
    const char* wide = draft_.dice.one_of<const char*>({"int64", "uint64", "float64"});
    switch (draft_.dice.below(8)) {
      case 0:
        return add(fmt::format("T.cast(T.cast({}, \"{}\") - T.cast({}, \"{}\"), \"int32\")", a,
                               wide, b, wide));
      case 1:
        return add(fmt::format("T.Select({} > {}, {}, {})", a, b, either(), either()));
      case 2:
        return add(
            fmt::format("T.reinterpret(\"int32\", T.reinterpret(\"uint32\", {}) ^ "
                        "T.reinterpret(\"uint32\", {}))",
                        a, b));
      case 3: {
        const std::string x = draft_.fresh("x");
        draft_.line("{} = T.make_vector([{}, {}, {}, {}])", x, a, b, either(), read());
        return add(fmt::format("{0}[0] + {0}[1] * 5 + {0}[2] * 25 + {0}[3] * 125", x));
      }
      case 4: {
        const std::string x = draft_.fresh("x");
        draft_.line("{} = T.Broadcast({} * 7 - {}, {})", x, a, b, draft_.dice.one_of({2, 4}));
        return add(x + "[1]");
      }
      case 5:
        return add(fmt::format("T.if_then_else({} + {} > {}, {}, {})", a, b, draft_.dice.below(80),
                               update(), read()));
      case 6:
        return add(fmt::format("T.fma({}, {}, {})", "T.cast(" + a + ", \"float32\")",
                               "T.cast(" + b + ", \"float32\")",
                               "T.cast(" + either() + ", \"float32\")"));
      default:
        return add(fmt::format("T.max({} & 31, {}) - T.min({}, ~{})", a, b, either(), read()));
    }
  }

  void statements() {
    const auto [a, b] = both();
    switch (draft_.dice.below(7)) {
      case 0: {
        const std::string i = draft_.fresh("i");
        draft_.line("for {} in range({} & 1, ({} & 3) + 2):", i, a, b);
        const Draft::Block block(draft_);
        return add(i);
      }
      case 1: {
        // Ends: what is read grows with each turn.
        draft_.line("{}[tx] = 1", s_);
        draft_.line("while {} + T.cuda.atomic_add({}.ptr_to([tx]), {}) < {}:", read(), s_,
                    draft_.dice.between(1, 5), draft_.dice.between(0, 30));
        const Draft::Block block(draft_);
        if (draft_.dice.chance(40)) {
          draft_.line("if {} % 3 == 1:", read());
          const Draft::Block inner(draft_);
          draft_.line("continue");
        }
        return add(read());
      }
      case 2: {
        draft_.line("if {} > {} {} {} > {}:", a, b, draft_.dice.one_of<const char*>({"and", "or"}),
                    update(), draft_.dice.below(40));
        {
          const Draft::Block block(draft_);
          add(read());
        }
        draft_.line("else:");
        const Draft::Block block(draft_);
        return add("-" + read());
      }
      case 3: {
        // A place that is computed by an effect, and a value that reads.
        const std::string l = draft_.fresh("L");
        draft_.line("{} = T.alloc_local((4,), \"int32\")", l);
        draft_.line("for {} in range(4):", l + "i");
        {
          const Draft::Block block(draft_);
          draft_.line("{}[{}i] = 0", l, l);
        }
        draft_.line("{}[({}) & 3] = {}", l, a, b);
        return add(fmt::format("{0}[0] + {0}[1] * 3 + {0}[2] * 5 + {0}[3] * 7", l));
      }
      case 4:
        draft_.line("T.ptx.st.shared.s32({}.ptr_to([tx]), {} * 3 - {})", s_, a, b);
        return add(read());
      case 5: {
        const std::string v = draft_.fresh("v");
        draft_.line("{}: T.let = ({} > {} and {} > 2) or {} < 9", v, a, b, update(), "tx");
        draft_.values.push_back({v, DType::boolean});
        return;
      }
      default:
        draft_.line("T.cuda.atomic_add({}.ptr_to([tx + ({} & 0)]), {})", s_, a, b);
        return add(read());
    }
  }

  void end() {
    draft_.mark("effects in a statement");
    keep_result(draft_, m_, DType::i32);
    keep_result(draft_, read(), DType::i32);
    cta_barrier(draft_);
  }

 private:
  Draft& draft_;
  std::string s_, m_;
};

void in_statements(Draft& draft) {
  Sequence sequence(draft);
  for (int count = draft.dice.between(2, 4); count > 0; --count)
    draft.dice.chance(50) ? sequence.expressions() : sequence.statements();
  sequence.end();
}

constexpr auto kSequenceCorners =
    std::to_array<Corner>({{"effects in a statement", in_statements}});

}  // namespace

std::span<const Corner> sequence_corners() {
  return kSequenceCorners;
}

}  // namespace tirx::fuzz
