#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "telemetry/metrics/exposition_writer.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::telemetry {

/// The Content-Type of /metrics in this format (Prometheus: content negotiation; OpenMetrics
/// 1.0: "Protocol Negotiation").
[[nodiscard]] std::string_view content_type_of(exposition_format format) noexcept;

/// Formats all metrics as text for /metrics. Keeps its text buffers for the next scrape
/// (request for /metrics), to allocate less. Thread-safety: any thread.
class exposition {
 public:
  /// `metrics` must outlive this object.
  explicit exposition(const metrics_collector& metrics)
      : metrics_(metrics), writer_(exposition_format::text) {}

  /// The current values of all metrics, as text.
  [[nodiscard]] std::string text(exposition_format format) const;

 private:
  const metrics_collector& metrics_;
  mutable std::mutex mutex_;
  mutable exposition_writer writer_;  // under mutex_
};

/// Formats the current values of all metrics as text, for a single use: keeps no buffers.
[[nodiscard]] std::string exposition_text(const metrics_collector& metrics,
                                          exposition_format format = exposition_format::text);

}  // namespace scattergate::telemetry
