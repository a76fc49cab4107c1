#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "telemetry/tap/live_tap.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// The filter of one listener of the tap (the stream of commands at /api/v1/tap). By default,
/// it accepts all commands. Thread-safety: immutable.
struct tap_filter {
  std::string name_space;  ///< a glob for "database.collection"; empty: all
  std::optional<routing::routing_class> routing;  ///< only commands of this class; empty: all
  bool is_findings = false;                       ///< findings (commands to report) only

  /// The categories to which accepted commands may belong, for live_tap::listen().
  [[nodiscard]] tap_interest interest() const noexcept;
  /// Whether the filter accepts this command.
  [[nodiscard]] bool accepts(const tapped_command& one) const;
};

/// Parses a filter from a request target's query: `namespace=GLOB`, `routing=CLASS`,
/// `findings=1`. Returns a problem for other parameters, repeated ones and invalid values.
[[nodiscard]] text::result<tap_filter> tap_filter_of(std::string_view target);

}  // namespace scattergate::telemetry
