#pragma once

#include <chrono>
#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// How the certificates that a configuration names stand at a time.
struct certificate_dates {
  std::vector<text::problem> problems;  ///< our own has expired, or isn't valid yet
  /// Our own expires soon; one of its chain, or of a file of CAs, has expired.
  std::vector<text::problem> warnings;
};
[[nodiscard]] certificate_dates check_certificate_dates(
    const config::loaded_options& loaded, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
