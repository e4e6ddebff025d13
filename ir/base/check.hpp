// Our own mistakes: print where, and abort.  Never used for anything a user can cause.
#pragma once

namespace tirx {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace tirx

#define TIRX_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::tirx::check_failed(#condition, __FILE__, __LINE__))
