// Asynchronous copies of a thread (PTX ISA 9.7.9.25, "Non-bulk copy": cp.async, commit_group,
// wait_group, wait_all).
#include "ir/ptx/families.hpp"

namespace tirx::ir::ptx {

namespace {

constexpr Slot kCopySlots[] = {{"ca|cg"},
                               {"shared|shared::cta"},
                               {"global"},
                               {"L2::cache_hint", false},
                               {"L2::64B|L2::128B|L2::256B", false}};

std::string copy(Instruction& made) {
  made.address("dst", Space::shared, 0, true);
  const bool hinted = made.has("L2::cache_hint");
  made.address("src", Space::global, 0, false).size_argument = hinted ? 4 : 3;
  made.immediate("cp_size", made.word(0) == "cg" ? "16" : "4|8|16");
  made.input("src_size", kU32).optional = true;
  if (hinted) made.input("cache_policy", kU64);
  return {};
}

std::string nothing(Instruction&) {
  return {};
}

std::string wait_group(Instruction& made) {
  made.immediate("n", 0, 1 << 20);
  return {};
}

}  // namespace

constinit const Family kCpAsync{"cp.async", kCopySlots,
                                "[dst], [src], cp_size, src_size=, cache_policy=", copy};
constinit const Family kCpAsyncCommitGroup{"cp.async.commit_group", {}, "", nothing};
constinit const Family kCpAsyncWaitGroup{"cp.async.wait_group", {}, "n", wait_group};
constinit const Family kCpAsyncWaitAll{"cp.async.wait_all", {}, "", nothing};

}  // namespace tirx::ir::ptx
