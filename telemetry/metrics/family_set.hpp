#pragma once

#include <cstddef>
#include <vector>

#include <prometheus/metric_family.h>

#include "telemetry/metrics/series_sink.hpp"

namespace scattergate::telemetry {

/// The families of one scrape as prometheus-cpp has them, for those who look at single series.
/// Thread-safety: one thread.
class family_set final : public series_sink {
 public:
  family_set();

  using series_sink::add;
  void add(std::size_t row, double value, labels with, const exemplar_view* one) override;

  /// The families that have a series.
  [[nodiscard]] std::vector<prometheus::MetricFamily> take();

 private:
  void add_histogram(std::size_t row, const histogram_view& histogram, labels with) override;
  static prometheus::ClientMetric& new_series(prometheus::MetricFamily& of, labels with);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace scattergate::telemetry
