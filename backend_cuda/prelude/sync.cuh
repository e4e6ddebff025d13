// Barriers, fences, elections and special registers (PTX ISA, "Parallel Synchronization and
// Communication Instructions", "Special Registers").

// Waits at barrier 0..15 for `threads` threads, a multiple of 32.
__device__ __forceinline__ void tirx_bar_sync(int barrier, int threads) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

// Waits at the barrier for all threads of the CTA.
__device__ __forceinline__ void tirx_bar_sync_all(int barrier) {
  asm volatile("barrier.cta.sync.aligned %0;" : : "r"(barrier) : "memory");
}

__device__ __forceinline__ void tirx_bar_arrive(int barrier, int threads) {
  asm volatile("barrier.cta.arrive.aligned %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void tirx_cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
}

__device__ __forceinline__ void tirx_cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

__device__ __forceinline__ void tirx_fence_cluster() {
  asm volatile("fence.acq_rel.cluster;" : : : "memory");
}

// Waits until the mbarrier's phase of this parity is complete.
__device__ __forceinline__ void tirx_mbarrier_wait(const void* barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity)
        : "memory");
  }
}

// The same before sm_90.
__device__ __forceinline__ void tirx_mbarrier_poll(const void* barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity)
        : "memory");
  }
}

// True in exactly one lane of the mask.
__device__ __forceinline__ bool tirx_elect_sync(unsigned mask) {
  int d;
  asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.s32 %0, 1, 0, p; }"
               : "=r"(d) : "r"(mask) : "memory");
  return d != 0;
}

// The position of the cluster in the grid, and of the CTA in its cluster.
__device__ __forceinline__ unsigned tirx_cluster_id_x() {
  unsigned d;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_cluster_id_y() {
  unsigned d;
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_cluster_id_z() {
  unsigned d;
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_cta_in_cluster_x() {
  unsigned d;
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_cta_in_cluster_y() {
  unsigned d;
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_cta_in_cluster_z() {
  unsigned d;
  asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_cluster_rank() {
  unsigned d;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(d));
  return d;
}

__device__ __forceinline__ unsigned tirx_clock() {
  unsigned d;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(d) : : "memory");
  return d;
}

__device__ __forceinline__ void tirx_nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" : : "r"(nanoseconds) : "memory");
}
