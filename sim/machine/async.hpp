// Copies in flight (cp.async): what has been issued, in which commit group it is, and when its
// bytes arrive.  A transfer is pending from its issue to the wait of the thread that issued it;
// meanwhile its destination is poisoned.  The value policy decides when the bytes move: at issue
// (eager) or at the wait (lazy); a program without races cannot tell (docs/simulator.md,
// "Asynchronous copies").
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/machine/warp.hpp"

namespace tirx::sim {

struct Cta;

/// One executed cp.async of one strand.
struct CopyBatch {
  std::uint64_t number = 0;  // in the order of issue, from 1
  const CallSite* site = nullptr;
  const MemSite* to = nullptr;
  const MemSite* from = nullptr;
  std::uint32_t lanes = 0;                          // that issued it
  std::uint32_t pending = 0;                        // whose bytes have not arrived
  std::uint8_t bytes = 0;                           // of the destination, per lane
  std::array<std::uint8_t, kLanes> source_bytes{};  // the rest becomes zeros
  std::array<std::uint32_t, kLanes> group{};        // the thread's commit group
  std::array<std::int64_t, kLanes> destination{};   // bytes from the start of the region
  std::array<std::int64_t, kLanes> source{};
  std::array<std::uint16_t, kLanes> valid{};  // eager: bytes that were not poison at issue
};

/// The copies of one CTA.
class AsyncCopies {
 public:
  void reset(std::size_t warps);

  /// A copy begins: `batch.group` is filled in here.
  void issue(Warp& warp, CopyBatch batch);
  /// The lanes' copies since their last commit become a group.
  void commit(const Warp& warp, std::uint32_t lanes);
  /// The lanes wait until at most `newest` of their groups are in flight.
  void wait(Warp& warp, std::uint32_t lanes, std::uint32_t newest);

  /// Waits for one thread's copies up to this number.
  void finish_until(Warp& warp, int lane, std::uint64_t number);
  /// Number of the thread's last copy; 0 if it has made none.
  [[nodiscard]] std::uint64_t last_copy(const Warp& warp, int lane) const;
  /// Number of the thread's first copy that has not arrived; the largest number if all have.
  [[nodiscard]] std::uint64_t oldest_pending(const Warp& warp, int lane) const;

  [[nodiscard]] bool idle() const { return pending_ == 0; }

  /// Two equal ones: nothing was issued meanwhile, and nothing arrived.
  struct State {
    std::uint64_t issued = 0;
    std::size_t pending = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State state() const { return {issued_, pending_}; }

  /// The copy whose destination this byte is, and the lane; null if there is none.
  struct Hit {
    const CopyBatch* batch = nullptr;
    const Warp* warp = nullptr;
    int lane = 0;
  };

  [[nodiscard]] Hit find(const Cta& cta, std::size_t region, std::int64_t byte) const;

 private:
  struct OfWarp {
    std::array<std::uint32_t, kLanes> open{};  // number of the group that is being filled
    std::array<std::uint64_t, kLanes> last{};  // number of the last copy
    std::deque<CopyBatch> batches;
  };

  /// `arrived(batch, lane)`: the lane's bytes are there now; `waited`: because it waited for them.
  template <typename Arrived>
  void deliver(Warp& warp, std::uint32_t lanes, bool waited, Arrived&& arrived);
  static void move(Warp& warp, CopyBatch& batch, std::uint32_t lanes);
  static void finish(Warp& warp, CopyBatch& batch, std::uint32_t lanes);

  std::vector<OfWarp> warps_;
  std::size_t pending_ = 0;  // batches
  std::uint64_t issued_ = 0;
  bool used_ = false;  // something to forget at the next reset
};

}  // namespace tirx::sim
