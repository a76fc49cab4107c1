#pragma once

#include <chrono>
#include <optional>

#include "text/problem.hpp"

namespace scattergate::report {

/// The reason why reading a source ended.
struct read_end {
  std::optional<text::problem> problem{};  ///< why it couldn't be read completely
  double missing_share = 0.0;              ///< the missing part of a capture's bytes: 0 to 1
  /// For a log with slow operations only: the duration from which on they count as slow.
  std::optional<std::chrono::milliseconds> threshold{};
};

}  // namespace scattergate::report
