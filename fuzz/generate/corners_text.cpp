// What reaches the emitted text by its own ways: prints that are reached, by one thread; delays,
// clocks and stops; assertions; ordered accesses of every width and scope; strides of statements.
#include <array>
#include <vector>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// One thread of the grid, so that what it prints has an order.
std::string one_thread(Draft& draft) {
  const int cta = draft.dice.below(draft.ctas), thread = draft.dice.below(draft.threads);
  return draft.dice.chance(50) ? fmt::format("bx == {} and tx == {}", cta, thread)
                               : fmt::format("row == {}", cta * draft.threads + thread);
}

/// A finite value, not too large for any format.
std::string tame(Draft& draft, DType dtype) {
  const std::string value = expression(draft, DType::i32, 1);
  if (!num::is_float(dtype)) return fmt::format("T.cast({}, \"{}\")", value, type_name(dtype));
  return fmt::format("T.cast({} & 1023, \"{}\") * T.{}({})", value, type_name(dtype),
                     type_name(dtype), draft.dice.one_of<const char*>({"0.125", "-0.5", "1.5"}));
}

/// A conversion of C's printf, and whether it takes floats by nature.
std::string conversion(Draft& draft, bool is_float) {
  if (is_float) {
    return fmt::format("%{}{}",
                       draft.dice.one_of<const char*>({"", ".3", "8.2", "-9.1", "+", "012."}),
                       draft.dice.one_of<const char*>({"f", "e", "g", "E", "G"}));
  }
  const char* letter = draft.dice.one_of<const char*>({"d", "i", "u", "x", "X", "o"});
  const char* flags = letter[0] == 'd' || letter[0] == 'i'
                          ? draft.dice.one_of<const char*>({"", "5", "-6", "+", "04", " "})
                          : draft.dice.one_of<const char*>({"", "5", "-6", "08"});
  return fmt::format("%{}{}{}", flags,
                     draft.dice.one_of<const char*>({"", "", "l", "ll", "h", "z"}), letter);
}

void printed(Draft& draft) {
  static constexpr auto kTypes = std::to_array<DType>(
      {DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16, DType::u32, DType::u64,
       DType::f16, DType::bf16, DType::f32, DType::f64, DType::boolean});
  std::string format, arguments;
  for (int count = draft.dice.between(1, 4); count > 0; --count) {
    const DType dtype =
        kTypes[static_cast<std::size_t>(draft.dice.below(static_cast<int>(kTypes.size())))];
    // Any number under any letter; a float that is read as an integer is cut.
    const bool as_float = num::is_float(dtype) != draft.dice.chance(15);
    format +=
        draft.dice.one_of<const char*>({"a ", "100%% ", "'", "\\\"", "\\\\", "\\t", "x=", ""});
    format += conversion(draft, as_float) + " ";
    const std::string name = draft.fresh("v");
    draft.line("{}: T.let = {}", name,
               dtype == DType::boolean ? condition(draft, 1) : tame(draft, dtype));
    arguments += ", " + name;
    draft.values.push_back({name, dtype});
  }
  draft.line("if {}:", one_thread(draft));
  const Draft::Block block(draft);
  draft.line("T.cuda.printf(\"{}\\n\"{})", format, arguments);
  draft.mark("print that is reached");
  if (draft.dice.chance(40)) {
    // Of floats, what is as short in every notation.
    const DType dtype = draft.dice.one_of({DType::i8, DType::u8, DType::i32, DType::u64, DType::i64,
                                           DType::f32, DType::f16, DType::f64});
    const int size = draft.dice.between(1, 4);
    const std::string l = draft.fresh("L"), i = draft.fresh("i");
    draft.line("{} = T.alloc_local(({},), \"{}\")", l, size, type_name(dtype));
    draft.line("for {} in range({}):", i, size);
    {
      const Draft::Block inner(draft);
      draft.line("{}[{}] = T.cast({} * {} + {}, \"{}\"){}", l, i, i, draft.dice.between(1, 9),
                 draft.dice.below(20), type_name(dtype),
                 num::is_float(dtype) ? fmt::format(" + T.{}(0.5)", type_name(dtype)) : "");
    }
    draft.line("T.print_buffer({})", l);
  }
}

void delays(Draft& draft) {
  const std::string v = draft.fresh("v"), m = draft.fresh("m");
  draft.line("{}: T.int32 = {}", m, expression(draft, DType::i32, 1));
  draft.line("T.cuda.nano_sleep({})",
             draft.dice.one_of<const char*>({"0", "20", "T.uint32(100)", "lane"}));
  draft.line("{}: T.let = T.cast(T.cuda.clock(), \"int32\") & 0", v);
  draft.line("if ({0} & 1) + (({0} ^ 1) & 1) > 1:", fmt::format("({} & 255)", m));
  {
    const Draft::Block block(draft);
    draft.line("T.cuda.trap()");
  }
  draft.line("T.cuda.thread_fence({})",
             draft.dice.one_of<const char*>({"", "\"cta\"", "\"gpu\"", "\"sys\"", "\"cluster\""}));
  draft.mark("delay and stop");
  keep_result(draft, fmt::format("{} + {}", v, m), DType::i32);
}

/// Assertions that hold: of data, with every kind of text behind them.
void assertions(Draft& draft) {
  const std::string m = draft.fresh("m"), old = draft.fresh("S");
  draft.line("{}: T.int32 = {}", m, expression(draft, DType::i32, 2));
  const char* text = draft.dice.one_of<const char*>({"", ", \"plain\"", ", \"two\\nlines\"",
                                                     ", \"a \\\"quoted\\\" word\"",
                                                     ", \"ends with \\\\\"", ", \"100 % of {}\""});
  const char* condition = draft.dice.one_of<const char*>(
      {"({0} & 7) >= 0", "({0} & 7) < 8 and tx >= 0", "tx + bx >= 0 or {0} == 3",
       "not (({0} | 1) == 0)", "({0} & 1) != 2", "T.if_then_else({0} > 0, {0} > -1, {0} < 1)"});
  draft.line("assert {}{}", fmt::format(fmt::runtime(condition), m), text);
  if (draft.dice.chance(50)) {
    draft.line("{} = T.alloc_shared(({},), \"int32\")", old, draft.threads);
    draft.line("{}[tx] = {} & 15", old, m);
    draft.line("assert {0}[tx] <= T.cuda.atomic_add({0}.ptr_to([tx]), 3) + 0{1}", old, text);
    draft.line("{} = {}[tx]", m, old);
  }
  draft.mark("assertion that holds");
  keep_result(draft, m, DType::i32);
}

/// Each thread alone with its element: loads that acquire and stores that release, of every width.
void ordered(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::i8, DType::u8, DType::i16, DType::u16, DType::f16, DType::bf16,
                         DType::i32, DType::u32, DType::f32, DType::i64, DType::u64, DType::f64});
  const std::string type = type_name(dtype), m = draft.fresh("m");
  std::string s = draft.fresh("S"), at = "tx";
  if (draft.dice.chance(50)) {
    draft.line("{} = T.alloc_shared(({},), \"{}\")", s, draft.threads, type);
  } else {
    s = draft.fresh("Own");
    draft.parameter(s, fmt::format("({}, {})", draft.ctas, draft.threads), dtype,
                    fmt::format("tirx.zeros(({}, {}), \"{}\")", draft.ctas, draft.threads, type));
    at = "bx, tx";
  }
  const auto scope = [&] {
    return draft.dice.one_of<const char*>(
        {"", ", scope=\"cta\"", ", scope=\"gpu\"", ", scope=\"sys\"", ", scope=\"cluster\""});
  };
  draft.line("{}: T.{} = {}", m, type, expression(draft, dtype, 2));
  draft.line("T.ptx.st.release({}.ptr_to([{}]), {}{})", s, at, m, scope());
  draft.line("{} = T.ptx.ld.acquire({}.ptr_to([{}]){})", m, s, at, scope());
  draft.mark("ordered access of " + type);
  draft.mark("ordered access");
  keep_result(draft, m, dtype);
  if (dtype == DType::f16 || dtype == DType::bf16 || num::bits(dtype) == 8) return;
  // Exchanges move bits, of floats, too.
  if (num::bits(dtype) >= 32) {
    draft.line("{} = T.cuda.atomic_exch({}.ptr_to([{}]), {})", m, s, at,
               expression(draft, dtype, 1));
    keep_result(draft, m, dtype);
  }
  if (num::bits(dtype) >= 16 && !num::is_float(dtype)) {
    draft.line("{} = T.cuda.atomic_cas({}.ptr_to([{}]), {}, {})", m, s, at, m,
               expression(draft, dtype, 1));
    keep_result(draft, m, dtype);
    keep_result(draft, fmt::format("{}[{}]", s, at), dtype);
  }
}

constexpr auto kTextCorners = std::to_array<Corner>({
    {"print that is reached", printed},
    {"delay and stop", delays},
    {"assertion that holds", assertions},
    {"ordered access", ordered},
});

}  // namespace

std::span<const Corner> text_corners() {
  return kTextCorners;
}

}  // namespace tirx::fuzz
