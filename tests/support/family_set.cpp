#include "tests/support/family_set.hpp"

#include <limits>
#include <string>
#include <utility>

#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::tests {
namespace {

using telemetry::metric_type;

prometheus::MetricType type_of(metric_type type) noexcept {
  switch (type) {
    case metric_type::counter:
      return prometheus::MetricType::Counter;
    case metric_type::gauge:
      return prometheus::MetricType::Gauge;
    case metric_type::histogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

}  // namespace

family_set::family_set() {
  families_.reserve(telemetry::metric_list().size());
  for (const telemetry::metric_row& row : telemetry::metric_list()) {
    families_.push_back({std::string{row.name}, std::string{row.help}, type_of(row.type), {}});
  }
}

void family_set::add(std::size_t row, double value, labels with,
                     const telemetry::exemplar_view*) {
  prometheus::MetricFamily& family = families_[row];
  prometheus::ClientMetric& series = new_series(family, with);
  if (family.type == prometheus::MetricType::Counter) {
    series.counter.value = value;
  } else {
    series.gauge.value = value;
  }
}

void family_set::add_histogram(std::size_t row, const telemetry::histogram_view& of,
                               labels with) {
  prometheus::ClientMetric::Histogram& histogram = new_series(families_[row], with).histogram;
  std::uint64_t cumulated = 0;
  histogram.bucket.reserve(of.buckets.size());
  for (std::size_t i = 0; i < of.buckets.size(); ++i) {
    cumulated += of.buckets[i];
    const double bound = i < of.bounds.size() ? static_cast<double>(of.bounds[i]) / of.unit
                                              : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({cumulated, bound});
  }
  histogram.sample_count = cumulated;
  histogram.sample_sum = static_cast<double>(of.sum) / of.unit;
}

std::vector<prometheus::MetricFamily> family_set::take() {
  std::erase_if(families_,
                [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
  return std::move(families_);
}

prometheus::ClientMetric& family_set::new_series(prometheus::MetricFamily& of, labels with) {
  prometheus::ClientMetric& series = of.metric.emplace_back();
  series.label.reserve(with.size());
  for (const telemetry::metric_label& label : with) {
    series.label.push_back({std::string{label.name}, std::string{label.value}});
  }
  return series;
}

std::vector<prometheus::MetricFamily> families_of(const telemetry::metrics_collector& all) {
  family_set families;
  all.collect(families);
  return families.take();
}

}  // namespace scattergate::tests
