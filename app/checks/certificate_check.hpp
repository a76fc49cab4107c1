#pragma once

#include <chrono>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Problems and warnings about the dates of the configured certificates.
struct certificate_dates {
  std::vector<text::problem> problems;  ///< one of scattergate's own certificates has expired,
                                        ///< or isn't valid yet
  /// One of scattergate's own certificates expires soon, or a certificate in its chain or in a
  /// CA file has expired.
  std::vector<text::problem> warnings;
};
/// Compares the dates of all configured certificates with `now`.
[[nodiscard]] certificate_dates check_certificate_dates(
    const config::loaded_options& loaded, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
