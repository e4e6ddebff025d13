// A CUDA driver for machines without a GPU: device memory is host memory, and a launch doubles what
// its first pointer points to into its second, or misbehaves as TIRX_FAKE_DRIVER_MODE says
// ("overrun", "hang", "fault").  Only what backend_cuda/driver.hpp loads is here.
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotReady = 600;
constexpr int kIllegalAddress = 700;
constexpr int kElements = 8;

/// Device memory that is not freed: a lost device keeps what it holds, as a real one does.
std::set<void*>& device_memory() {
  static auto* const blocks = new std::set<void*>;
  return *blocks;
}

std::string_view mode() {
  const char* value = std::getenv("TIRX_FAKE_DRIVER_MODE");
  return value == nullptr ? "" : value;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return kSuccess;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}

int cuDeviceGet(int* device, int) {
  *device = 0;
  return kSuccess;
}

int cuDeviceGetName(char* name, int, int) {
  std::strcpy(name, "Fake");
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;
  return kSuccess;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = 1 << 30;
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void**, int) {
  return kSuccess;
}

int cuCtxSetCurrent(void*) {
  return kSuccess;
}

int cuModuleLoadData(void**, const void* image) {
  // Cubins are ELF files.
  return std::memcmp(image,
                     "\x7f"
                     "ELF",
                     4) == 0
             ? kSuccess
             : 200;
}

int cuModuleGetFunction(void**, void*, const char*) {
  return kSuccess;
}

int cuFuncSetAttribute(void*, int, int) {
  return kSuccess;
}

int cuMemAlloc_v2(unsigned long long* pointer, std::size_t bytes) {
  void* const block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  device_memory().insert(block);
  *pointer = reinterpret_cast<unsigned long long>(block);
  return kSuccess;
}

int cuMemFree_v2(unsigned long long pointer) {
  device_memory().erase(reinterpret_cast<void*>(pointer));
  std::free(reinterpret_cast<void*>(pointer));
  return kSuccess;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

int cuStreamCreate(void**, unsigned) {
  return kSuccess;
}

int cuEventCreate(void**, unsigned) {
  return kSuccess;
}

int cuEventRecord(void*, void*) {
  return kSuccess;
}

int cuEventQuery(void*) {
  if (mode() == "hang") return kNotReady;
  return mode() == "fault" ? kIllegalAddress : kSuccess;
}

int cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 0.25F;
  return kSuccess;
}

int cuCtxSynchronize() {
  return kSuccess;
}

int cuLaunchKernel(void*,
                   unsigned,
                   unsigned,
                   unsigned,
                   unsigned,
                   unsigned,
                   unsigned,
                   unsigned,
                   void*,
                   void** arguments,
                   void**) {
  const auto* from = *static_cast<const float**>(arguments[0]);
  auto* to = *static_cast<float**>(arguments[1]);
  const int count = mode() == "overrun" ? kElements + 1 : kElements;
  for (int i = 0; i < count; ++i) to[i] = from[i] + from[i];
  return kSuccess;
}

int cuGetErrorName(int status, const char** name) {
  *name = status == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
  return kSuccess;
}

int cuGetErrorString(int, const char** text) {
  *text = "a fake error";
  return kSuccess;
}
}
