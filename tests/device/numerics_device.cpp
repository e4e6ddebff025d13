// Does the GPU compute what numerics says, over all inputs?  Each function of
// tests/tools/numerics/campaign over all of its inputs (or its samples); where numerics has an
// integer routine, that routine's own source is compiled as device code and compared there, output
// by output.  The digests go to a file that `numerics_campaign` recomputes and packs.
//
//   numerics_device emit > campaign.cu       the program, for reading
//   numerics_device compile FILE.cubin       by NVRTC, no GPU needed
//   numerics_device run FILE.cubin OUT [ROW]  on this machine's GPU; one line a function
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "backend_cuda/driver.hpp"
#include "backend_cuda/nvrtc.hpp"
#include "tests/tools/numerics/campaign/digest_file.hpp"
#include "tests/tools/numerics/campaign/rows.hpp"

namespace {

using namespace tirx;
using num::campaign::Row;

constexpr std::size_t kKept = 4;

struct Outcome {
  unsigned long long different;
  unsigned long long input[kKept], hardware[kKept], model[kKept];
};

std::string read_source(const std::string& path) {
  std::ifstream file(std::string(TIRX_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Without preprocessor lines: what they would bring is already there, but for tables (.inc).
std::string without_directives(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t quote = line.find('"');
    const bool directive = !line.empty() && line[0] == '#';
    if (directive && line.find(".inc\"") != std::string::npos) {
      out += read_source(line.substr(quote + 1, line.rfind('"') - quote - 1));
    } else if (!directive) {
      out += line + "\n";
    }
  }
  return out;
}

/// The definition that begins with `head`.
std::string definition(const std::string& text, const std::string& head) {
  const std::size_t begin = text.find(head);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n}\n", begin) + 3 - begin);
}

/// What the numerics sources use of the standard library, for a compiler that has none.
constexpr std::string_view kStandard = R"(
#define __extension__
namespace std {
using int8_t = signed char; using uint8_t = unsigned char; using int16_t = short; using uint16_t = unsigned short;
using int32_t = int; using uint32_t = unsigned int; using int64_t = long long; using uint64_t = unsigned long long;
using size_t = unsigned long;
struct string_view {
  const char* at = ""; size_t length = 0;
  constexpr string_view() = default;
  constexpr string_view(const char* s) : at(s) { while (s[length] != 0) ++length; }
  constexpr bool empty() const { return length == 0; }
  constexpr bool operator==(const string_view&) const { return false; }
};
template <class T, size_t N> struct array { T data_[N]; constexpr const T& operator[](size_t i) const { return data_[i]; } constexpr size_t size() const { return N; } constexpr const T* begin() const { return data_; } constexpr const T* end() const { return data_ + N; } };
template <class T, size_t N, size_t... I> struct indices {};
template <class T, size_t N> constexpr array<T, N> to_array(const T (&&from)[N]) { array<T, N> out{}; for (size_t i = 0; i < N; ++i) out.data_[i] = from[i]; return out; }
template <class T> struct span { const T* at; size_t n; template <size_t N> constexpr span(const T (&a)[N]) : at(a), n(N) {} constexpr const T& operator[](size_t i) const { return at[i]; } template <size_t N> constexpr span(const array<typename remove_const_<T>::type, N>& a) : at(a.data_), n(N) {} };
struct nullopt_t {}; constexpr nullopt_t nullopt{};
template <class T> struct optional { T value{}; bool has = false; constexpr optional() = default; constexpr optional(nullopt_t) {} constexpr optional(T v) : value(v), has(true) {} };
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T clamp(T x, T low, T high) { return x < low ? low : (high < x ? high : x); }
inline int bit_width(unsigned long long x) { return 64 - __clzll((long long)x); }
template <class To, class From> inline To bit_cast(From from) { To to; memcpy(&to, &from, sizeof to); return to; }
}
)";

/// The integer routines, from their own files.
std::string model_text() {
  std::string standard(kStandard);
  const std::string marker = "template <class T> struct span";
  standard.insert(standard.find(marker),
                  "template <class T> struct remove_const_ { using type = T; };\n"
                  "template <class T> struct remove_const_<const T> { using type = T; };\n");
  std::string text = standard;
  text +=
      "namespace tirx::num {\nenum class Evidence : unsigned char { witnessed, published, "
      "modelled, defined };\n}\n";
  for (const char* header :
       {"dtype", "scalar_op", "convert", "codec", "soft", "approx/approx", "approx/tables"}) {
    text += without_directives(read_source(std::string("numerics/") + header + ".hpp"));
  }
  text +=
      "namespace tirx::num {\nstd::int64_t to_int64(Bits value, DType dtype);\n"
      "Bits canonical_nan(DType dtype);\n}\n";
  for (const char* source :
       {"dtype", "codec", "convert", "soft", "approx/tables", "approx/approx"}) {
    text += without_directives(read_source(std::string("numerics/") + source + ".cpp"));
  }
  text += "namespace tirx::num {\n" +
          definition(read_source("numerics/scalar.cpp"), "std::int64_t to_int64(") + "}\n";
  return text;
}

constexpr std::string_view kOperations = R"(
#define UNARY(name, ptx) __device__ __forceinline__ float name(float a) { float r; asm(ptx " %0, %1;" : "=f"(r) : "f"(a)); return r; }
#define BINARY(name, ptx) __device__ __forceinline__ float name(float a, float b) { float r; asm(ptx " %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
BINARY(tirx_add_f32, "add.rn.f32")
BINARY(tirx_sub_f32, "sub.rn.f32")
BINARY(tirx_mul_f32, "mul.rn.f32")
BINARY(tirx_div_f32, "div.rn.f32")
UNARY(tirx_sqrt_f32, "sqrt.rn.f32")
__device__ __forceinline__ float tirx_fma_f32(float a, float b, float c) { float r; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }
__device__ __forceinline__ float tirx_neg_f32(float a) { return __uint_as_float(__float_as_uint(a) ^ 0x80000000u); }
#define TIRX_SAMPLE __device__ inline
)";

constexpr std::string_view kDriver = R"(
__device__ unsigned mix(unsigned input, unsigned long long output) {
  unsigned h = (unsigned)output * 0x9e3779b1u + (unsigned)(output >> 32) * 0x85ebca77u + input * 0xc2b2ae3du;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 13;
  h *= 0x297a2d39u;
  return h ^ (h >> 16);
}

struct Outcome { unsigned long long different, input[4], hardware[4], model[4]; };

template <int ROW> __device__ void sweep(unsigned* digests, Outcome* outcome, unsigned per_block) {
  using Facts = Row<ROW>;
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x) {
    const unsigned long long index = (unsigned long long)blockIdx.x * per_block + i;
    unsigned operands[3] = {(unsigned)index, 0, 0};
    if (Facts::samples >= 0) {
      for (int o = 0; o < Facts::arity; ++o) {
        operands[o] = tirx_sample(Facts::samples, index, o, Facts::quotient);
        if (Facts::half) operands[o] &= 0xffffU;
      }
    }
    const unsigned long long out = Facts::hardware(operands[0], operands[1], operands[2]);
    sum += mix((unsigned)index, out);
    if (!Facts::has_model) continue;
    const unsigned long long expected = Facts::model(operands[0], operands[1], operands[2]);
    if (expected == out) continue;
    const unsigned long long slot = atomicAdd(&outcome->different, 1ull);
    if (slot >= 4) continue;
    outcome->input[slot] = index;
    outcome->hardware[slot] = out;
    outcome->model[slot] = expected;
  }
  atomicAdd(&digests[blockIdx.x], sum);
}
)";

/// The integer routine that says what `row` gives; empty: there is none.
std::string model_of(const Row& row) {
  using num::ScalarOp;
  const auto type = [](num::DType t) { return fmt::format("(DType){}", static_cast<int>(t)); };
  if (row.is_conversion) {
    const num::Conversion& f = row.form;
    return fmt::format(
        "Conversion f; f.round = (Round){}; f.satfinite = {}; f.sat = {}; "
        "f.relu = {}; f.ftz = {}; return convert(x, {}, {}, f);",
        static_cast<int>(f.round), f.satfinite, f.sat, f.relu, f.ftz, type(row.from), type(row.to));
  }
  const std::string name(num::name(row.op));
  const std::string t = type(row.from);
  switch (row.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
      return fmt::format("return soft::{}({}, x, y);", name, t);
    case ScalarOp::fma:
      return fmt::format("return soft::fma({}, x, y, z);", t);
    case ScalarOp::sqrt:
      return fmt::format("return soft::sqrt({}, x);", t);
    case ScalarOp::rcp:
      return fmt::format("return soft::div({}, 0x3f800000, x);", t);
    case ScalarOp::floor:
      return fmt::format("return soft::to_integral({}, x, Round::rm);", t);
    case ScalarOp::ceil:
      return fmt::format("return soft::to_integral({}, x, Round::rp);", t);
    case ScalarOp::trunc:
      return fmt::format("return soft::to_integral({}, x, Round::rz);", t);
    case ScalarOp::rint:
      return fmt::format("return soft::to_integral({}, x, Round::rn);", t);
    case ScalarOp::add_ftz:
    case ScalarOp::sub_ftz:
    case ScalarOp::mul_ftz:
    case ScalarOp::div_ftz:
    case ScalarOp::fma_ftz:
    case ScalarOp::sqrt_ftz:
    case ScalarOp::rcp_ftz:
      return fmt::format("return soft::flushed((ScalarOp){}, x, y, z);", static_cast<int>(row.op));
    default:
      break;
  }
  if (num::row(row.op).exactness != num::Exactness::table) return {};
  return fmt::format("return find_approx((ScalarOp){})(x);", static_cast<int>(row.op));
}

std::string program(const std::vector<Row>& rows) {
  std::string text = "// Written by numerics_device.\n" + model_text() + std::string(kOperations);
  for (const std::string& file : num::cuda_math_files()) text += file + "\n";
  text += without_directives(read_source("tests/tools/numerics/campaign/samples.inl"));
  text += "using namespace tirx::num;\ntemplate <int ROW> struct Row;\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const std::string model = model_of(row);
    text += fmt::format(
        "// {}\ntemplate <> struct Row<{}> {{\n"
        "  static constexpr int samples = {}, arity = {};\n"
        "  static constexpr bool quotient = {}, half = {}, has_model = {};\n"
        "  static __device__ unsigned long long hardware(unsigned x, unsigned y, unsigned z) {{\n"
        "    unsigned long long out;\n    {{ {} }}\n    return out;\n  }}\n"
        "  static __device__ unsigned long long model(unsigned x, unsigned y, unsigned z) {{\n"
        "    {}\n  }}\n}};\n",
        row.name, i, row.samples, num::campaign::operand_count(row), row.quotient,
        num::bits(row.from) == 16, !model.empty(), row.device, model.empty() ? "return 0;" : model);
  }
  text += kDriver;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format(
        "extern \"C\" __global__ void row_{}(unsigned* d, Outcome* o, unsigned n) {{ "
        "sweep<{}>(d, o, n); }}\n",
        i, i);
  }
  return text;
}

int compile(const char* path) {
  const Result<cuda::Cubin> cubin =
      cuda::compile(program(num::campaign::all_rows()), "sm_90a", {"-device-int128"});
  if (!cubin) {
    std::fprintf(stderr, "%s\n", cubin.error().text.c_str());
    return 1;
  }
  std::ofstream(path, std::ios::binary) << cubin->image;
  return 0;
}

struct Gpu {
  const cuda::Driver& driver;
  cuda::DriverModule module = nullptr;
  cuda::DevicePointer digests = 0, outcome = 0;

  [[nodiscard]] bool check(cuda::DriverStatus status, const char* what) const {
    if (status == cuda::DriverStatus::success) return true;
    std::fprintf(stderr, "%s: %s\n", what, driver.error_text(status).c_str());
    return false;
  }

  bool open(const std::string& image) {
    cuda::DriverContext context = nullptr;
    return check(driver.retain_context(&context, 0), "context") &&
           check(driver.set_context(context), "context") &&
           check(driver.load_module(&module, image.data()), "module") &&
           check(driver.allocate(&digests, 4096 * 4), "memory") &&
           check(driver.allocate(&outcome, sizeof(Outcome)), "memory");
  }

  bool sweep(std::size_t index, const Row& row, std::vector<std::uint32_t>& out, Outcome& result) {
    const std::uint64_t per_block = num::campaign::block_size(row);
    out.assign(num::campaign::input_count(row) / per_block, 0);
    result = {};
    cuda::DriverFunction function = nullptr;
    const auto count = static_cast<unsigned>(per_block);
    unsigned n = count;
    void* arguments[] = {&digests, &outcome, &n};
    return check(driver.get_function(&function, module, fmt::format("row_{}", index).c_str()),
                 "function") &&
           check(driver.copy_in(digests, out.data(), out.size() * 4), "copy") &&
           check(driver.copy_in(outcome, &result, sizeof result), "copy") &&
           check(driver.launch(function, static_cast<unsigned>(out.size()), 1, 1, 256, 1, 1, 0,
                               nullptr, arguments, nullptr),
                 "launch") &&
           check(driver.copy_out(out.data(), digests, out.size() * 4), "result") &&
           check(driver.copy_out(&result, outcome, sizeof result), "result");
  }
};

int run(const char* cubin, const char* path, std::string_view only) {
  const Result<const cuda::Driver*> driver = cuda::find_driver();
  if (!driver) {
    std::fprintf(stderr, "%s\n", driver.error().text.c_str());
    return 4;
  }
  std::ifstream file(cubin, std::ios::binary);
  std::stringstream image;
  image << file.rdbuf();
  Gpu gpu{**driver};
  if (!gpu.open(image.str())) return 4;
  num::campaign::DigestWriter writer(path);
  const std::vector<Row> rows = num::campaign::all_rows();
  unsigned long long compared = 0, different = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (!only.empty() && row.name.find(only) == std::string::npos) continue;
    std::vector<std::uint32_t> digests;
    Outcome outcome;
    if (!gpu.sweep(i, row, digests, outcome)) return 4;
    writer.add(row.name, digests);
    const bool has_model = !model_of(row).empty();
    const std::uint64_t inputs = num::campaign::input_count(row);
    compared += has_model ? inputs : 0;
    different += outcome.different;
    fmt::print("{:34} {:11} inputs, {}\n", row.name, inputs,
               has_model ? fmt::format("{} differ from the integer routine", outcome.different)
                         : std::string("digests only"));
    for (std::size_t k = 0; k < kKept && k < outcome.different; ++k) {
      fmt::print("    input {:x}: hardware {:x}, numerics {:x}\n", outcome.input[k],
                 outcome.hardware[k], outcome.model[k]);
    }
    std::fflush(stdout);
  }
  fmt::print("total: {} functions, {} outputs compared on the device, {} differ\n", rows.size(),
             compared, different);
  return writer.good() ? (different == 0 ? 0 : 3) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "emit") {
    std::fputs(program(num::campaign::all_rows()).c_str(), stdout);
    return 0;
  }
  if (verb == "compile" && argc > 2) return compile(argv[2]);
  if (verb == "run" && argc > 3) return run(argv[2], argv[3], argc > 4 ? argv[4] : "");
  std::fputs("usage: numerics_device emit | compile FILE | run FILE OUT [ROW]\n", stderr);
  return 2;
}
