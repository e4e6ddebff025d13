#include "fuzz/generate/documented.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "fuzz/generate/documented_kernel.hpp"

namespace tirx::fuzz {

std::string KnownKernel::text() {
  static constexpr auto kLines = std::to_array<void (KnownKernel::*)()>(
      {&KnownKernel::arithmetic,    &KnownKernel::arithmetic, &KnownKernel::arithmetic,
       &KnownKernel::quotient,      &KnownKernel::quotient,   &KnownKernel::approximation,
       &KnownKernel::approximation, &KnownKernel::negation,   &KnownKernel::sign,
       &KnownKernel::narrow,        &KnownKernel::loop,       &KnownKernel::loop,
       &KnownKernel::names,         &KnownKernel::written,    &KnownKernel::assertion,
       &KnownKernel::copy,          &KnownKernel::wide,       &KnownKernel::variable,
       &KnownKernel::array,         &KnownKernel::fence,      &KnownKernel::ordered,
       &KnownKernel::by_name,       &KnownKernel::size,       &KnownKernel::size,
       &KnownKernel::view,          &KnownKernel::wraps,      &KnownKernel::wraps,
       &KnownKernel::shift,         &KnownKernel::divisor,    &KnownKernel::in_loop,
       &KnownKernel::in_loop,       &KnownKernel::in_loop,    &KnownKernel::in_wide_loop,
       &KnownKernel::in_index,      &KnownKernel::half_bytes, &KnownKernel::own_name,
       &KnownKernel::hidden_lanes});
  more_parameters();
  // The first use of a minimum decides about the negations of the whole kernel.
  if (extremes_) line("B[t, 7] = T.min(x, 5)");
  for (int count = dice_.between(5, 10); count > 0; --count)
    (this->*kLines[static_cast<std::size_t>(dice_.below(static_cast<int>(kLines.size())))])();
  return signature() + body_;
}

std::string KnownKernel::launch() const {
  std::string arguments =
      "tirx.random((256,), \"float32\", seed=3), KnownEnds, tirx.zeros((40,), \"int32\"), s";
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    arguments += fmt::format(", tirx.zeros(({},), \"int32\")", threads_);
  arguments += arguments_;
  return fmt::format(
      "KnownEnds = tirx.tensor([-2147483647 - 1, 2147483647, -1, 0, 1, 7, -8, 1000], \"int32\")\n"
      "for s in [0, 5, 11]:\n    B = tirx.zeros(({0}, 8), \"int32\")\n    F = tirx.zeros(({0}, "
      "8), "
      "\"float32\")\n    W = tirx.zeros(({0}, 8), \"int64\")\n    {1}(B, F, W, {2})\n",
      threads_, name_, arguments);
}

/// Parameters that are called as the kernel, its launcher, or what the launcher has: they get
/// another name only where both are visible.
void KnownKernel::more_parameters() {
  struct Form {
    std::string name, cuda, elsewhere;
  };

  const std::array<Form, 6> forms = {{
      {name_, "", ""},
      {"launch_" + in_cuda_, "launch_" + in_cuda_, ""},
      {"stream", "stream", "cudaStream_t stream_1 = 0"},
      {"grid", "grid", "const dim3 grid_1(1, 1, 1);"},
      {"block", "block", "const dim3 block_1("},
      {in_cuda_, in_cuda_ + "_1", ""},
  }};
  for (int count = dice_.below(3); count > 0; --count) {
    Form form = dice_.pick(forms);
    if (form.cuda.empty()) {
      // A function of the headers is hidden by a parameter, a name of our helpers is not used.
      form.cuda = in_cuda_ == name_ + "_1" ? name_ : in_cuda_ + "_1";
    }
    if (std::find(used_.begin(), used_.end(), form.name) != used_.end()) continue;
    if (std::find(used_.begin(), used_.end(), form.cuda) != used_.end()) continue;
    used_.push_back(form.name);
    used_.push_back(form.cuda);
    const bool tensor = dice_.chance(40);
    parameters_ +=
        fmt::format(", {}: {}", form.name, tensor ? "T.Buffer((4,), \"int32\")" : "T.int32");
    arguments_ += tensor ? ", tirx.zeros((4,), \"int32\")" : ", 3";
    claims_ += has(fmt::format("{}{}", tensor ? "const int* __restrict__ " : "int ", form.cuda));
    if (!form.elsewhere.empty()) claims_ += in_file(form.elsewhere);
    line("{} = {}{} {}", place(), form.name, tensor ? "[t & 3]" : "",
         has(fmt::format(" = {}{};", form.cuda, tensor ? "[t & 3]" : "")));
  }
}

std::string KnownKernel::signature() const {
  std::string claims = has("const float* __restrict__ A") + has("const int* __restrict__ KnownE") +
                       has_not("* __restrict__ B") + has("long long* W") + has("float* F") +
                       has("int n") + has("int s") + has(fmt::format("\\n{}(", in_cuda_)) +
                       in_file(fmt::format("launch_{}(", in_cuda_)) +
                       in_file("#include <cuda_runtime.h>");
  std::string more, attributes;
  for (const Tensor& tensor : tensors_) {
    more += fmt::format(", {}: T.Buffer(({},), \"int32\")", tensor.name, threads_);
    claims += tensor.written ? has_not("const int* __restrict__ " + tensor.name) +
                                   has_not("const int* " + tensor.name)
                             : has("const int* __restrict__ " + tensor.name);
  }
  more += parameters_;
  claims += claims_;
  std::string bounds = fmt::format("__launch_bounds__({})", threads_);
  switch (bounds_) {
    case 0:
      attributes = "    T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 2})\n";
      bounds = fmt::format("__launch_bounds__({}, 2)", threads_);
      break;
    case 1:
      attributes = "    T.attr({\"tirx.launch_bounds_max_blocks_per_cluster\": 4})\n";
      bounds = fmt::format("__launch_bounds__({}, 1, 4)", threads_);
      break;
    case 2:
      attributes = "    T.attr({\"tirx.max_registers\": 96})\n";
      bounds = "void __maxnreg__(96)";
      break;
    case 3:
      attributes =
          "    T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1, "
          "\"tirx.launch_bounds_max_blocks_per_cluster\": 2})\n";
      bounds = fmt::format("__launch_bounds__({}, 1, 2)", threads_);
      break;
    default:
      break;
  }
  return fmt::format(
      "@T.prim_func\ndef {0}(B: T.Buffer(({1}, 8), \"int32\"), F: T.Buffer(({1}, 8), "
      "\"float32\"), W: T.Buffer(({1}, 8), \"int64\"), A: T.Buffer((256,), \"float32\"), KnownE: "
      "T.Buffer((8,), \"int32\"), Sized: T.Buffer((\"n\",), \"int32\"), s: T.int32{2}): {3}{4}\n   "
      " T.device_entry()\n{5}    bx = "
      "T.cta_id([1])\n    t = T.thread_id([{1}])\n    x: T.let = KnownE[t % 8]\n    y: T.let = "
      "A[t]\n    B[t, 0] = x\n    F[t, 0] = y\n    W[t, 0] = T.cast(x, \"int64\")\n",
      name_, threads_, more, has(bounds), claims, attributes);
}

namespace {

/// Calls of the user's own CUDA; the simulator cannot run them, so it is not launched.
std::string raw_kernel(Dice& dice) {
  const int by = dice.between(2, 9);
  const std::string source = fmt::format(
      "__device__ __forceinline__ int scaled(int x, int y) {{ return {} * x + y; }}", by);
  std::string text = fmt::format(
      "scaled_source = \"{}\"\n\n\n@T.prim_func\ndef raw(A: T.Buffer((32,), \"int32\"), B: "
      "T.Buffer((32,), \"int32\")): #cuda once: {}\n    T.device_entry()\n    T.cta_id([1])\n    t "
      "= "
      "T.thread_id([32])\n",
      source, source);
  text += fmt::format(
      "    A[t] = T.cuda.func_call(\"scaled\", B[t], {0}, source_code=scaled_source, "
      "return_type=\"int32\") #cuda: A[t] = scaled(B[t], {0});\n",
      by);
  if (dice.chance(50))
    text +=
        "    scaled: T.let = A[t] + 1 #cuda: const int scaled_1 = \n    A[t] = scaled #cuda: = "
        "scaled_1;\n";
  text +=
      "    A[t] = T.cuda.func_call(\"scaled\", t, A[t], source_code=scaled_source, "
      "return_type=\"int32\") #cuda: A[t] = scaled(t, A[t]);\n";
  if (dice.chance(50))
    text +=
        "    T.cuda.func_call(\"__nanosleep\", T.uint32(5), source_code=\"\") #cuda: "
        "__nanosleep(5u);\n";
  return text;
}

}  // namespace

bool has_documented_kernel(std::uint64_t seed) {
  constexpr std::uint64_t kOwnStream = 0x646f63756d656e74U;
  return Dice(seed ^ kOwnStream).chance(12);
}

void documented_kernel(Draft& draft, std::uint64_t seed) {
  constexpr std::uint64_t kOwnStream = 0x637564612e6d6421U;
  Dice dice(seed ^ kOwnStream);
  // A kernel has no name that a function of the headers has.
  const char* name =
      dice.chance(60) ? "known"
                      : dice.one_of<const char*>({"exp", "sinf", "fmodf", "malloc", "tirx_known"});
  KnownKernel kernel(dice, name);
  const std::string text = kernel.text();  // first: a launch knows the arguments
  draft.append("\n\n" + text + "\n\n" + kernel.launch());
  if (dice.chance(30)) draft.append("\n\n" + raw_kernel(dice));
  draft.mark("documented CUDA");
}

}  // namespace tirx::fuzz
