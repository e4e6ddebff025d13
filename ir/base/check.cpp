#include "ir/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace tirx {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tirx: internal error: %s:%d: %s does not hold; please report it\n", file,
               line, condition);
  std::abort();
}

}  // namespace tirx
