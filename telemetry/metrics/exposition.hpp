#pragma once

#include <string>
#include <string_view>

#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::telemetry {

/// The Content-Type of exposition_text() (Prometheus: content negotiation).
inline constexpr std::string_view exposition_content_type =
    "text/plain; version=0.0.4; charset=utf-8";

/// All metrics in Prometheus's text format.
[[nodiscard]] std::string exposition_text(const metrics_collector& metrics);

}  // namespace scattergate::telemetry
