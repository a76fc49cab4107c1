#pragma once

#include <chrono>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Problems and warnings about the validity periods of the configured certificates.
struct certificate_dates {
  /// scattergate's own certificates that have expired or aren't valid yet.
  std::vector<text::problem> problems;
  /// scattergate's own certificates that expire soon, and certificates of chains and CA files
  /// that have expired.
  std::vector<text::problem> warnings;
};
/// Finds certificates that have expired, expire soon or aren't valid yet at the time `now`.
/// Reads all certificate files that the options name.
[[nodiscard]] certificate_dates check_certificate_dates(
    const config::loaded_options& loaded, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
