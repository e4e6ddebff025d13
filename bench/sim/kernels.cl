// The kernels of kernels.tx in OpenCL C, for Oclgrind and pocl.  Multiply-adds are written as two
// operations; an implementation may contract them (the host accepts either result, bit by bit).

__kernel void vadd(__global const float* x, __global const float* y, __global float* z, int n) {
  const int i = get_global_id(0);
  if (i < n) z[i] = x[i] + y[i];
}

__kernel void tilecopy(__global const float* x, __global float* y, int n) {
  __local float tile[32][33];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int column = get_group_id(0) * 32 + tx, row = get_group_id(1) * 32 + ty;
  for (int r = 0; r < 4; ++r) tile[ty + r * 8][tx] = x[(row + r * 8) * n + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < 4; ++r) y[(row + r * 8) * n + column] = tile[ty + r * 8][tx];
}

__kernel void sgemm(__global const float* a, __global const float* b, __global float* c, int m, int n, int k) {
  __local float as[16][16];
  __local float bs[16][16];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int row = get_group_id(1) * 16 + ty, column = get_group_id(0) * 16 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    as[ty][tx] = a[row * k + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; ++i) acc += as[ty][i] * bs[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = acc;
}

__kernel void reduce(__global const float* x, __global float* y, int n) {
  __local float s[256];
  const int tx = get_local_id(0);
  s[tx] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = 128; width > 0; width /= 2) {
    if (tx < width) s[tx] += s[tx + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tx == 0) y[get_group_id(0)] = s[0];
}

// Scales: one per row and 128 of k for a, one per 128 x 128 for b.
__kernel void blockscale(__global const char* a, __global const char* b, __global const float* sa,
                         __global const float* sb, __global float* c, int m, int n, int k) {
  __local char as[16][128];
  __local char bs[16][128];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int first_row = get_group_id(1) * 16, first_column = get_group_id(0) * 16;
  const int row = first_row + ty, column = first_column + tx, blocks = k / 128;
  float acc = 0.0f;
  for (int block = 0; block < blocks; ++block) {
    for (int j = tx; j < 128; j += 16) {
      as[ty][j] = a[row * k + block * 128 + j];
      bs[ty][j] = b[(first_column + ty) * k + block * 128 + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int total = 0;
    for (int i = 0; i < 128; ++i) total += (int)as[ty][i] * (int)bs[tx][i];
    const float scale = sa[row * blocks + block] * sb[column / 128 * blocks + block];
    acc += (float)total * scale;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = acc;
}
