#pragma once

#include <cstddef>
#include <vector>

#include <prometheus/metric_family.h>

#include "telemetry/metrics/series_sink.hpp"

namespace scattergate::telemetry {
class metrics_collector;
}

namespace scattergate::tests {

/// Collects the metrics of one scrape (a request for /metrics) as objects of prometheus-cpp.
/// With them, tests read single series, and compare scattergate's text with prometheus-cpp's.
/// Thread-safety: one thread.
class family_set final : public telemetry::series_sink {
 public:
  family_set();

  using series_sink::add;
  void add(std::size_t row, double value, labels with,
           const telemetry::exemplar_view* one) override;

  /// Returns the families that have at least one series.
  [[nodiscard]] std::vector<prometheus::MetricFamily> take();

 private:
  void add_histogram(std::size_t row, const telemetry::histogram_view& histogram,
                     labels with) override;
  static prometheus::ClientMetric& new_series(prometheus::MetricFamily& of, labels with);

  std::vector<prometheus::MetricFamily> families_;
};

/// The metrics that a scrape (a request for /metrics) would return now, by family.
[[nodiscard]] std::vector<prometheus::MetricFamily> families_of(
    const telemetry::metrics_collector& all);

}  // namespace scattergate::tests
