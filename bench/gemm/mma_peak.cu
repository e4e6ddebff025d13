// What does a loop of mma.sync.m16n8k16 (f16 x f16 -> f32) reach that only touches registers?  The ceiling for the
// GEMM examples: 4 x 8 independent accumulators a warp, no memory traffic.
extern "C" __global__ void __launch_bounds__(128) mma_peak(float* out, int rounds) {
  float d[32][4];
  unsigned a[4][4], b[8][2];
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 4; ++j) d[i][j] = 0.0f;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) a[i][j] = threadIdx.x * 0x01010101u + i * 7 + j;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 2; ++j) b[i][j] = threadIdx.x * 0x00110011u + i * 5 + j;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        float* c = d[m * 8 + n];
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
            "%2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[m][0]), "r"(a[m][1]), "r"(a[m][2]), "r"(a[m][3]), "r"(b[n][0]), "r"(b[n][1]));
      }
  }
  float sum = 0.0f;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 4; ++j) sum += d[i][j];
  if (sum == 12345.678f) out[threadIdx.x] = sum;
}
