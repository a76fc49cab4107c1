#pragma once

#include <cstddef>

/// Reduces repetitions under a sanitizer. Sanitizers make tests several times as slow, and find
/// errors already with few repetitions.
namespace scattergate::tests {

/// Whether this build has AddressSanitizer or ThreadSanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_sanitizer = true;
#else
inline constexpr bool has_sanitizer = false;
#endif

/// The number of repetitions for this build: `all`, or an eighth of `all` under a sanitizer.
[[nodiscard]] constexpr unsigned repetitions(unsigned all) noexcept {
  return has_sanitizer ? all / 8 : all;
}

}  // namespace scattergate::tests
