#pragma once

#include <chrono>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Problems and warnings about the validity periods of the configured certificates.
struct certificate_dates {
  std::vector<text::problem> problems;  ///< scattergate's own certificates that have expired
                                        ///< or aren't valid yet
  /// scattergate's own certificates that expire soon, and certificates of chains and CA files
  /// that have expired.
  std::vector<text::problem> warnings;
};
/// Compares the validity periods of all configured certificates with `now`.
[[nodiscard]] certificate_dates check_certificate_dates(
    const config::loaded_options& loaded, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
