// An NVRTC that crashes on every kernel.  Only what backend_cuda/nvrtc.cpp loads is here.
#include <csignal>
#include <cstddef>

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}

int nvrtcCreateProgram(
    void** program, const char*, const char*, int, const char* const*, const char* const*) {
  *program = nullptr;
  return 0;
}

int nvrtcDestroyProgram(void**) {
  return 0;
}

int nvrtcCompileProgram(void*, int, const char* const*) {
  return std::raise(SIGSEGV);
}

int nvrtcGetCUBINSize(void*, std::size_t*) {
  return 1;
}

int nvrtcGetCUBIN(void*, char*) {
  return 1;
}

int nvrtcGetProgramLogSize(void*, std::size_t*) {
  return 1;
}

int nvrtcGetProgramLog(void*, char*) {
  return 1;
}

const char* nvrtcGetErrorString(int) {
  return "an error";
}

}  // extern "C"
