#include "fuzz/generate/ends.hpp"

#include <limits>

namespace tirx::fuzz {

using num::DType;

namespace {

/// Of a signed type of so many bits, as the host writes them.
std::vector<std::string> of_integers(int bits, bool is_signed) {
  const auto top = (std::uint64_t{1} << static_cast<unsigned>(bits - 1)) - 1;
  std::vector<std::string> list = {"0", "1", "2", "3", "7", "-1", "-2", "-7", "-8"};
  if (!is_signed) {
    const auto all = top * 2 + 1;
    list = {"0", "1", "2", "3", "7", "8", "9", "31", "32"};
    for (const auto below : {0U, 1U, 2U}) list.push_back(std::to_string(all - below));
    list.push_back(std::to_string(top + 2));
  } else {
    list.push_back(std::to_string(top - 1));
    list.push_back(fmt::format("-{}", top));
    list.push_back(fmt::format("-{} - 1", top));
    list.push_back(fmt::format("-{}", top - 1));
  }
  list.push_back(std::to_string(top));
  list.push_back(is_signed ? std::to_string(top / 2 + 1) : std::to_string(top + 1));
  list.push_back(std::to_string(top / 3));
  return list;
}

/// Bit patterns of sign, exponent and fraction: both signs of each.
std::vector<std::string> of_floats(int exponent, int fraction) {
  const auto shifted = [&](std::uint64_t e, std::uint64_t f) {
    return e << static_cast<unsigned>(fraction) | f;
  };
  const std::uint64_t all = (std::uint64_t{1} << static_cast<unsigned>(exponent)) - 1,
                      ones = (std::uint64_t{1} << static_cast<unsigned>(fraction)) - 1;
  const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(exponent + fraction);
  std::vector<std::string> list;
  for (const std::uint64_t bits :
       {shifted(0, 0), shifted(0, 1), shifted(0, ones), shifted(1, 0), shifted(all / 2, 0),
        shifted(all / 2 + 1, ones / 3), shifted(all - 1, ones), shifted(all, 0)}) {
    list.push_back(std::to_string(bits));
    list.push_back(exponent + fraction == 63 ? fmt::format("-9223372036854775807 - 1 + {}", bits)
                                             : std::to_string(bits | sign));
  }
  return list;
}

}  // namespace

std::string ends(Draft& draft, DType dtype) {
  const int bits = num::bits(dtype);
  std::vector<std::string> list;
  std::string held = type_name(dtype), view;
  if (num::is_float(dtype)) {
    list = dtype == DType::f16    ? of_floats(5, 10)
           : dtype == DType::bf16 ? of_floats(8, 7)
           : dtype == DType::f64  ? of_floats(11, 52)
                                  : of_floats(8, 23);
    held = bits == 64 ? "int64" : bits == 32 ? "uint32" : "uint16";
    view = fmt::format(".view(\"{}\")", type_name(dtype));
  } else if (dtype == DType::u64) {
    list = of_integers(64, true);
    held = "int64";
    view = ".view(\"uint64\")";
  } else {
    list = of_integers(bits, num::is_signed(dtype));
  }
  std::string name = draft.fresh("End");
  draft.parameter(name, fmt::format("({},)", kEnds), dtype,
                  fmt::format("tirx.tensor([{}], \"{}\"){}", fmt::join(list, ", "), held, view));
  return name;
}

std::string end_of(Draft& draft, const std::string& array) {
  return fmt::format("{}[({} + {}) % {}]", array,
                     draft.dice.one_of<const char*>({"tx", "tx * 3", "tx * 5", "tx // 2"}),
                     draft.dice.below(kEnds), kEnds);
}

Shown::Shown(Draft& draft, DType dtype, int count)
    : draft_(draft),
      name_(draft.tile_output(fmt::format("{}, {}", draft.threads, count), dtype)),
      count_(count) {}

std::string Shown::place() {
  return fmt::format("{}[bx, tx, {}]", name_, next_++ % count_);
}

void Shown::show(const std::string& value) {
  const std::string to = place();
  draft_.line("{} = {}", to, value);
}

}  // namespace tirx::fuzz
