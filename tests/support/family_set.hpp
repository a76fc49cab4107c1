#pragma once

#include <cstddef>
#include <vector>

#include <prometheus/metric_family.h>

#include "telemetry/metrics/series_sink.hpp"

namespace scattergate::telemetry {
class metrics_collector;
}

namespace scattergate::tests {

/// The families of one scrape as prometheus-cpp's objects, so that a test reads single series,
/// and its serializer judges ours. Thread-safety: one thread.
class family_set final : public telemetry::series_sink {
 public:
  family_set();

  using series_sink::add;
  void add(std::size_t row, double value, labels with,
           const telemetry::exemplar_view* one) override;

  /// The families that have a series.
  [[nodiscard]] std::vector<prometheus::MetricFamily> take();

 private:
  void add_histogram(std::size_t row, const telemetry::histogram_view& histogram,
                     labels with) override;
  static prometheus::ClientMetric& new_series(prometheus::MetricFamily& of, labels with);

  std::vector<prometheus::MetricFamily> families_;
};

/// The current contents of a scrape.
[[nodiscard]] std::vector<prometheus::MetricFamily> families_of(
    const telemetry::metrics_collector& all);

}  // namespace scattergate::tests
