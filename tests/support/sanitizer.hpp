#pragma once

#include <cstddef>

/// Sanitizers make tests several times as slow, and look for errors that few repetitions show.
namespace scattergate::tests {

/// Whether this build has AddressSanitizer or ThreadSanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_sanitizer = true;
#else
inline constexpr bool has_sanitizer = false;
#endif

/// The number of repetitions in this build of what Release repeats `all` times: under a
/// sanitizer an eighth.
[[nodiscard]] constexpr unsigned repetitions(unsigned all) noexcept {
  return has_sanitizer ? all / 8 : all;
}

}  // namespace scattergate::tests
