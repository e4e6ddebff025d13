// One launch: compile and load, arguments in, run under a time limit, guard zones checked, written
// tensors out.
#include "backend_cuda/launch.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "backend_cuda/captured_output.hpp"
#include "backend_cuda/device.hpp"
#include "backend_cuda/emit.hpp"
#include "backend_cuda/nvrtc.hpp"
#include "backend_cuda/walk.hpp"
#include "ir/all_ops.hpp"
#include "lower/bind.hpp"

namespace tirx::cuda {

namespace {

constexpr std::byte kGuard{0xa5};
constexpr std::byte kPoison{0xff};
constexpr std::int64_t kAlignment = 256;

/// A tensor's part of the launch's allocation: guard zone, bytes, guard zone.
struct Placed {
  const lower::BoundTensor* tensor = nullptr;
  std::size_t begin = 0, lead = 0, size = 0, end = 0;  // the bytes begin at begin + lead
};

bool uses_raw_cuda(const lower::LoweredKernel& kernel) {
  bool found = false;
  walk(
      kernel.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        const auto* call = ir::as<ir::MachineCall>(expr);
        found = found || (call != nullptr && ir::spec(call->op).effect == ir::Effect::opaque);
      });
  return found;
}

/// The tensor's bytes into the image to send: what was never written travels as poison.
void fill(std::vector<std::byte>& image, const Placed& placed) {
  const lower::BoundTensor& tensor = *placed.tensor;
  const auto begin = static_cast<std::size_t>(tensor.lo);
  std::byte* const to = image.data() + placed.begin + placed.lead;
  if (placed.size != 0) std::memcpy(to, &tensor.memory->bytes[begin], placed.size);
  if (tensor.memory->is_valid(begin, begin + placed.size)) return;
  for (std::size_t i = 0; i < placed.size; ++i) {
    if (!tensor.memory->is_valid(begin + i, begin + i + 1)) to[i] = kPoison;
  }
}

/// A launch in progress: frees what it allocated, on every way out.
class LaunchRun {
 public:
  LaunchRun(Device::State& state,
            const lower::LoweredKernel& kernel,
            const DeviceLaunchOptions& options)
      : state_(state), driver_(*state.driver), kernel_(kernel), options_(options) {}

  ~LaunchRun() {
    // After a time-out the kernel may still write there, and freeing would wait for it.
    if (state_.usable && allocation_ != 0) driver_.free(allocation_);
  }

  LaunchRun(const LaunchRun&) = delete;
  LaunchRun& operator=(const LaunchRun&) = delete;

  DeviceOutcome run(std::span<const ir::Argument> arguments) {
    if (!state_.usable) {
      incomplete("the GPU's context was lost in an earlier launch of this process");
    } else if (uses_raw_cuda(kernel_) && !options_.allow_raw_cuda) {
      refuse({kernel_.span,
              kernel_.name + " calls raw CUDA, which runs only when it is allowed",
              {{{}, "--allow-raw-cuda"}}});
    } else {
      prepare_and_run(arguments);
    }
    return std::move(result_);
  }

 private:
  void refuse(Diagnostic diagnostic) {
    result_.outcome.status = ir::LaunchStatus::refused;
    result_.outcome.diagnostics.push_back(std::move(diagnostic));
  }

  void incomplete(std::string text) {
    result_.outcome.status = ir::LaunchStatus::incomplete;
    result_.outcome.diagnostics.push_back({kernel_.span, std::move(text), {}});
  }

  /// True if the call succeeded; otherwise the outcome says what it was for.
  bool check(DriverStatus status, std::string_view what) {
    if (status == DriverStatus::success) return true;
    incomplete(fmt::format("{}: {}", what, driver_.error_text(status)));
    return false;
  }

  void prepare_and_run(std::span<const ir::Argument> arguments) {
    Result<lower::Binding> bound = lower::bind(kernel_, arguments);
    if (!bound) return refuse(bound.error());
    bound_ = std::move(bound).value();
    if (!check(driver_.set_context(state_.context), "the GPU's context")) return;
    const LoadedKernel* loaded = load();
    if (loaded == nullptr) return;
    if (!send() || !execute(*loaded)) return;
    if (!check(driver_.copy_out(image_.data(), allocation_, image_.size()), "reading the tensors"))
      return;
    for (const Placed& placed : placed_) collect(placed);
  }

  const LoadedKernel* load() {
    if (kernel_.target != state_.info.target) {
      refuse({kernel_.span,
              fmt::format("the kernel was lowered for {}, the GPU is sm_{}", kernel_.target->name,
                          state_.info.sm),
              {}});
      return nullptr;
    }
    const Result<std::string> text =
        emit(kernel_, {.line_directives = false, .host_launcher = false});
    if (!text) {
      refuse(text.error());
      return nullptr;
    }
    std::string key = *text;
    for (const std::string& flag : options_.compile_flags) key += "\n// " + flag;
    const auto known = state_.loaded.find(key);
    if (known != state_.loaded.end()) return &known->second;
    const Result<Cubin> cubin = compile_cached(*text, kernel_.target->name, options_.compile_flags,
                                               options_.cache_directory);
    if (!cubin) {
      incomplete(cubin.error().text);
      return nullptr;
    }
    DriverModule module = nullptr;
    LoadedKernel loaded;
    loaded.prints = text->find("printf(") != std::string::npos;
    if (!check(driver_.load_module(&module, cubin->image.data()), "loading the kernel") ||
        !check(driver_.get_function(&loaded.function, module, entry_name(kernel_).c_str()),
               "finding the kernel")) {
      return nullptr;
    }
    const auto& cluster = kernel_.launch.cluster;
    if (cluster[0] * cluster[1] * cluster[2] > kernel_.target->max_cluster &&
        !check(driver_.set_function_attribute(loaded.function, kFunctionNonPortableCluster, 1),
               "allowing the cluster's size")) {
      return nullptr;
    }
    if (kernel_.dynamic_shared_bytes > 0 &&
        !check(driver_.set_function_attribute(loaded.function, kFunctionMaxDynamicShared,
                                              static_cast<int>(kernel_.dynamic_shared_bytes)),
               "dynamic shared memory")) {
      return nullptr;
    }
    return &state_.loaded.emplace(key, loaded).first->second;
  }

  /// All tensors in one allocation and one copy: each call of the driver waits for its turn where
  /// several processes share the GPU.
  bool send() {
    const std::int64_t guard = (options_.guard_bytes + kAlignment - 1) / kAlignment * kAlignment;
    std::size_t end = 0;
    for (const lower::BoundTensor& tensor : bound_.tensors) {
      Placed placed;
      placed.tensor = &tensor;
      placed.begin = end;
      placed.lead = static_cast<std::size_t>(guard + tensor.lo % kAlignment);
      placed.size = static_cast<std::size_t>(tensor.hi - tensor.lo);
      placed.end = placed.begin + placed.lead + placed.size + static_cast<std::size_t>(guard);
      constexpr auto kUnit = static_cast<std::size_t>(kAlignment);
      end = (placed.end + kUnit - 1) / kUnit * kUnit;
      placed_.push_back(placed);
    }
    // One byte at least: an allocation of nothing is an error.
    image_.assign(std::max<std::size_t>(end, 1), kGuard);
    for (const Placed& placed : placed_) fill(image_, placed);
    const std::string what = fmt::format("the tensors ({} bytes)", image_.size());
    return check(driver_.allocate(&allocation_, image_.size()), what) &&
           check(driver_.copy_in(allocation_, image_.data(), image_.size()), what);
  }

  bool execute(const LoadedKernel& loaded) {
    // The order of the kernel's parameters: tensors, symbols, scalars.
    std::vector<std::uint64_t> values;
    for (const Placed& placed : placed_) values.push_back(allocation_ + placed.begin + placed.lead);
    for (const ir::Var& symbol : kernel_.symbols) values.push_back(bound_.constants[symbol.get()]);
    for (const ir::Param& param : kernel_.params) {
      if (!param.absent && param.scalar) values.push_back(bound_.constants[param.scalar.get()]);
    }
    // Little-endian: the low bytes of a word are the narrower value.
    std::vector<void*> pointers;
    for (std::uint64_t& value : values) pointers.push_back(&value);
    CapturedOutput output(loaded.prints);
    bool done = launch_once(loaded, pointers) && wait();
    for (int i = 0; done && i < options_.timed_repeats; ++i) {
      done = launch_once(loaded, pointers) && wait();
      float milliseconds = 0;
      if (done && driver_.elapsed(&milliseconds, state_.started, state_.finished) ==
                      DriverStatus::success) {
        const double time = milliseconds;
        result_.best_milliseconds = i == 0 ? time : std::min(result_.best_milliseconds, time);
      }
    }
    if (done && loaded.prints) done = check(driver_.synchronize(), "the kernel's output");
    result_.outcome.output = output.take();
    return done;
  }

  bool launch_once(const LoadedKernel& loaded, std::vector<void*>& arguments) {
    const auto& block = kernel_.launch.block;
    const auto u = [](std::int64_t value) { return static_cast<unsigned>(value); };
    (void)driver_.record_event(state_.started, state_.stream);
    const DriverStatus status =
        driver_.launch(loaded.function, u(bound_.grid[0]), u(bound_.grid[1]), u(bound_.grid[2]),
                       u(block[0]), u(block[1]), u(block[2]), u(kernel_.dynamic_shared_bytes),
                       state_.stream, arguments.data(), nullptr);
    return check(status, "launching " + kernel_.name) &&
           check(driver_.record_event(state_.finished, state_.stream), "launching");
  }

  /// Polls, so that a kernel that never ends does not take this process with it.
  bool wait() {
    using Clock = std::chrono::steady_clock;
    const auto limit = Clock::now() + std::chrono::duration<double>(options_.timeout_seconds);
    auto pause = std::chrono::microseconds(5);
    for (;;) {
      const DriverStatus status = driver_.query_event(state_.finished);
      if (status == DriverStatus::success) return true;
      if (status != DriverStatus::not_ready) {
        state_.usable = false;
        device_fault(status);
        return false;
      }
      if (Clock::now() > limit) {
        state_.usable = false;
        incomplete(fmt::format("{} did not end within {} s on the GPU", kernel_.name,
                               options_.timeout_seconds));
        return false;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(2000));
    }
  }

  /// The hardware says what kind of fault, not where.
  void device_fault(DriverStatus status) {
    ir::Fault fault;
    fault.first.span = kernel_.span;
    fault.text = fmt::format("the GPU stopped {}: {}", kernel_.name, driver_.error_text(status));
    switch (status) {
      case DriverStatus::illegal_address:
        fault.kind = ir::FaultKind::bounds;
        break;
      case DriverStatus::misaligned_address:
        fault.kind = ir::FaultKind::align;
        break;
      case DriverStatus::launch_failed:
      case DriverStatus::illegal_instruction:
        fault.kind = ir::FaultKind::trap;
        break;
      default:
        return incomplete(fault.text);
    }
    fault.notes.push_back({{}, "tirx run --check all shows where"});
    result_.outcome.faults.push_back(std::move(fault));
  }

  void collect(const Placed& placed) {
    const lower::BoundTensor& tensor = *placed.tensor;
    const std::size_t first = placed.begin + placed.lead;
    const auto guarded = [&](std::size_t from, std::size_t to) {
      return std::all_of(image_.begin() + static_cast<std::ptrdiff_t>(from),
                         image_.begin() + static_cast<std::ptrdiff_t>(to),
                         [](std::byte b) { return b == kGuard; });
    };
    const bool before = guarded(placed.begin, first);
    const bool after = guarded(first + placed.size, placed.end);
    if (!before || !after) {
      ir::Fault fault;
      fault.kind = ir::FaultKind::bounds;
      fault.space = "global";
      fault.element = tensor.param->name;
      fault.text = fmt::format("{} wrote outside {} ({} it) on the GPU", kernel_.name,
                               tensor.param->name, before ? "after" : "before");
      fault.first.span = kernel_.span;
      result_.outcome.faults.push_back(std::move(fault));
    }
    if (!tensor.written || placed.size == 0) return;
    const auto begin = static_cast<std::size_t>(tensor.lo);
    std::memcpy(&tensor.memory->bytes[begin], &image_[first], placed.size);
    tensor.memory->set_valid(begin, begin + placed.size, true);
  }

  Device::State& state_;
  const Driver& driver_;
  const lower::LoweredKernel& kernel_;
  const DeviceLaunchOptions& options_;
  lower::Binding bound_;
  std::vector<Placed> placed_;
  std::vector<std::byte> image_;  // of the allocation, guard zones included
  DevicePointer allocation_ = 0;
  DeviceOutcome result_;
};

}  // namespace

DeviceOutcome Device::launch(const lower::LoweredKernel& kernel,
                             std::span<const ir::Argument> arguments,
                             const DeviceLaunchOptions& options) {
  return LaunchRun(*state_, kernel, options).run(arguments);
}

}  // namespace tirx::cuda
