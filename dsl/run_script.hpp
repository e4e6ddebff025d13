// From a script to what it did: parse, evaluate the host part, build its kernels, launch them on an
// engine.  The one entry of this layer for the command.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/host/engine.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"
#include "ir/kernel.hpp"
#include "ir/launch.hpp"
#include "ir/target.hpp"

namespace tirx::dsl {

struct ScriptOptions {
  std::map<std::string, std::string> set;        // --set N=512: overrides tirx.param("N", 256)
  std::function<void(std::string_view)> output;  // what print writes; empty: dropped
  std::string folder = ".";                      // where tirx.load and save look
  bool allow_outside_folder = false;             // paths that leave it
  std::int64_t max_host_steps = 100'000'000;
  const ir::Target* target = nullptr;  // null: the default
  bool saves_in_memory = false;  // t.save(…) writes no file; tirx.load then reads what it would be
  bool collect_only = false;     // collect_kernels: nothing is computed, asserts do not stop
};

/// One launch, in order.
struct LaunchRecord {
  std::shared_ptr<const ir::Kernel> kernel;
  Span call;
  ir::LaunchOutcome outcome;
  /// tirx.expect_fault: the fault that had to come; it is then no finding.
  std::string expected;
};

struct ScriptResult {
  DiagnosticList diagnostics;  // errors and warnings, in order
  DiagnosticList differences;  // failed assert, tirx.assert_equal, tirx.assert_close
  DiagnosticList findings;     // an expected fault that did not come
  std::vector<LaunchRecord> launches;
  /// Every kernel the script built, in order, whether launched or not.
  std::vector<std::shared_ptr<const ir::Kernel>> kernels;
  std::vector<std::string> params;  // names that tirx.param was asked for, in order
  bool incomplete = false;          // a launch was incomplete: step limit, unsupported, no GPU

  [[nodiscard]] bool has_errors() const;
};

/// Never throws.
[[nodiscard]] ScriptResult run_script(const SourceRef& source,
                                      Engine& engine,
                                      const ScriptOptions& options = {});

/// For `tirx emit`: launches run nothing, and each launched instance is recorded.  Without any
/// launch, every kernel that the script builds.  Reading a result that no launch computed is not
/// judged: asserts about tensors are skipped once a launch has been.
[[nodiscard]] ScriptResult collect_kernels(const SourceRef& source,
                                           const ScriptOptions& options = {});

}  // namespace tirx::dsl
