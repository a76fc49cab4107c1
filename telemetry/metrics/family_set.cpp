#include "telemetry/metrics/family_set.hpp"

#include <limits>
#include <string>
#include <utility>

namespace scattergate::telemetry {
namespace {

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
  families_.reserve(metric_list.size());
  for (const metric_desc& desc : metric_list) {
    families_.push_back(
        {std::string{desc.name}, std::string{desc.help}, type_of(desc.type), {}});
  }
}

void family_set::add(metric id, double value, labels with) {
  prometheus::ClientMetric& series = new_series(id, with);
  if (metric_list[static_cast<std::size_t>(id)].type == metric_type::counter) {
    series.counter.value = value;
  } else {
    series.gauge.value = value;
  }
}

void family_set::add_histogram(metric id, std::span<const std::uint64_t> buckets,
                               std::span<const std::uint64_t> bounds, double sum, double unit,
                               labels with) {
  prometheus::ClientMetric::Histogram& histogram = new_series(id, with).histogram;
  std::uint64_t cumulated = 0;
  histogram.bucket.reserve(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    cumulated += buckets[i];
    const double bound = i < bounds.size() ? static_cast<double>(bounds[i]) / unit
                                           : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({cumulated, bound});
  }
  histogram.sample_count = cumulated;
  histogram.sample_sum = sum;
}

std::vector<prometheus::MetricFamily> family_set::take() {
  std::erase_if(families_,
                [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
  return std::move(families_);
}

prometheus::ClientMetric& family_set::new_series(metric id, labels with) {
  prometheus::ClientMetric& series =
      families_[static_cast<std::size_t>(id)].metric.emplace_back();
  series.label.reserve(with.size());
  for (const metric_label& label : with) {
    series.label.push_back({label.name, std::string{label.value}});
  }
  return series;
}

}  // namespace scattergate::telemetry
