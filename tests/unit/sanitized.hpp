// Is this the sanitizers' build?  It is some thirty times slower and wants every path of the code
// once; the release build of the same gate makes the sweeps whole.
#pragma once

namespace tirx::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tirx::testing
