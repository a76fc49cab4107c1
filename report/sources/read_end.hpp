#pragma once

#include <chrono>
#include <optional>

#include "text/problem.hpp"

namespace scattergate::report {

/// How the reading of a source ended.
struct read_end {
  std::optional<text::problem> problem{};  ///< why it can't be read to its end
  double missing_share = 0.0;              ///< of its bytes, those that a capture lacks: 0 to 1
  /// Of a log that has slow operations alone: the time from which on they are slow.
  std::optional<std::chrono::milliseconds> threshold{};
};

}  // namespace scattergate::report
