#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "telemetry/counters/cells.hpp"
#include "telemetry/metrics/metric_list.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::telemetry {

/// One label of a series.
struct metric_label {
  std::string_view name;
  std::string_view value;
};

/// The sum of several workers' histograms with the same bounds. Thread-safety: one thread; the
/// workers may continue to count.
template <auto Bounds>
class merged_histogram {
 public:
  /// Adds one worker's counts.
  void add(const histogram_cells<Bounds>& cells) noexcept {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += cells.buckets[i].get();
    sum_ += cells.sum.get();
  }
  /// Counts per bucket, not cumulated; the last one is +Inf.
  [[nodiscard]] std::span<const std::uint64_t> buckets() const noexcept { return buckets_; }
  /// The upper bounds of all buckets but the last.
  [[nodiscard]] std::span<const std::uint64_t> bounds() const noexcept { return bounds_; }
  /// The sum of all values, in the unit of the bounds.
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  /// Whether nothing was counted.
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

/// An exemplar to write: one command as an example of what a series has counted.
struct exemplar_view {
  wire::trace_id trace;          ///< the command's trace; unset: none
  std::uint64_t shape_hash = 0;  ///< the command's query shape; 0: unknown
  double value = 0;              ///< in the family's unit
  double unix_seconds = 0;       ///< when the command was counted, since the Unix epoch
};
using exemplars_view = std::span<const std::optional<exemplar_view>>;

/// A histogram series to write.
struct histogram_view {
  std::span<const std::uint64_t> buckets;  ///< not cumulated; the last one is +Inf
  std::span<const std::uint64_t> bounds;   ///< upper bounds of all buckets but the last
  std::uint64_t sum = 0;
  double unit = 1;           ///< the numbers are divided by this to get the family's unit
  exemplars_view exemplars;  ///< one per bucket, or empty: none
};

/// Receives the series of one scrape (a request for /metrics). Families may come in any order.
/// `row`: the index of the family in metric_list(). Thread-safety: one thread.
class series_sink {
 public:
  using labels = std::initializer_list<metric_label>;

  series_sink() = default;
  virtual ~series_sink() = default;
  series_sink(const series_sink&) = delete;
  series_sink& operator=(const series_sink&) = delete;

  /// Whether the output format supports exemplars.
  [[nodiscard]] virtual bool supports_exemplars() const noexcept { return false; }

  /// Adds a counter's or gauge's series. `one`: an exemplar (an example command), or null.
  virtual void add(std::size_t row, double value, labels label_set,
                   const exemplar_view* one) = 0;
  /// Adds a counter's or gauge's series without an exemplar.
  void add(std::size_t row, double value, labels label_set) {
    add(row, value, label_set, nullptr);
  }
  /// Adds a series to the family `id`, whose series are built by code.
  void add(metric id, double value, labels label_set = {}) {
    add(row_of(id), value, label_set);
  }
  /// Adds a series with an integer value to the family `id`, whose series are built by code.
  void add(metric id, std::uint64_t value, labels label_set = {}) {
    add(id, static_cast<double>(value), label_set);
  }

  /// Adds a histogram's series. `unit`: the histogram's numbers are divided by it (1e9
  /// converts nanoseconds to seconds). `exemplars`: one per bucket, or empty.
  template <auto Bounds>
  void add(metric id, const merged_histogram<Bounds>& histogram, double unit,
           labels label_set = {}, exemplars_view exemplars = {}) {
    add_histogram(row_of(id),
                  {histogram.buckets(), histogram.bounds(), histogram.sum(), unit, exemplars},
                  label_set);
  }

 protected:
  /// Adds a histogram's series to the family at index `row` of metric_list().
  virtual void add_histogram(std::size_t row, const histogram_view& histogram,
                             labels label_set) = 0;
};

}  // namespace scattergate::telemetry
