// Output, delays, stops.
#include <cstring>

#include <fmt/format.h>

#include "numerics/convert.hpp"
#include "numerics/text.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/exec/report.hpp"
#include "sim/ops/context.hpp"

namespace tirx::sim::ops {

namespace {

/// One conversion of a C format string ("%5.2f"), applied to a value.
std::string convert(const std::string& spec, std::uint64_t bits, num::DType dtype) {
  const char kind = spec.back();
  std::string flags = spec.substr(1, spec.size() - 2);
  std::erase_if(flags, [](char ch) { return ch == 'l' || ch == 'h' || ch == 'z'; });
  std::array<char, 512> text{};
  const auto print = [&](const std::string& format, auto value) {
    std::snprintf(text.data(), text.size(), format.c_str(), value);
    return std::string(text.data());
  };
  if (flags.size() > 8) flags.clear();
  const auto is_one_of = [kind](std::string_view letters) {
    return letters.find(kind) != std::string_view::npos;
  };
  if (num::is_float(dtype) && is_one_of("diouxXc")) {
    // A float is cut to an integer.
    bits = num::convert(bits, dtype, num::DType::i64);
    dtype = num::DType::i64;
  }
  switch (kind) {
    case 'd':
    case 'i':
      return print("%" + flags + "lld", static_cast<long long>(num::to_int64(bits, dtype)));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print("%" + flags + "ll" + kind, static_cast<unsigned long long>(bits));
    case 'c':
      return std::string(1, static_cast<char>(bits));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
      return print("%" + flags + kind, num::to_double(bits, dtype));
    default:
      return num::to_text(bits, dtype);
  }
}

std::string format_line(const Context& c, int lane) {
  std::string out;
  int arg = 0;
  const std::string& format = c.site.text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < format.size() && std::strchr("-+ #0123456789.lhz", format[end]) != nullptr) ++end;
    if (end == format.size()) break;
    const std::string spec = format.substr(i, end - i + 1);
    if (arg < 6 && c.has(arg)) {
      out += c.poisoned(arg, lane) ? std::string("<uninitialised>")
                                   : convert(spec, c.bits(arg, lane), c.operand(arg).type.dtype);
    }
    ++arg;
    i = end;
  }
  return out;
}

/// The elements of a buffer as text.
std::string buffer_text(Context& c, int lane, std::int64_t count) {
  const CallOperand& pointer = c.operand(0);
  std::string out = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    bool known = true;
    num::DType dtype = num::DType::u8;
    if (pointer.kind == CallOperand::Kind::pointer) {
      const MemSite& site = *pointer.pointer;
      dtype = site.buffer->dtype;
      std::int64_t address[kLanes];
      exec::addresses(site, c.warp, address);
      const Region& region = c.warp.regions[site.region];
      const std::int64_t at = address[lane] + i * (site.nibble ? 1 : site.size);
      const std::int64_t byte = site.nibble ? at / 2 : at;
      if (byte < site.lo || byte + site.size > site.hi) {
        c.fault(ir::FaultKind::bounds, lane,
                fmt::format("{} elements are printed from here on, and {} has {} of them", count,
                            site.buffer->name, i));
        break;
      }
      std::memcpy(&bits, region.data + byte, site.size);
      if (site.nibble) bits = bits >> (at & 1) * 4 & 0xf;
      known = region.invalid == 0 || exec::is_valid(region.valid, byte, site.size);
    } else if (pointer.kind == CallOperand::Kind::local) {
      const LocalSite& site = *pointer.local;
      dtype = site.buffer->dtype;
      const std::int64_t element = site.imm + i;
      if (element < 0 || element >= site.elements) break;
      const std::int64_t at = element * site.size;
      const auto row =
          site.base + static_cast<std::uint32_t>(at / site.granule) * site.lane_bytes * kLanes;
      std::memcpy(&bits,
                  c.warp.vectors + row + static_cast<std::uint32_t>(lane) * site.lane_bytes +
                      at % site.granule,
                  site.size);
      known = (c.warp.poison_of(row) >> lane & 1) == 0;
    }
    out += fmt::format("{}{}", i == 0 ? "" : ", ",
                       known ? num::to_text(bits, dtype) : std::string("<uninitialised>"));
  }
  return out + "]";
}

}  // namespace

Next eval(ir::Printf, Context& c) {
  for_lanes(c.lanes, [&](int lane) { c.cta().output += format_line(c, lane); });
  return Next::go_on;
}

Next eval(ir::PrintBuffer, Context& c) {
  const std::uint32_t lanes = c.lanes & ~c.warp.skip;
  c.warp.skip = 0;
  for_lanes(lanes, [&](int lane) {
    const std::int64_t count = c.has(1) ? c.integer(1, lane) : 1;
    c.cta().output += fmt::format("{} = {}\n", c.site.text, buffer_text(c, lane, count));
  });
  return Next::go_on;
}

Next eval(ir::NanoSleep, Context&) {
  return Next::go_on;
}

Next eval(ir::Clock, Context& c) {
  ++c.warp.chances;
  for_lanes(c.lanes, [&](int lane) { c.result(lane, static_cast<std::uint32_t>(c.warp.serial)); });
  return Next::go_on;
}

Next eval(ir::Trap, Context& c) {
  for_lanes(c.lanes, [&](int lane) { c.fault(ir::FaultKind::trap, lane, "the kernel trapped"); });
  c.cta().trapped = true;
  return Next::stop;
}

Next eval(ir::RawCudaCall, Context& c) {
  // Refused when the bytecode is made.
  for_lanes(c.lanes, [&](int lane) { c.result(lane, 0, true); });
  return Next::go_on;
}

}  // namespace tirx::sim::ops
