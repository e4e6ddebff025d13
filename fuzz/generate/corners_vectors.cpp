// Expressions of vectors: every type and length, from memory, from scalars, by every operator.
#include <array>
#include <vector>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kVectorTypes = std::to_array<DType>(
    {DType::f32, DType::f32, DType::i32, DType::f16, DType::bf16, DType::u8, DType::i8, DType::i16,
     DType::u16, DType::u32, DType::i64, DType::u64, DType::f64});

class Vectors {
 public:
  Vectors(Draft& draft, int lanes) : draft_(draft), lanes_(lanes) {
    static constexpr std::size_t kCount = kVectorTypes.size();
    const auto any = [&] {
      return kVectorTypes[static_cast<std::size_t>(draft.dice.below(static_cast<int>(kCount)))];
    };
    for (const DType dtype : {any(), any()}) {
      const std::string shape = fmt::format("{}, {}", draft.threads, 2 * lanes);
      sources_.push_back(
          {draft.tile_input(shape, dtype, num::is_float(dtype) ? "normal" : "bits"), dtype});
    }
  }

  [[nodiscard]] DType type(std::size_t of) const { return sources_[of].dtype; }

  std::string leaf(DType dtype) {
    for (const Name& source : sources_) {
      if (source.dtype != dtype || !draft_.dice.chance(70)) continue;
      return fmt::format("{}.vload([bx, {}, {}], \"{}x{}\")", source.text,
                         draft_.dice.chance(50) ? "tx" : fmt::format("{} - tx", draft_.threads - 1),
                         draft_.dice.below(2) * lanes_, type_name(dtype), lanes_);
    }
    for (const Name& name : names_) {
      if (name.dtype == dtype && draft_.dice.chance(60)) return name.text;
    }
    if (draft_.dice.chance(35) && lanes_ <= 4) {
      std::string items;
      for (int i = 0; i < lanes_; ++i)
        items += (i > 0 ? ", " : "") + expression(draft_, dtype, draft_.dice.below(2));
      return fmt::format("T.make_vector([{}])", items);
    }
    return fmt::format(
        "T.Broadcast({}, {})",
        draft_.dice.chance(50) ? literal(draft_, dtype) : expression(draft_, dtype, 1), lanes_);
  }

  std::string expression_of(DType dtype, int depth) {
    if (depth <= 0) return leaf(dtype);
    const auto part = [&] { return expression_of(dtype, depth - 1); };
    const int roll = draft_.dice.below(100);
    if (roll < 15) {
      const DType from = type(static_cast<std::size_t>(draft_.dice.below(2)));
      return fmt::format("T.cast({}, \"{}x{}\")", expression_of(from, depth - 1), type_name(dtype),
                         lanes_);
    }
    if (roll < 30) {
      const DType of = type(static_cast<std::size_t>(draft_.dice.below(2)));
      const std::string condition =
          draft_.dice.chance(70)
              ? fmt::format("({} {} {})", expression_of(of, depth - 1),
                            draft_.dice.one_of<const char*>({"<", "<=", ">", ">=", "==", "!="}),
                            leaf(of))
              : fuzz::condition(draft_, 1);
      return fmt::format("T.Select({}, {}, {})", condition, part(), part());
    }
    if (roll < 40)
      return fmt::format("T.{}({}, {})", draft_.dice.one_of<const char*>({"max", "min"}), part(),
                         part());
    if (roll < 47) return fmt::format("(-{})", part());
    if (roll < 52) return fmt::format("T.abs({})", part());
    if (num::is_float(dtype)) {
      if (roll < 60) return fmt::format("T.fma({}, {}, {})", part(), part(), leaf(dtype));
      return fmt::format("({} {} {})", part(),
                         draft_.dice.one_of<const char*>({"+", "-", "*", "/"}), part());
    }
    if (roll < 62) {
      const std::string divisor =
          draft_.dice.chance(50)
              ? fmt::format("T.Broadcast(T.{}({}), {})", type_name(dtype),
                            draft_.dice.between(1, 11), lanes_)
              : fmt::format("({} | T.Broadcast(T.{}(1), {}))", part(), type_name(dtype), lanes_);
      return fmt::format("({} {} {})", part(), draft_.dice.one_of<const char*>({"//", "%"}),
                         divisor);
    }
    if (roll < 66) return fmt::format("(~{})", part());
    return fmt::format("({} {} {})", part(),
                       draft_.dice.one_of<const char*>({"+", "-", "*", "&", "|", "^", "<<", ">>"}),
                       part());
  }

  void name(DType dtype, int depth) {
    const std::string name = draft_.fresh("x");
    draft_.line("{} = {}", name, expression_of(dtype, depth));
    names_.push_back({name, dtype});
  }

  [[nodiscard]] const std::vector<Name>& names() const { return names_; }

 private:
  Draft& draft_;
  int lanes_;
  std::vector<Name> sources_, names_;
};

void vectors(Draft& draft) {
  const int lanes = draft.dice.one_of({2, 4, 4, 8});
  Vectors some(draft, lanes);
  const DType first = some.type(0), second = some.type(1);
  some.name(first, 1);
  some.name(second, 2);
  // Into memory: registers first, or at once.
  for (const DType dtype : {first, second}) {
    const std::string out = draft.tile_output(fmt::format("{}, {}", draft.threads, lanes), dtype);
    const std::string value = some.expression_of(dtype, 2);
    if (draft.dice.chance(30)) {
      const std::string l = draft.fresh("L");
      draft.line("{} = T.alloc_local(({},), \"{}\")", l, 2 * lanes, type_name(dtype));
      draft.line("{}.vstore([{}], {})", l, lanes, value);
      draft.line("{0}.vstore([bx, tx, 0], {1}.vload([{2}], \"{3}x{2}\"))", out, l, lanes,
                 type_name(dtype));
      keep_result(draft, fmt::format("{}[{}]", l, lanes + draft.dice.below(lanes)), dtype);
    } else {
      draft.line("{}.vstore([bx, tx, 0], {})", out, value);
    }
  }
  const Name& named = draft.dice.pick(some.names());
  keep_result(draft, fmt::format("{}[{}]", named.text, draft.dice.below(lanes)), named.dtype);
  if (num::bits(first) == 32 && draft.dice.chance(60)) {
    const DType other = first == DType::i32 ? DType::f32 : DType::i32;
    const std::string x = draft.fresh("x");
    draft.line("{} = T.reinterpret(\"{}x{}\", {})", x, type_name(other), lanes,
               some.names()[0].text);
    draft.line("{} = T.reinterpret(\"{}x{}\", {})", x + "_", type_name(first), lanes, x);
    keep_result(draft, fmt::format("{}_[{}]", x, lanes - 1), first);
  }
  draft.mark("expression of vectors");
}

constexpr auto kVectorsCorners = std::to_array<Corner>({{"expression of vectors", vectors}});

}  // namespace

std::span<const Corner> vector_corners() {
  return kVectorsCorners;
}

}  // namespace tirx::fuzz
