// The one list of machine operations.
#pragma once

#include "ir/op_list.hpp"
#include "ir/ops/atomic.hpp"
#include "ir/ops/control.hpp"
#include "ir/ops/ptx_async.hpp"
#include "ir/ops/ptx_compute.hpp"
#include "ir/ops/ptx_half.hpp"
#include "ir/ops/ptx_matrix.hpp"
#include "ir/ops/ptx_mbarrier.hpp"
#include "ir/ops/ptx_memory.hpp"
#include "ir/ops/ptx_warp.hpp"
#include "ir/ops/sync.hpp"
#include "ir/ops/warp.hpp"

namespace tirx::ir {

using AllOps = OpList<
    // sync.hpp
    CtaSync,
    WarpSync,
    NamedBarrierSync,
    NamedBarrierArrive,
    ClusterArrive,
    ClusterWait,
    ThreadFence,
    // warp.hpp
    ShuffleIdx,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    VoteAll,
    VoteAny,
    VoteBallot,
    MatchAny,
    ActiveMask,
    ElectSync,
    ReduxAdd,
    ReduxMin,
    ReduxMax,
    ReduxAnd,
    ReduxOr,
    ReduxXor,
    // atomic.hpp
    AtomicAdd,
    AtomicMin,
    AtomicMax,
    AtomicAnd,
    AtomicOr,
    AtomicXor,
    AtomicExchange,
    AtomicCas,
    LoadAcquire,
    StoreRelease,
    LoadReadOnly,
    // control.hpp
    Printf,
    PrintBuffer,
    NanoSleep,
    Clock,
    Trap,
    RawCudaCall,
    // ptx_async.hpp
    PtxCpAsync,
    PtxCpAsyncCommitGroup,
    PtxCpAsyncWaitGroup,
    PtxCpAsyncWaitAll,
    // ptx_matrix.hpp
    PtxLdmatrix,
    PtxStmatrix,
    PtxMma,
    // ptx_mbarrier.hpp
    PtxMbarrierInit,
    PtxMbarrierInval,
    PtxMbarrierArrive,
    PtxMbarrierArriveDrop,
    PtxMbarrierArriveExpectTx,
    PtxMbarrierExpectTx,
    PtxMbarrierTestWait,
    PtxMbarrierTryWait,
    PtxMbarrierPendingCount,
    PtxCpAsyncMbarrierArrive,
    MbarrierWait,
    // ptx_memory.hpp
    PtxLoad,
    PtxStore,
    PtxAtom,
    PtxRed,
    PtxFence,
    PtxMembar,
    PtxPrefetch,
    // ptx_warp.hpp
    PtxShfl,
    PtxVote,
    PtxMatch,
    PtxRedux,
    PtxElect,
    PtxActivemask,
    PtxBarWarpSync,
    PtxBarRed,
    // ptx_compute.hpp
    PtxPrmt,
    PtxLop3,
    PtxBfe,
    PtxBfi,
    PtxShf,
    PtxMul,
    PtxMad,
    PtxDp4a,
    PtxBfind,
    PtxCvt,
    // ptx_half.hpp
    PtxAddPair,
    PtxSubPair,
    PtxMulPair,
    PtxFmaPair,
    PtxMinPair,
    PtxMaxPair,
    PtxEx2Half,
    PtxTanhHalf>;

[[nodiscard]] inline const OpSpec& spec(OpId id) {
  return AllOps::kSpecs[static_cast<std::size_t>(id)];
}

[[nodiscard]] inline const OpOrder& order(OpId id) {
  return AllOps::kOrders[static_cast<std::size_t>(id)];
}

}  // namespace tirx::ir
