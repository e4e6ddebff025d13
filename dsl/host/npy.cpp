#include "dsl/host/npy.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dsl/host/tensor_ops.hpp"

namespace tirx::dsl {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1U << 20;

/// The text after 'key': in the header's dict, or empty.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return {};
  const std::size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return {};
  std::string_view rest = header.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<num::DType> dtype_of(std::string_view descr) {
  for (const num::DTypeRow& candidate : num::dtype_rows()) {
    // The first row wins: '<u2' is uint16, although bfloat16 travels as it.
    if (candidate.numpy == descr && !candidate.storage_only &&
        candidate.dtype != num::DType::bf16 && candidate.dtype != num::DType::tf32 &&
        candidate.dtype != num::DType::handle) {
      return candidate.dtype;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  std::vector<std::int64_t> shape;
  if (text.empty() || text.front() != '(') return std::nullopt;
  std::int64_t number = -1;  // none yet
  for (const char c : text.substr(1)) {
    if (c >= '0' && c <= '9') {
      if (number > (std::int64_t{1} << 40)) return std::nullopt;
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
    } else if (c == ',' || c == ')') {
      if (number >= 0) shape.push_back(number);
      number = -1;
      if (c == ')') return shape;
    } else if (c != ' ' && c != 'L') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Length of the header and where it starts, from the version bytes.
std::optional<std::pair<std::size_t, std::size_t>> header_span(const std::string& bytes) {
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() < 10 || bytes.compare(0, kMagic.size(), kMagic) != 0) return std::nullopt;
  const std::size_t major = byte(6);
  if (major == 1) return std::pair{std::size_t{10}, byte(8) | byte(9) << 8};
  if (bytes.size() < 12 || (major != 2 && major != 3)) return std::nullopt;
  return std::pair{std::size_t{12}, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

}  // namespace

Result<ir::Tensor> parse_npy(const std::string& bytes, std::optional<num::DType> dtype) {
  const auto span = header_span(bytes);
  if (!span) return placeless("not an .npy file");
  const auto [start, length] = *span;
  if (length > kMaxHeader || start + length > bytes.size())
    return placeless("the .npy header is cut off");
  const std::string_view header = std::string_view(bytes).substr(start, length);
  const std::string_view quoted = value_of(header, "descr");
  if (quoted.empty() || quoted.front() != '\'')
    return placeless("the .npy file holds records, not numbers");
  const std::string_view descr = quoted.substr(1, quoted.find('\'', 1) - 1);
  const std::optional<num::DType> stored = dtype_of(descr);
  if (!stored) return placeless(fmt::format("an .npy file of type '{}' cannot be read", descr));
  const auto shape = parse_shape(value_of(header, "shape"));
  if (!shape) return placeless("the .npy header has no readable shape");
  const bool fortran = value_of(header, "fortran_order").substr(0, 4) == "True";
  const Result<std::int64_t> count = checked_size(*shape, *stored);
  if (!count) return count.error();
  const auto wanted = static_cast<std::size_t>(ir::storage_bytes(*stored, *count));
  if (bytes.size() - start - length < wanted)
    return placeless("the .npy file is shorter than its shape says");
  std::vector<std::int64_t> dims = *shape;
  if (fortran) std::reverse(dims.begin(), dims.end());
  ir::Tensor tensor = ir::make_tensor(*stored, dims, true);
  std::memcpy(tensor.memory->bytes.data(), bytes.data() + start + length, wanted);
  if (fortran) tensor = copy(transpose(tensor));
  if (!dtype || *dtype == *stored) return tensor;
  if (num::bits(*dtype) != 4 && num::bytes(*dtype) != num::bytes(*stored)) {
    return placeless(fmt::format("dtype=\"{}\" has another width than the file's {}",
                                 num::name(*dtype), num::name(*stored)));
  }
  return view_as(tensor, *dtype);
}

std::string to_npy(const ir::Tensor& tensor) {
  ir::Tensor whole = copy(tensor);
  // Two 4-bit elements share a byte: such a tensor travels as bytes, the last dimension halved.
  if (num::bits(tensor.dtype) == 4) {
    whole.dtype = num::DType::u8;
    if (!whole.shape.empty()) whole.shape.back() = (whole.shape.back() + 1) / 2;
  }
  const std::string shape = whole.shape.size() == 1
                                ? fmt::format("({},)", whole.shape[0])
                                : fmt::format("({})", fmt::join(whole.shape, ", "));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   num::row(whole.dtype).numpy, shape);
  // The data starts at a multiple of 64 bytes.
  const std::size_t unpadded = 10 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ').push_back('\n');
  std::string out(kMagic);
  out += std::string{'\1', '\0', static_cast<char>(header.size() & 0xff),
                     static_cast<char>(header.size() >> 8)};
  out += header;
  settle(whole);
  out.append(reinterpret_cast<const char*>(whole.memory->bytes.data()), whole.memory->bytes.size());
  return out;
}

}  // namespace tirx::dsl
