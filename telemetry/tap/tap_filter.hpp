#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "telemetry/tap/live_tap.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// What one who looks at the tap wants to see: all, at first.
/// Thread-safety: immutable once made.
struct tap_filter {
  std::string name_space;                         ///< a glob; empty: every one
  std::optional<routing::routing_class> routing;  ///< none: every one
  bool is_findings = false;                       ///< nothing else

  [[nodiscard]] tap_interest interest() const noexcept;
  [[nodiscard]] bool accepts(const tapped_command& one) const;
};

/// What the query of a request target asks for: `namespace=GLOB`, `routing=CLASS`,
/// `findings=1`.
[[nodiscard]] text::result<tap_filter> tap_filter_of(std::string_view target);

}  // namespace scattergate::telemetry
