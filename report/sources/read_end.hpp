#pragma once

#include <chrono>
#include <optional>

#include "text/problem.hpp"

namespace scattergate::report {

/// The reason why reading a source ended.
struct read_end {
  std::optional<text::problem> problem{};  ///< why data is missing; std::nullopt: complete
  double missing_share = 0.0;              ///< the missing part of a capture's bytes: 0 to 1
  /// Set if a log seems to contain only slow operations: each took at least this long.
  std::optional<std::chrono::milliseconds> threshold{};
};

}  // namespace scattergate::report
