#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

#include "telemetry/counters/histogram_cells.hpp"
#include "telemetry/metrics/metric_list.hpp"

namespace scattergate::telemetry {

/// One label of a series.
struct metric_label {
  const char* name;
  std::string_view value;
};

/// The histogram that several writers' cells add up to.
/// Thread-safety: one thread; the cells may be written meanwhile.
template <auto Bounds>
class merged_histogram {
 public:
  void add(const histogram_cells<Bounds>& cells) noexcept {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += cells.buckets[i].get();
    sum_ += cells.sum.get();
  }
  /// Counts per bucket, not cumulated; the last is +Inf.
  [[nodiscard]] std::span<const std::uint64_t> buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::span<const std::uint64_t> bounds() const noexcept { return bounds_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  [[nodiscard]] bool is_empty() const noexcept {
    for (const std::uint64_t count : buckets_) {
      if (count != 0) return false;
    }
    return true;
  }

 private:
  static constexpr auto bounds_ = Bounds;
  std::array<std::uint64_t, Bounds.size() + 1> buckets_{};
  std::uint64_t sum_ = 0;
};

/// The families of one scrape, filled series by series.
class family_set {
 public:
  using labels = std::initializer_list<metric_label>;

  family_set();

  /// Adds a series of a counter or a gauge.
  void add(std::size_t row, double value, labels with);
  void add(metric id, double value, labels with = {}) { add(row_of(id), value, with); }
  void add(metric id, std::uint64_t value, labels with = {}) {
    add(id, static_cast<double>(value), with);
  }

  /// Adds a series of a histogram. `unit`: how many of the cells' units are one of the metric's
  /// (1e9 for nanoseconds in seconds).
  template <auto Bounds>
  void add(metric id, const merged_histogram<Bounds>& histogram, double unit,
           labels with = {}) {
    add_histogram(id, histogram.buckets(), histogram.bounds(),
                  static_cast<double>(histogram.sum()) / unit, unit, with);
  }

  /// The families that have a series.
  [[nodiscard]] std::vector<prometheus::MetricFamily> take();

 private:
  void add_histogram(metric id, std::span<const std::uint64_t> buckets,
                     std::span<const std::uint64_t> bounds, double sum, double unit,
                     labels with);
  static prometheus::ClientMetric& new_series(prometheus::MetricFamily& of, labels with);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace scattergate::telemetry
