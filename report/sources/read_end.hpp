#pragma once

#include <chrono>
#include <optional>

#include "text/problem.hpp"

namespace scattergate::report {

/// The reason why reading a source ended.
struct read_end {
  std::optional<text::problem> problem{};  ///< why data is missing; std::nullopt: complete
  double missing_share = 0.0;              ///< the missing part of a capture's bytes: 0 to 1
  /// The log threshold (100 ms), if each logged operation took at least that long: the log
  /// seems to lack faster ones. Otherwise std::nullopt.
  std::optional<std::chrono::milliseconds> threshold{};
};

}  // namespace scattergate::report
